import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const signed = 'signed thinking in a loop of tools';

/** Reasoning of models, and what providers want back of it. */
export const thinking: CaseFamily = {
  title: 'Thinking',
  rows: [
    {
      id: 'P-44',
      wrong: 'Pruning, or another model, changes the newest answer; its thinking no longer fits its signature.',
      right: 'The newest answer goes back byte for byte, whatever is done to the rest; what is unsigned never does.',
      tests: [
        ...inFile(
          at.thinking,
          `${signed} > goes back byte for byte, with all of its answer, however often the rest is pruned and compacted`,
          `${signed} > never goes back empty or unsigned, also where it is the newest`,
        ),
        ...inFile(
          at.fromAnthropic,
          'what goes back of an answer > is byte for byte what came, also blocks of types that are not known',
        ),
        ...inFile(at.anthropicTools, 'the wish for thinking > is left out when a run of tools began without it'),
      ],
    },
    {
      id: 'P-45',
      wrong: 'Kept thinking is bound to what stood before it; after a compaction every request is refused.',
      right: 'Signatures that no longer fit are given up once, with the compaction.',
      tests: [],
      later: 'giving signatures up with a compaction, for providers that bind them to what stands before',
    },
    {
      id: 'P-46',
      wrong: 'Thinking of one provider is sent to the next as plain text, and turns up in answers.',
      right: 'It goes back to who gave it, or to nobody.',
      tests: inFile(at.thinking, 'thinking of another provider > is said to nobody as text, whoever is asked next'),
    },
    {
      id: 'P-47',
      wrong: 'An item of reasoning is sent twice, and refused for its id.',
      right: 'An item is sent once, with what came of it, or without its id.',
      tests: [
        ...inFile(
          at.thinking,
          'an item of reasoning > is sent once, although its id comes again and a compaction lies between',
        ),
        ...inFile(
          at.toResponses,
          'what the model said > goes back without reasoning that nothing came of, and without items that were sent already',
        ),
      ],
    },
    {
      id: 'T-07',
      wrong: 'The newest answer has thinking that is empty and unsigned.',
      right: 'It is not sent; the rest of the answer is.',
      tests: [
        ...inFile(at.thinking, `${signed} > never goes back empty or unsigned, also where it is the newest`),
        ...inFile(
          at.anthropic,
          'reasoning > is dropped when it is unsigned',
          'reasoning > is dropped when it is signed with nothing',
        ),
      ],
    },
  ],
};
