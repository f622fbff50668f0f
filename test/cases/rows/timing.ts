import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const repeats =
  'a pruned conversation > repeats a request in the next one, unless the cache has expired or there was no room left';

/** When things happen, what happens meanwhile, and what a crash leaves. */
export const timing: CaseFamily = {
  title: 'Timing, caches and crashes',
  rows: [
    {
      id: 'R-06',
      wrong: 'A summary takes five seconds; what comes meanwhile waits or is lost.',
      right: 'It is stored at once, and the compaction is committed around it.',
      tests: [
        ...inFile(
          at.compactionBackground,
          'a compaction in the background > keeps nobody from speaking: what arrives is durable at once, and stands behind what is committed',
        ),
        ...inFile(
          at.turnBackground,
          'a background compaction keeps no turn waiting: twenty run meanwhile, and it commits on top of them',
        ),
      ],
    },
    {
      id: 'R-09',
      wrong: 'A session is never idle, so its old results are never pruned.',
      right: 'Under pressure they are, before anything else has to go.',
      tests: inFile(at.pruningCases, 'a session that is never idle'),
    },
    {
      id: 'R-10',
      wrong: 'A request is pruned and the next one is whole again: both miss the cache.',
      right: 'What was pruned stays pruned, byte for byte.',
      tests: inFile(at.pruningCases, 'the request after a pruned one'),
    },
    {
      id: 'R-11',
      wrong: 'Results with images stay, says the manual; the code replaces them.',
      right: 'One option says which, and tests hold both.',
      tests: inFile(at.pruningCases, 'a result with an image'),
    },
    {
      id: 'R-16',
      wrong: 'A message has no answer when the process dies; it is gone after the restart, or there twice.',
      right: 'It stands once in every prompt, next to what was said after the restart.',
      tests: inFile(
        at.compactionCases,
        'messages that no model has answered > stand once each in every prompt, across a restart',
      ),
    },
    {
      id: 'R-16b',
      wrong: 'The process dies before the first answer, and there is no file.',
      right: 'The message is on the disk before the model is called.',
      tests: [
        ...inFile(
          at.timing,
          'the first message of a session > is on the disk before the model is called, for whoever comes after a crash',
        ),
        ...inFile(
          at.turn,
          'turns > answer in a new process what was stored before the old one died, and run no tool again',
        ),
      ],
    },
    {
      id: 'R-17',
      wrong: 'Messages are taken in during a turn, and again after it.',
      right: 'The host’s own id is known: nothing is stored, told or answered twice.',
      tests: inFile(
        at.timing,
        'a message that is delivered twice > is stored once and told to an engine once, whether in a turn or after it',
      ),
    },
    {
      id: 'R-18',
      wrong: 'The engine’s prompt has the live message, and the host adds it once more.',
      right: 'It is in the draft that an engine is given, and nobody adds anything.',
      tests: inFile(
        at.timing,
        'the live message > is in each request of a turn once, though the engine has it in its draft',
      ),
    },
    {
      id: 'R-19',
      wrong: 'In some steps of a long turn the user’s message is missing.',
      right: 'It is in every request, once, whatever plugins do.',
      tests: inFile(
        at.timing,
        'the live message > is in every request of fifty tools, whatever plugins do to the rest',
      ),
    },
    {
      id: 'P-48',
      wrong: 'Lists and prunes that change with every turn break the cache each time.',
      right: 'Between two rebuilds a prompt only grows at its end; what changes stands behind the last mark.',
      tests: [
        ...inFile(at.pruningLaws, repeats),
        ...inFile(
          at.session,
          'assemble > shows state slots last, behind the stable part',
          'assemble > cuts at the same place over many requests, so that the prefix stays',
        ),
      ],
    },
    {
      id: 'P-49',
      wrong: 'Every sixteen messages the front of the prompt is rewritten at the price of a write.',
      right: 'A cut leaves room, so that the same front serves many requests.',
      tests: inFile(at.session, 'assemble > cuts at the same place over many requests, so that the prefix stays'),
    },
    {
      id: 'P-51',
      wrong: 'Results are pruned two calls after the cache was written.',
      right: 'They are pruned when the cache has expired by itself.',
      tests: inFile(at.pruning, 'ttlPruning > waits for the cache to expire'),
    },
    {
      id: 'P-52',
      wrong: 'Each step of a tool loop clears one more result, and rewrites what follows.',
      right: 'All that can be pruned is pruned at once, and then left alone.',
      tests: inFile(at.pruningLaws, repeats),
    },
    {
      id: 'P-54',
      wrong: 'The limit is looked at when a turn begins; thirty tools later the window is full.',
      right: 'It is looked at before every call of the model.',
      tests: inFile(
        at.turnOverflow,
        'a compaction that is due > is made before any call of the model, also in the middle of a tool loop',
      ),
    },
    {
      id: 'P-55',
      wrong: 'A compaction between a result and the next call ends the turn.',
      right: 'The turn goes on, with its pairs closed and no tool run twice.',
      tests: inFile(
        at.turnOverflow,
        'a prompt that is too long for the model > is compacted in the middle of a tool loop, and no tool runs twice',
        'a compaction that is due > is made before any call of the model, also in the middle of a tool loop',
      ),
    },
    {
      id: 'P-56',
      wrong: 'Two compactions race, or one comes back after the conversation has moved on.',
      right: 'One is committed; the other is stale, and changes nothing.',
      tests: [
        ...inFile(
          at.compactionBackground,
          'a compaction in the background > is stale when another one was committed first, and that one waits for no model',
        ),
        ...inFile(
          at.sessionJournal,
          'what happens at the same time > lets one of two compactions win, and tells the other',
        ),
      ],
    },
    {
      id: 'P-57',
      wrong: 'Two writers read, change and write back; the slower one undoes the faster.',
      right: 'Entries are appended behind the last one that is known, or not at all; a file has one writer.',
      tests: [
        ...inFile(
          at.sessionJournal,
          'appending > tries again behind what another host has appended meanwhile, and loses nothing',
        ),
        ...inFile(at.storeLock, 'the lock of a journal > keeps a second store out and names the first'),
        ...inFile(at.storeFailure, 'a foreign writer > who appended entries is followed'),
      ],
    },
    {
      id: 'P-60',
      wrong: 'Copies of a message are told apart by what they say: “ping” twice is one, a redacted copy is two.',
      right: 'A message is known by the id that its host gave it, and by nothing else.',
      tests: [
        ...inFile(at.session, 'ingest > appends nothing for a known key and returns the first entry'),
        ...inFile(
          at.timing,
          'a message that is delivered twice > is stored once and told to an engine once, whether in a turn or after it',
        ),
      ],
    },
    {
      id: 'P-61',
      wrong: 'Entries are ordered by time; those of one millisecond vanish.',
      right: 'Entries are ordered by their number.',
      tests: inFile(at.timing, 'messages of one millisecond > are all there after a compaction, each covered or kept'),
    },
    {
      id: 'T-02',
      wrong: 'Entries have the same time.',
      right: 'Their order does not come from it.',
      tests: inFile(at.timing, 'messages of one millisecond > are all there after a compaction, each covered or kept'),
    },
    {
      id: 'T-20',
      wrong: 'A plan was made before the conversation went another way.',
      right: 'It is stale.',
      tests: [
        ...inFile(at.compactionBackground, 'a compaction in the background > is stale when the head has moved'),
        ...inFile(at.planCheck, 'a plan that was made before the head moved, or for another session, is stale'),
      ],
    },
    {
      id: 'T-21',
      wrong: 'Two hosts commit at once.',
      right: 'One does; the other is told that it came second, and nothing is lost.',
      tests: inFile(
        at.timing,
        'two hosts that compact one session > commit once: the other one is told that it came second, and nothing is lost',
      ),
    },
    {
      id: 'T-22',
      wrong: 'A crash comes between plan and commit.',
      right: 'A plan changes nothing, and can be carried out by the next process.',
      tests: inFile(
        at.timing,
        'a plan whose process dies > has changed nothing, and can be carried out by the next process',
      ),
    },
    {
      id: 'T-30',
      wrong: 'A model with a smaller window takes over in the middle of a turn.',
      right: 'Its prompt fits, with what was asked and closed pairs.',
      tests: inFile(
        at.timing,
        'a model with a smaller window > takes over in the middle of a turn: it reads what was asked, and no call is made twice',
      ),
    },
    {
      id: 'T-31',
      wrong: 'A session goes on after its cache has expired, in a new process that does not know.',
      right: 'The journal knows when the last request was made.',
      tests: inFile(
        at.pruning,
        'ttlPruning > counts from the last request, across a restart, and not from a clock that was set back',
      ),
    },
    ...waiting(),
  ],
};

