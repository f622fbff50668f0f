import { loadRules } from './oracle/judge-load.ts';
import type { LoadResult } from './run-load.ts';
import type { LoadSample } from './said.ts';

/** Something that must hold. */
export interface LoadCheck {
  readonly what: string;
  /** What is wrong; empty where nothing is. */
  readonly faults: readonly string[];
}

/** Files that a process of Node has open without a conversation, and what its threads take for moments. */
const otherFiles = 64;

/** How much larger the heap may be in the end than when every conversation had been used: noise of collections. */
const mostGrowth = 1.25;

/** What must hold of a run, and whether it does. */
export function checksOf(result: LoadResult): readonly LoadCheck[] {
  const { judgement, failures, samples, options } = result;
  const rules = Object.entries(loadRules).map(([rule, what]) => ({
    what,
    faults: judgement.faults.filter((fault) => fault.rule === rule).map(({ text }) => text),
  }));
  const [, ofSecond = []] = samples;
  const all = samples.flat();
  const mostAwake = Math.max(...all.map(({ awake }) => awake));
  const mostFiles = Math.max(...all.map(({ files }) => files ?? 0));
  const awakeBound = options.maxLive + options.concurrency;
  const filesBound = options.maxLive + 2 * options.concurrency + otherFiles;
  const growth = growthOf(ofSecond);
  return [
    { what: 'every worker does what it is told', faults: failures },
    ...rules,
    {
      what: `at most ${awakeBound} conversations are awake: ${mostAwake}`,
      faults: mostAwake <= awakeBound ? [] : [`${mostAwake} are`],
    },
    {
      what: `at most ${filesBound} files are open: ${mostFiles}`,
      faults: mostFiles <= filesBound ? [] : [`${mostFiles} are`],
    },
    {
      what: `the heap of the second process stays as it is: it ends with ${growth.toFixed(2)} of what it began with`,
      faults: growth <= mostGrowth ? [] : [`it grows to ${growth.toFixed(2)}`],
    },
  ];
}

/** The heap of the last quarter of samples against that of the second, when as many are awake as may be. */
function growthOf(samples: readonly LoadSample[]): number {
  const quarter = Math.floor(samples.length / 4);
  const early = median(samples.slice(quarter, 2 * quarter).map(({ heapBytes }) => heapBytes));
  const late = median(samples.slice(-quarter).map(({ heapBytes }) => heapBytes));
  return late / early;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** The heads of the columns of {@link formatSample}. */
export const sampleHeads = 'process  operations   seconds   heap MB    rss MB     awake   held MB     files';

/** A sample as a line of the table. */
export function formatSample(worker: number, sample: LoadSample): string {
  const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
  const { operations, ms, heapBytes, rssBytes, awake, heldBytes, files } = sample;
  const columns = [
    ...[operations, (ms / 1_000).toFixed(1), megabytes(heapBytes), megabytes(rssBytes)],
    ...[awake, megabytes(heldBytes), files ?? '–'],
  ];
  return `${String(worker).padEnd(9)}${columns.map((column) => String(column).padStart(10)).join('')}`;
}

/** What was done, and what holds. */
export function formatResult(result: LoadResult): string {
  const { judgement, seconds, kept } = result;
  const { journals, messages, unacknowledged, leftLocks } = judgement;
  const checks = checksOf(result).flatMap(({ what, faults }) => [
    `${faults.length === 0 ? 'holds' : 'FAILS'}  ${what}`,
    ...faults.slice(0, 5).map((fault) => `       ${fault.slice(0, 400)}`),
  ]);
  return [
    `${journals} journals with ${messages} messages, in ${seconds} s`,
    `${unacknowledged} messages of the killed process that it had not acknowledged`,
    `${leftLocks} files of its locks, of sessions that nobody has opened since`,
    ...checks,
    ...(kept === null ? [] : [`files in ${kept}`]),
  ].join('\n');
}
