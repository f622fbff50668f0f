import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

/** What is counted, and what is believed of what others count. */
export const counts: CaseFamily = {
  title: 'Counts and windows',
  rows: [
    {
      id: 'R-02',
      wrong: 'The usage of a kept answer is from before the compaction, and makes another one at once.',
      right: 'What was reported before the last compaction counts for nothing after it.',
      tests: inFile(
        at.calibration,
        'R-02: a report that is older than the last compaction triggers none',
        'a report says nothing > that came before a compaction: all begins anew with it',
      ),
    },
    {
      id: 'R-12',
      wrong: 'Two formulas with reserves of their own: a prompt is compacted before anything says that it fills up.',
      right: 'All marks come from one budget, and soft is below hard for every window and reserve.',
      tests: inFile(
        at.budget,
        'resolveBudget > R-12: tells that a prompt grows full before a compaction is due, however large the reserve is',
      ),
    },
    {
      id: 'R-12-flush',
      wrong: 'Notes are to be saved before a compaction, and their mark lies above that of the compaction.',
      right: 'Saving notes is a part of the compaction, so that no mark can come too late.',
      tests: inFile(
        at.flushOrder,
        'the order > R-12: saves first and compacts then, in a window of 272k with 62.5k reserved that grows to 215k',
        'the order > of a flush and its compaction is the same in every window, whatever the steps',
        'the order > holds for a message that jumps over the soft limit: the flush begins before the compaction, and is not waited for',
      ),
    },
    {
      id: 'R-25',
      wrong: 'The model changes, and its window is that of the one before.',
      right: 'The window is that of the model that is asked, every time.',
      tests: inFile(
        at.modelBudget,
        'the window of a prompt > R-25: is that of the model that is asked, whatever was asked before',
      ),
    },
    {
      id: 'R-26',
      wrong: 'A thousand Chinese characters are taken for 250 tokens.',
      right: 'They are 700 to 1,300, and come to what the provider bills.',
      tests: [
        ...inFile(
          'packages/core/test/token-estimator.test.ts',
          'estimateTokens > counts a thousand Han characters as 700 to 1,300',
        ),
        ...inFile(
          at.calibration,
          'what a provider reports > R-26: of 1,000 Han characters comes to what their provider bills',
        ),
      ],
    },
    {
      id: 'R-26b',
      wrong: 'A message with an image costs nothing.',
      right: 'It costs what the provider bills for its size, and that of a large image where no size is known.',
      tests: [
        ...inFile(at.images, 'the size of an image is read from', 'an image costs by'),
        ...inFile(
          at.modelBudget,
          'images count by the formula of the model that is asked, in the prompt and in its manifest',
        ),
      ],
    },
    {
      id: 'P-36',
      wrong: 'Usage from before an edit is the anchor of the count after it.',
      right: 'A report counts for the request that it answers, as long as nothing changed between the two.',
      tests: inFile(
        at.calibration,
        'a report says nothing > when a compaction came between the request and its answer',
        'a report says nothing > when an edit was taken back meanwhile; the edits of its own request do not count as such',
      ),
    },
    {
      id: 'P-37',
      wrong: 'A provider reports twice or four times what was sent, and it is believed.',
      right: 'More than the window, or a jump far beyond what was added, says nothing.',
      tests: inFile(
        at.calibration,
        'a report says nothing > when it is above the window',
        'a report says nothing > when it is four times what was counted and more',
        'a report says nothing > when it jumps by far more than was appended',
      ),
    },
    {
      id: 'P-38',
      wrong: 'What came from a cache is counted twice, or left out, and spoils the estimate.',
      right: 'Each provider’s report is read into the same four numbers, which add up to the prompt.',
      tests: [
        ...inFile(
          at.calibration,
          'what a provider reports > makes it larger where it bills less, and counts what came from and went to a cache',
          'a report says nothing > when it leaves out what came from a cache',
        ),
        ...inFile(at.fromChat, 'an answer of the Chat Completions API'),
      ],
    },
    {
      id: 'P-39',
      wrong: 'All tokens that a session ever used decide, not the size of its prompt.',
      right: 'The next prompt decides.',
      tests: inFile(
        at.counts,
        'a session that has used more than a window in all > is not compacted while its prompt is small',
      ),
    },
    {
      id: 'P-40',
      wrong: 'A provider reports nothing, or only fails, and no compaction ever comes.',
      right: 'The estimate decides; a report only corrects it, and within bounds.',
      tests: [
        ...inFile(
          at.counts,
          'a provider that reports nothing > does not keep a session from being compacted in time: the estimate decides',
          'a provider that reports nothing > and fails at every call does not either',
        ),
        ...inFile(at.calibration, 'what a provider reports > is believed up to a bound: half of what was counted'),
      ],
    },
    {
      id: 'P-41',
      wrong: 'A slip sets a tiny threshold, and every turn is compacted.',
      right: 'Numbers have bounds, and an automatic compaction must bring the prompt well below its limit.',
      tests: inFile(
        at.compaction,
        'summaryCompaction > refuses a wrong option: compactAtRatio in { compactAtRatio: 70 }',
        'summaryCompaction > refuses a wrong option: compactAtMessages in { compactAtMessages: 1 }',
        'a compaction is due > once in a while, not every turn: a low ratio',
      ),
    },
    {
      id: 'P-42',
      wrong: 'Base64 counts as text, so a screenshot is half a million tokens; or an image is 85, whatever its size.',
      right: 'An image costs by its sides, and its bytes have a budget of their own.',
      tests: [
        ...inFile(
          at.images,
          'a screenshot of 2.5 MB is no half a million tokens, and a result with an image is not free',
        ),
        ...inFile(
          at.byteBudget,
          'a prompt that is too large in bytes > shows a placeholder for the oldest images, which names the entry, and keeps the newest',
        ),
      ],
    },
    {
      id: 'P-43',
      wrong: 'Images in the last results are taken off before these are counted.',
      right: 'What is in a result costs there what it costs in a message of the user.',
      tests: [
        ...inFile(at.counts, 'base64 > is no text in an image, and is text in a text'),
        ...inFile(
          at.images,
          'a screenshot of 2.5 MB is no half a million tokens, and a result with an image is not free',
        ),
      ],
    },
    {
      id: 'T-08',
      wrong: 'Base64 stands in a text here, in an image there.',
      right: 'In a text it is text, in an image it is none.',
      tests: inFile(at.counts, 'base64 > is no text in an image, and is text in a text'),
    },
    {
      id: 'T-09',
      wrong: 'A report is larger than the window.',
      right: 'It is not believed.',
      tests: inFile(at.calibration, 'a report says nothing > when it is above the window'),
    },
    {
      id: 'T-10',
      wrong: 'A report is older than the last edit.',
      right: 'It counts for nothing.',
      tests: inFile(
        at.calibration,
        'a report says nothing > when an edit was taken back meanwhile; the edits of its own request do not count as such',
        'a report says nothing > that came before a compaction: all begins anew with it',
      ),
    },
    {
      id: 'T-11',
      wrong: 'There is no report at all.',
      right: 'The estimate stands.',
      tests: inFile(
        at.counts,
        'a provider that reports nothing > does not keep a session from being compacted in time: the estimate decides',
      ),
    },
  ],
};
