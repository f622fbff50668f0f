import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const faults = (...moods: readonly string[]) =>
  inFile(
    at.compactionFaults,
    ...moods.flatMap((mood) =>
      [1, 2].map((count) => `a summariser that > '${mood}' does not spoil a compaction, with ${count} to ask`),
    ),
  );
const forty = 'an instruction that was given before forty turns of 500 tokens';

/** Models that sum up, and what becomes of what they write. */
export const summarisers: CaseFamily = {
  title: 'Summaries and those who write them',
  rows: [
    {
      id: 'R-01',
      wrong: 'What the first compaction kept is neither kept nor summed up by the second.',
      right: 'The second begins where the first left off: covered and kept are all that was said.',
      tests: inFile(
        at.compactionCases,
        'a second compaction > begins where the first one left off: what that one kept is covered, not lost',
      ),
    },
    {
      id: 'R-05',
      wrong: 'A summary leaves out an identifier, every time it is asked for; it is taken as it is, or never.',
      right: 'It is taken, with what is missing added word for word, and says so.',
      tests: [
        ...inFile(at.compactionFaults, 'a summariser that > drops what must be there has it added, word for word'),
        ...faults('drops identifiers'),
      ],
    },
    {
      id: 'R-07',
      wrong: 'A limit on turns cuts from the front, and the summary is the first to go.',
      right: 'The summary stands in front of whatever turns are left.',
      tests: inFile(
        at.pairing,
        'a limit on the number of turns > leaves the summary where it is, in front of the turns that it allows',
      ),
    },
    {
      id: 'P-20',
      wrong: 'Rules of a file are in the summary, if at all, and lose to its next step.',
      right: 'Rules are a layer of their own, above the summary, read from their source for every prompt.',
      tests: [
        ...inFile(
          at.summarisers,
          'rules that come from a source > stand above the summary as the source has them now, after every compaction',
        ),
        ...inFile('packages/core/test/compact.test.ts', 'keeps system messages in every prompt, whatever is compacted'),
      ],
    },
    {
      id: 'P-21',
      wrong: 'A summary lists what is done as the next step, and it is done again.',
      right: 'A step that the prose or what follows calls done is taken out of what is left to do.',
      tests: [
        ...inFile(
          at.compactionReview,
          'a next step > is judged by what follows: the agent says that it is done',
          'a next step > is not what the summary itself says is done',
        ),
        ...faults('repeats what is done'),
      ],
    },
    {
      id: 'P-22',
      wrong: 'The rules of a workflow are told again in other words.',
      right: 'What the user said stands in the user’s own words, from compaction to compaction.',
      tests: inFile(at.compactionCases, 'a second compaction > carries the user’s words of the first on'),
    },
    {
      id: 'P-23',
      wrong: 'Made-up messages of the user, “go on” or “what did we do”, are answered like real ones.',
      right: 'Core makes none; what others put in the user’s place has its origin with it and is no line of the user.',
      tests: [
        ...inFile(
          at.provenance,
          'what stands in the user’s place with provenance system-event > names no turn, and is no line of the user',
          'what stands in the user’s place with provenance plugin > names no turn, and is no line of the user',
        ),
        ...inFile(
          at.loops,
          'what is said about compactions > never enters the conversation: neither the request for prose nor a failure',
        ),
      ],
    },
    {
      id: 'P-24',
      wrong: 'Only the end of what is left out is summed up; an early “never” is lost.',
      right: 'All of it is read, in as many calls as it takes; the user’s words do not depend on that.',
      tests: [
        ...inFile(
          at.summarisers,
          `${forty} > is in the prompt after a compaction, and so is where the work stands: without a model`,
          `${forty} > is in the prompt after a compaction, and so is where the work stands: with a model that reads 4,000 tokens`,
        ),
        ...inFile(
          at.compactionReview,
          'whatever is said, and however little a model can read > all of it is read, within four fifths of the window',
        ),
      ],
    },
    {
      id: 'P-26',
      wrong: 'The summariser is overloaded, and its error text takes the place of the history.',
      right: 'The digest needs no model; the error is told in health and stands in no prompt.',
      tests: [
        ...inFile(
          at.summarisers,
          'a summariser that is overloaded > costs none of sixty messages, and its error is in no prompt',
        ),
        ...faults('is limited', 'is overloaded', 'throws'),
      ],
    },
    {
      id: 'P-27',
      wrong: 'Without a message of the user in what is left out, a placeholder takes its place.',
      right: 'It is read and summed up like any other.',
      tests: inFile(at.summarisers, 'a history in which no user speaks > is read and summed up like any other'),
    },
    {
      id: 'P-28',
      wrong: 'A “$&” in what was said rewrites the request for the summary.',
      right: 'Texts are joined, never used as a pattern of a replacement.',
      tests: inFile(
        at.summarisers,
        'text that means something to a replacement > reaches summariser, digest and prompt as it was said',
      ),
    },
    {
      id: 'P-29',
      wrong: 'The request for a summary is larger than the window of who writes it, and fails like the chat did.',
      right: 'It is folded within the window, and halved for a model that takes less than anybody knew.',
      tests: [
        ...inFile(
          at.compactionProse,
          'a conversation that does not fit into one call > is folded whole, within four fifths of the window, with the summary of before in one call',
          'a conversation that does not fit into one call > is halved as often as the model finds it too long',
        ),
        ...inFile(
          at.summarisers,
          'a summariser that takes less than anybody knew > reads all of a history in requests that every provider takes, without calls and results: much stays in view',
        ),
      ],
    },
    {
      id: 'P-30',
      wrong: 'The summariser is late, and what should stand in for it is refused, too.',
      right: 'The last rung is core’s own digest, which needs nobody and always comes to an end.',
      tests: [
        ...inFile(
          at.compactionBackground,
          'a compaction in the background > ends at the deadline of the hook with the digest alone, when the model never answers',
        ),
        ...faults('never returns', 'always overflows'),
      ],
    },
    {
      id: 'P-31',
      wrong: 'The bound of the answer is used up by thinking, and the summary is empty.',
      right: 'An answer of thinking alone is none: the next model is asked, else the digest stands.',
      tests: faults('thinks alone'),
    },
    {
      id: 'P-32',
      wrong: 'A summary that was cut by its length, or is empty, is kept.',
      right: 'Neither is taken.',
      tests: faults('is cut by length', 'is empty', 'is whitespace'),
    },
    {
      id: 'P-33',
      wrong: 'The provider’s own compaction gives nothing, and is asked for again every turn.',
      right: 'It is a first rung at most, with the digest below it.',
      tests: [],
      later: 'no strategy uses a provider’s own compaction yet',
    },
    {
      id: 'P-34',
      wrong: 'What a person wants a summary to be about is ignored where the cut falls inside a turn.',
      right: 'It is told in every request for prose, the beginning of a turn included.',
      tests: [
        ...inFile(
          at.summarisers,
          'what a person wants a summary to be about > is told for the beginning of a turn that goes on, too',
        ),
        ...inFile(
          at.compactionProse,
          'what the model reads > has the focus as the user’s wish, on one line and outside of the transcript',
        ),
      ],
    },
    {
      id: 'P-35',
      wrong: 'A reply that is no text: messages are gone, and no summary is there.',
      right: 'The digest is there before any model is asked, and nothing is ever gone.',
      tests: faults('answers with no message', 'calls a tool', 'rejects with nothing'),
    },
    {
      id: 'P-59',
      wrong: 'A stored summary is taken for stale at every save, and written anew each turn.',
      right: 'A compaction is an entry like others: after a restart it holds, and nobody is asked again.',
      tests: inFile(
        at.summarisers,
        'a summary that was written once > is not written again after a restart, however often',
      ),
    },
    {
      id: 'P-62',
      wrong: 'Repeated compactions begin behind the last one, not behind what it covered.',
      right: 'A range begins at the first message that is still whole.',
      tests: inFile(
        at.compactionCases,
        'a second compaction > begins where the first one left off: what that one kept is covered, not lost',
      ),
    },
    {
      id: 'P-63',
      wrong: 'A summary has the user agree to what nobody asked, and later ones quote it.',
      right: 'A line that quotes the user must be in what the user said; else it is taken out.',
      tests: [
        ...inFile(
          at.compactionFaults,
          'a summariser that > puts words into the user’s mouth has those lines taken out, and keeps what the user said',
        ),
        ...inFile(at.compactionReview, 'a line that quotes the user'),
        ...faults('invents a wish'),
      ],
    },
    {
      id: 'T-01',
      wrong: 'Text holds what means something to a replacement.',
      right: 'It stays what it is.',
      tests: inFile(
        at.summarisers,
        'text that means something to a replacement > reaches summariser, digest and prompt as it was said',
      ),
    },
    {
      id: 'T-23',
      wrong: 'A summary is longer than what it sums up.',
      right: 'It is refused, and so is a compaction that makes a prompt larger.',
      tests: faults('is longer than the source', 'is too long once'),
    },
    {
      id: 'T-24',
      wrong: 'A summary is nothing but thinking.',
      right: 'It is none.',
      tests: faults('thinks alone'),
    },
    {
      id: 'T-25',
      wrong: 'A summary quotes a user who never spoke.',
      right: 'The line goes, the rest stays.',
      tests: inFile(
        at.compactionFaults,
        'a summariser that > puts words into the user’s mouth has those lines taken out, and keeps what the user said',
      ),
    },
    {
      id: 'T-26',
      wrong: 'The output of a tool gives orders to the summariser, or forges its frame.',
      right: 'It is read as data, line by line behind a mark, and can neither name a speaker nor end the transcript.',
      tests: [
        ...inFile(
          at.compactionProse,
          'what the model reads > is data: nothing in it can name a speaker, open a section or end the transcript',
        ),
        ...faults('gives orders', 'forges headings and roles'),
      ],
    },
  ],
};
