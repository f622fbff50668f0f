import { type CaseFamily, inFile } from '../case-row.ts';
import { testFiles as at } from '../test-files.ts';

const dueNotBelow = 'a strategy that says that nothing is to be done';

/** Compactions that do not end, or begin for nothing. */
export const loops: CaseFamily = {
  title: 'Loops, and limits that cannot be kept',
  rows: [
    {
      id: 'R-03',
      wrong: 'The last result alone is larger than what may stay: the cut is at 0, and every attempt fails.',
      right: 'What is before it is summed up, and it is shown by head, tail and a pointer to the whole.',
      tests: inFile(
        at.compactionCases,
        'a giant result > at the end does not keep what is before it from being summarised',
        'a giant result > that does not fit keeps head, tail and a pointer',
      ),
    },
    {
      id: 'R-04',
      wrong: 'There is nothing to sum up, and an empty summary takes the place of the history.',
      right: 'The outcome is that there is nothing to do, and the journal stays as it is.',
      tests: inFile(at.compactionCases, 'a compaction with nothing to cover'),
    },
    {
      id: 'R-20',
      wrong: 'A prompt is too long, the engine says that it is below its threshold, and the turn is over.',
      right: 'Core makes room itself; where nothing helps, a typed error names what is too large.',
      tests: inFile(
        at.loops,
        `${dueNotBelow} > does not end a turn that is too long for the model: core makes room (nothing-to-do)`,
        `${dueNotBelow} > does not end a turn that is too long for the model: core makes room (irreducible)`,
        `${dueNotBelow} > ends one that cannot be made shorter with an error that names what is too long`,
      ),
    },
    {
      id: 'R-31',
      wrong: 'In a window of 16k the usual reserves leave nothing, and every turn is compacted.',
      right: 'A reserve is at most a share of the window; a small window works like a large one.',
      tests: [
        ...inFile(at.modelBudget, 'R-31: a window of 16k is not compacted on each turn'),
        ...inFile(
          at.budget,
          'resolveBudget > R-31: keeps at most a quarter of a small window as a distance, and still leaves a prompt of a useful size',
        ),
      ],
    },
    {
      id: 'P-11',
      wrong: 'A summary does not bring the prompt below its limit: compact, go on, compact, for ever.',
      right: 'Three failures in a row, or two compactions that free little, end it, also across a restart.',
      tests: [
        ...inFile(
          at.breaker,
          'stops asking a strategy that fails again and again, also after a restart, and asks again later',
        ),
        ...inFile(
          at.turnOverflow,
          'a prompt that is too long for the model > is told at once with what cannot be made smaller',
        ),
      ],
    },
    {
      id: 'P-12',
      wrong: 'Window less longest answer less reserve is 0: even “hi” is an overflow.',
      right: 'What a model can answer at most takes nothing from its window beyond the share for the answer.',
      tests: inFile(
        at.loops,
        'limits that leave no room by subtraction > do not make "hi" an overflow: an answer of 32k in a window of 40k',
      ),
    },
    {
      id: 'P-13',
      wrong: 'A compaction that forgets nothing counts as progress and is made again.',
      right: 'An empty plan is a failure with a code, and the prompt stays as it is, byte for byte.',
      tests: [
        ...inFile(at.loops, 'a plan that cannot be carried out > leaves the prompt as it is, byte for byte'),
        ...inFile(
          at.planCheck,
          'a plan that is empty is told of with VARVE_PLUGIN_FAILED, and the next planner is asked',
        ),
      ],
    },
    {
      id: 'P-14',
      wrong: 'Too long an answer was asked for; the refusal is taken for a history that is too long.',
      right: 'The two are told apart by what the provider says; nothing is compacted, and nothing asked again.',
      tests: inFile(at.loops, 'an answer that was asked to be too long'),
    },
    {
      id: 'P-15',
      wrong: 'Each turn frees four per cent, and the next one does it again.',
      right: 'Less than a tenth, twice in a row, is not worth it: the strategy is left alone for a while.',
      tests: inFile(
        at.loops,
        'a strategy that frees a twentieth each time > is not asked any more after the second time, not even by another process',
      ),
    },
    {
      id: 'P-16',
      wrong: 'One turn is too large, and the same warning comes after each of its tools.',
      right: 'It is tried a few times in a turn, then not before the next one.',
      tests: inFile(
        at.loops,
        'a turn whose prompt nothing makes small enough > has it tried a few times, and not after each of its twenty tools; the next turn is free to try',
      ),
    },
    {
      id: 'P-17',
      wrong: 'Overflow, compaction and another try have no bound.',
      right: 'A prompt is asked three times at most, each time smaller.',
      tests: inFile(
        at.turnOverflow,
        'a prompt that is too long for the model > is asked three times at most, whatever is freed',
      ),
    },
    {
      id: 'P-18',
      wrong: 'The request for a summary is stored as a message of the user, and summed up the next time.',
      right: 'Core stores what was said, and nothing that it asked of a model itself.',
      tests: inFile(
        at.loops,
        'what is said about compactions > never enters the conversation: neither the request for prose nor a failure',
      ),
    },
    {
      id: 'P-19',
      wrong: 'Failures of compactions are stored and sent to the model.',
      right: 'A failure is an outcome, an event and a line in health; it is in no prompt.',
      tests: inFile(
        at.loops,
        'what is said about compactions > never enters the conversation: neither the request for prose nor a failure',
      ),
    },
    {
      id: 'T-12',
      wrong: 'The limit that was exceeded is that of the answer.',
      right: 'It is no overflow of the prompt.',
      tests: inFile(
        at.loops,
        'an answer that was asked to be too long > is not taken for a history that is too long: Messages API',
      ),
    },
    {
      id: 'T-13',
      wrong: 'A request is refused for its bytes, not for its tokens.',
      right: 'Bytes have a budget of their own: old images give way to notes, and what is impossible is said.',
      tests: [
        ...inFile(at.byteBudget, 'a prompt that is too large in bytes'),
        ...inFile(
          at.providerErrors,
          'an error of a provider > is understood: anthropic: bytes (https://github.com/anthropics/claude-code/issues/14567)',
        ),
      ],
    },
    {
      id: 'T-14',
      wrong: 'A model’s answer may be as long as its window.',
      right: 'Its prompts have most of the window all the same.',
      tests: inFile(
        at.loops,
        'limits that leave no room by subtraction > do not make "hi" an overflow: an answer as long as the window',
        'limits that leave no room by subtraction > do not make "hi" an overflow: an answer longer than the window',
      ),
    },
    {
      id: 'T-15',
      wrong: 'A reserve is as large as the window, or larger.',
      right: 'Distances are capped; a budget in which nothing fits is refused with the numbers.',
      tests: inFile(
        at.budget,
        'resolveBudget > keeps the marks in order and room for a prompt, for every window of 4k and more, whatever distances are kept',
        'resolveBudget > says that reserved tokens larger than the budget is impossible',
      ),
    },
    {
      id: 'T-16',
      wrong: 'An option that does nothing any more is taken without a word.',
      right: 'An option that does not exist is an error with its name.',
      tests: [
        ...inFile(at.compaction, 'summaryCompaction > refuses a wrong option: Unrecognized key in { keepRecent: 1 }'),
        ...inFile(at.options, 'a budget > is refused when the host is made: a misspelt option'),
      ],
    },
    {
      id: 'T-17',
      wrong: 'A pipeline waits for a trigger that nothing ever fires.',
      right: 'Triggers and hooks are a closed list: an unknown one is refused where it is named.',
      tests: inFile(
        at.options,
        'a session > refuses an unknown trigger, and stores nothing',
        'a session > refuses an unknown trigger of a plan, and stores nothing',
      ),
    },
    {
      id: 'T-18',
      wrong: 'The prompt of a compaction becomes a message.',
      right: 'The journal holds what was said alone.',
      tests: inFile(
        at.loops,
        'what is said about compactions > never enters the conversation: neither the request for prose nor a failure',
      ),
    },
    {
      id: 'T-19',
      wrong: 'A plan without an action is told as progress.',
      right: 'It is no compaction, and counts as a failure of who made it.',
      tests: [
        ...inFile(at.loops, 'a plan that cannot be carried out > leaves the prompt as it is, byte for byte'),
        ...inFile(
          at.breaker,
          'stops asking a strategy that fails again and again, also after a restart, and asks again later',
        ),
      ],
    },
    ...(['P-65', 'T-29'] as const).map((id) => ({
      id,
      wrong: 'Compactions are switched off, and an overflow makes one all the same.',
      right: 'Whoever switches them off gets the overflow as an error.',
      tests: [],
      later: 'no option of a turn forbids compactions; an overflow always makes room',
    })),
  ],
};
