import type { HeldResult } from './held-summariser.ts';
import type { FaultResult } from './run-fault.ts';
import type { OverflowResult } from './run-overflow.ts';
import type { SessionResult } from './run-session.ts';
import type { JobResult } from './session-jobs.ts';
import type { Share } from './watch-prompts.ts';

/** Share of identifiers that must stand in the prompts that ask for them. */
const leastIdentifiers = 0.9;

/** Why a result is not good enough; nothing when it is. A sliding window is there to be compared with, not to be good. */
export function shortcomings({ kind, result }: JobResult): readonly string[] {
  switch (kind) {
    case 'session':
      return result.strategy === 'sliding' ? formFaults(result) : [...formFaults(result), ...lossesOf(result)];
    case 'fault': {
      const isFaulty = result.asked > 0 && result.compactions > 0;
      const ended = result.answered < result.turns ? [`${result.answered} of ${result.turns} turns answered`] : [];
      const injected = result.injections > 0 ? [`${result.injections} prompts with forged lines`] : [];
      return [...formFaults(result), ...lossesOf(result), ...ended, ...injected, ...(isFaulty ? [] : ['never asked'])];
    }
    case 'held': {
      const isFast = result.ingested === 20 && result.answered === 20;
      const expected = result.further === 'light' ? 'compacted' : 'stale';
      const ended = result.outcome === expected ? [] : [`ended ${result.outcome} instead of ${expected}`];
      return [...formFaults(result), ...(isFast ? [] : ['it had to wait']), ...ended];
    }
    case 'overflow': {
      const { effects, status, isWhole, recovered, malformed } = result;
      const isGood = effects === 1 && status === 'answered' && isWhole && recovered > 0 && malformed.length === 0;
      return isGood ? [] : [JSON.stringify(result)];
    }
  }
}

function formFaults(
  result: Pick<SessionResult, 'prompts' | 'errors' | 'journalFaults'> & { reopened?: boolean },
): readonly string[] {
  const { prompts, errors, journalFaults, reopened = true } = result;
  return [
    ...prompts.malformed,
    ...errors,
    ...journalFaults,
    ...(reopened ? [] : ['it did not go on when opened again']),
  ];
}

function lossesOf({ prompts }: Pick<SessionResult, 'prompts'>): readonly string[] {
  const { rules, corrections, identifiers, missing } = prompts;
  const isGood =
    rules.shown === rules.of &&
    corrections.shown === corrections.of &&
    identifiers.shown >= leastIdentifiers * identifiers.of;
  return isGood ? [] : missing.slice(0, 3);
}

/** All results as tables. */
export function formatResults(results: readonly JobResult[]): string {
  const of = <Kind extends JobResult['kind']>(kind: Kind): readonly Extract<JobResult, { kind: Kind }>[] =>
    results.filter((one): one is Extract<JobResult, { kind: Kind }> => one.kind === kind);
  return [
    table(
      sessionHead,
      of('session').map(({ result, seconds }) => sessionRow(result, seconds)),
    ),
    table(
      faultHead,
      of('fault').map(({ result }) => faultRow(result)),
    ),
    table(
      heldHead,
      of('held').map(({ result }) => heldRow(result)),
    ),
    table(
      overflowHead,
      of('overflow').map(({ result }) => overflowRow(result)),
    ),
  ]
    .filter((one) => one !== '')
    .join('\n\n');
}

const sessionHead = [
  'api',
  'strategy',
  'seed',
  'turns',
  'requests',
  'refused',
  'overflows',
  'recovered',
  'thrown',
  'compactions',
  'prunes',
  'tokens in',
  'cache reads',
  'cost',
  'cost unpruned',
  'rules',
  'corrections',
  'identifiers',
  'journal',
  's',
] as const;

function sessionRow(result: SessionResult, seconds: number): readonly string[] {
  const { api, strategy, seed, turns, prompts, bill, whole, compactions, prunes } = result;
  return [
    api,
    strategy,
    `${seed}`,
    `${turns}`,
    `${bill.calls + prompts.overflows}`,
    `${prompts.malformed.length}`,
    `${prompts.overflows}`,
    `${result.overflowsRecovered}`,
    `${result.errors.length}`,
    `${compactions}`,
    `${prunes}`,
    thousands(bill.tokensIn),
    thousands(bill.cacheReads),
    thousands(bill.cost),
    thousands(whole.cost),
    percent(prompts.rules),
    percent(prompts.corrections),
    `${prompts.identifiers.shown}/${prompts.identifiers.of}`,
    result.journalFaults.length === 0 ? 'whole' : 'BROKEN',
    `${seconds}`,
  ];
}

const faultHead = [
  'fault of the summariser',
  'second model',
  'api',
  'turns',
  'answered',
  'asked',
  'rules',
  'corrections',
  'identifiers',
  'saved by',
] as const;

function faultRow(result: FaultResult): readonly string[] {
  const { fault, hasSecond, api, turns, answered, asked, prompts, rungs } = result;
  const saved = Object.entries(rungs).map(([rung, count]) => `${rung} ${count}`);
  const { identifiers } = prompts;
  return [
    fault,
    hasSecond ? 'well' : 'the same fault',
    api,
    `${turns}`,
    `${answered}`,
    `${asked}`,
    percent(prompts.rules),
    percent(prompts.corrections),
    `${identifiers.shown}/${identifiers.of}`,
    saved.join(', '),
  ];
}

const heldHead = ['held summariser, 20 turns', 'api', 'answered', 'ingested', 'slowest ms', 'then', 'journal'] as const;

function heldRow({ further, api, answered, ingested, slowest, outcome, journalFaults }: HeldResult): readonly string[] {
  return [
    further,
    api,
    `${answered}`,
    `${ingested}`,
    `${slowest}`,
    outcome,
    journalFaults.length === 0 ? 'whole' : 'BROKEN',
  ];
}

const overflowHead = ['overflow', 'api', 'true', 'status', 'tool ran', 'refused', 'recovered'] as const;

function overflowRow({ place, api, told, status, effects, refused, recovered }: OverflowResult): readonly string[] {
  return [place, api, told ? 'no' : 'yes', status, `${effects}`, `${refused}`, `${recovered}`];
}

function percent({ shown, of }: Share): string {
  return of === 0 ? '–' : `${((100 * shown) / of).toFixed(1)} %`;
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