/** What needs a part that is not there yet. */
function waiting(): CaseFamily['rows'] {
  return [
    {
      id: 'P-50',
      wrong: 'A fixed number says how much a prune must free, whatever a cache costs.',
      right: 'Prices and the life of the cache say when a prune pays.',
      tests: inFile(
        at.pruningByCost,
        'the size of a batch that pays > is what a steady conversation is pruned by while its cache is warm',
        'mode auto with a warm cache > waits for a cold call where these are frequent',
        'mode auto with a cold cache > prunes what pays when the cache has just expired, and nothing before',
      ),
    },
    {
      id: 'P-58',
      wrong: 'A session is taken for idle while its own job still runs.',
      right: 'Idle means that nothing runs, not that nobody speaks.',
      tests: inFile(
        at.hibernation,
        'conversations that are awake > stay awake while a turn runs, however little room there is and however long it takes',
        'conversations that are awake > stay awake while a compaction runs that nobody waits for',
      ),
    },
    {
      id: 'T-27',
      wrong: 'What was just fetched back is pruned again.',
      right: 'What was fetched back stays.',
      tests: [
        ...inFile(
          at.recoveredResult,
          'the result of a tool that recovers > T-27: stays whole in what a compaction keeps, also without the plugin, while others are masked',
        ),
        ...inFile(at.pruningCases, 'what was fetched back'),
        ...inFile(at.compactionCases, 'what was fetched back'),
      ],
    },
    {
      id: 'T-28',
      wrong: 'A job is pending when a session becomes idle.',
      right: 'It is not idle.',
      tests: inFile(
        at.hibernation,
        'conversations that are awake > stay awake while a turn runs, however little room there is and however long it takes',
        'conversations that are awake > stay awake while a compaction runs that nobody waits for',
      ),
    },
  ];
}
