import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const together = 'are in a prompt together or not at all, wherever a limit cuts';
const summedUp = 'are summed up together or not at all, wherever a compaction cuts';
const shapes = {
  two: 'two calls of one answer, whose results are messages of their own,',
  one: 'one call and its result in a short session',
  crossed: 'an answer that calls before the result of the one before it has come, and its result,',
  between: 'a call and its result, between which stands a result that nobody asked for,',
  lost: 'a call that never gets its result, and the one that is made up for it,',
} as const;

const both = (shape: keyof typeof shapes) =>
  inFile(at.pairing, `${shapes[shape]} > ${together}`, `${shapes[shape]} > ${summedUp}`);

/** Calls of tools and their results. */
export const pairing: CaseFamily = {
  title: 'Calls and their results',
  rows: [
    {
      id: 'R-08',
      wrong: 'A limit falls between two results of one answer; one of them is sent without its call, and refused.',
      right: 'An answer and all of its results are one group: all of it is sent, or none.',
      tests: [
        ...both('two'),
        ...inFile(
          at.compactionCases,
          'a group > is covered or kept as one: before the cut',
          'a group > is covered or kept as one: behind the cut',
          'a group > is covered or kept as one: larger than the tail',
        ),
      ],
    },
    {
      id: 'R-28',
      wrong: 'A result is rewritten before a compaction; the compaction then points at a message that is gone.',
      right: 'Shortening a result moves no message: what a compaction keeps stays where it is.',
      tests: inFile(at.compactionCases, 'edits before a compaction > leave the kept messages where they are'),
    },
    {
      id: 'P-01',
      wrong: 'A summary takes the call and leaves its result; from then on every request is refused.',
      right: 'A cut never parts them, and a plan that would is not carried out.',
      tests: [
        ...both('one'),
        ...inFile(
          at.planCheck,
          'a plan that parts a call from its result is told of with VARVE_PLAN_INVALID, and the next planner is asked',
        ),
      ],
    },
    {
      id: 'P-02',
      wrong: 'One compaction after the other: the call is summed up, its late result comes and stands alone.',
      right: 'A result that comes after two compactions is there to be read, in a valid prompt.',
      tests: inFile(
        at.pairing,
        'a result that comes after two compactions > leaves every prompt valid, and is there to be read',
      ),
    },
    {
      id: 'P-03',
      wrong: 'What is kept ends in a call that was never answered, and the provider refuses it.',
      right: 'Such a call gets a result that says it was interrupted; nothing is written for it.',
      tests: [
        ...both('lost'),
        ...inFile(at.session, 'assemble > answers an open call itself and shows a result without a call as text'),
      ],
    },
    {
      id: 'P-04',
      wrong:
        'A message that holds a result and words of the user is kept for its words, and the result lacks its call.',
      right: 'Words and result are told apart on the way in; the result goes with its call, the words stay the user’s.',
      tests: [
        ...inFile(at.compactionCases, 'a group > may have a user message between call and result'),
        ...inFile(
          at.anthropicTranscripts,
          'messages in the form of Anthropic > are read from a JSON array, results before what the user says with them',
        ),
      ],
    },
    {
      id: 'P-05',
      wrong: 'A compactor meets a pair at its cut and refuses, so that it never compacts.',
      right: 'The cut moves to the border of the group, and the compaction is made.',
      tests: [...both('two'), ...both('crossed')],
    },
    {
      id: 'P-06',
      wrong: 'A cut inside a run of results stops at the answer that made any of the calls; the others are orphans.',
      right: 'Every result is matched with its own call; one without any is shown as text.',
      tests: [...both('crossed'), ...both('between')],
    },
    {
      id: 'P-07',
      wrong: 'Five messages are cut to three, and the first of the three is a result.',
      right: 'The call goes with its result, whatever the size of the session.',
      tests: both('one'),
    },
    {
      id: 'P-08',
      wrong: 'Results of parallel calls in messages of their own: only the message next to the call is looked at.',
      right: 'Groups are made by the ids of calls, however far the results lie apart.',
      tests: both('two'),
    },
    {
      id: 'P-09',
      wrong: 'A call that never gets its result blocks every later compaction; or a running one is summed up.',
      right: 'A dead call is covered like anything else; one that still runs stays, with what it was asked for.',
      tests: inFile(
        at.pairing,
        'a call whose result never comes > does not keep a session from being compacted, again and again',
        'a call whose result never comes > stays open while it runs: a compaction covers neither it nor what it was asked for',
      ),
    },
    {
      id: 'P-10',
      wrong: 'The request for a summary is itself cut between a call and its result.',
      right: 'A summariser gets a transcript as text: there is no pair that could be parted, however often it is cut.',
      tests: inFile(
        at.summarisers,
        'a summariser that takes less than anybody knew > reads all of a history in requests that every provider takes, without calls and results: nothing of note stays in view',
        'a summariser that takes less than anybody knew > reads all of a history in requests that every provider takes, without calls and results: much stays in view',
      ),
    },
    {
      id: 'P-25',
      wrong: 'Results of the running turn are left out before the model has read them, so it calls again and again.',
      right:
        'What the model has not read stays; if it alone is too large, head and tail of it do, or an error says so.',
      tests: [
        ...inFile(at.pruning, 'ttlPruning > leaves the running turn, read or not'),
        ...inFile(
          at.windowCut,
          'what the model has not read is shortened, not left out, though no user asked for it',
          'what the model has not read is shortened, not left out, when the user went on',
        ),
      ],
    },
    {
      id: 'P-67',
      wrong: 'Call and result are deleted without a trace, and the model runs the tool again.',
      right: 'What is left of a result says how long it was and where the whole is.',
      tests: [
        ...inFile(
          at.pruning,
          'ttlPruning > keeps head and tail with a note of what is between them, how long it was, and where',
        ),
        ...inFile(at.compaction, 'what stays > is masked with a note of its size and where the whole is'),
      ],
    },
    {
      id: 'T-03',
      wrong: 'An id of a call is used again later, and a result goes to the wrong call.',
      right: 'Ids are matched in order, and never across a later call of the same id.',
      tests: inFile(at.thread, 'results and calls with an id that is used again'),
    },
    {
      id: 'T-04',
      wrong: 'Parallel results come as separate messages.',
      right: 'They are one group with their answer.',
      tests: both('two'),
    },
    {
      id: 'T-05',
      wrong: 'A call is never answered.',
      right: 'It is closed in prompts alone, and keeps nothing from going on.',
      tests: both('lost'),
    },
    {
      id: 'T-06',
      wrong: 'One message of the user holds text and results.',
      right: 'Results stand first, right behind their calls; the text follows as the user’s.',
      tests: [
        ...inFile(at.anthropic, 'a body > puts results before the text of the user who speaks after them'),
        ...inFile(
          at.anthropicTranscripts,
          'messages in the form of Anthropic > are read from one message a line, results before what the user says with them',
        ),
      ],
    },
  ],
};
