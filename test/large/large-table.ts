import { heapMegabytes, type JobEnd } from './run-job.ts';
import type { LargeResult } from './run-large.ts';
import type { TornEnd } from './torn-ends.ts';
import { type WakeUps, wakeUpFigures } from './wake-ups.ts';

/** Something that must hold, and what is wrong with it; none when it does. */
export interface LargeCheck {
  readonly what: string;
  readonly faults: readonly string[];
}

const megabyte = 1_048_576;
const kilobyte = 1_024;

/** What is read beside the tail when a session is woken. */
const besideTail = 128 * kilobyte;

/** What a process may need beside what it had before its task: this, and the longest line as bytes, text and values, some of it twice. */
const mostRss = 64 * megabyte;
const copiesOfLine = 6;
const mostWakingRss = 16 * megabyte;

/** The longest of the journals that are woken may take so many times as long as the shortest. */
const mostRatio = 1.5;

/** Tasks whose cost must not grow with the journal: what they read is the tail, and a few places. */
const bounded: Readonly<Record<string, number>> = { list: 0, open: 1, wake: 1, show: 1, tail: 1 };

/** What must hold. */
export function checksOf({ journal, tasks, torn, wakeUps }: LargeResult): readonly LargeCheck[] {
  const waking = journal.tailBytes + besideTail;
  const most = mostRss + copiesOfLine * journal.longestLine;
  return [
    ...tasks.map(
      (end): LargeCheck => ({ what: `${end.job.task} is done in a heap of ${heapMegabytes} MB`, faults: end.faults }),
    ),
    ...tasks.map((end): LargeCheck => ({ what: `${end.job.task} needs little memory`, faults: tooMuch(end, most) })),
    ...tasks.flatMap((end): LargeCheck[] => {
      const tails = bounded[end.job.task];
      if (tails === undefined) return [];
      const mostRead = Math.max(waking * tails, besideTail * 2);
      return [{ what: `${end.job.task} reads the end of the journal alone`, faults: readsTooMuch(end, mostRead) }];
    }),
    ...torn.map(({ what, bytes, end, isMended }): LargeCheck => {
      // Once to see that it is nothing, once to keep it.
      const faults = [
        ...end.faults,
        ...tooMuch(end, most + 2 * bytes),
        ...readsTooMuch(end, waking + 2 * bytes + 2 * besideTail),
      ];
      return {
        what: `${what} at the end costs what it is long`,
        faults: isMended ? faults : [...faults, 'not mended'],
      };
    }),
    ...wakeUpChecks(wakeUps),
  ];
}

function wakeUpChecks(wakeUps: readonly WakeUps[]): readonly LargeCheck[] {
  const [shortest] = wakeUps;
  if (shortest === undefined) return [];
  const { laterCpuMs } = wakeUpFigures(shortest);
  return wakeUps.map((one): LargeCheck => {
    const { journal, ends, entries } = one;
    const figures = wakeUpFigures(one);
    // Of the processor's time: what others do on the machine meanwhile does not count.
    const ratio = figures.laterCpuMs / laterCpuMs;
    const faults = [
      ...ends.flatMap((end) => [...end.faults, ...readsTooMuch(end, journal.tailBytes + besideTail)]),
      ...(ratio > mostRatio ? [`it takes ${ratio.toFixed(2)} times as long`] : []),
      ...(figures.moreRss > mostWakingRss ? [`${inMegabytes(figures.moreRss)} MB more`] : []),
    ];
    return { what: `waking ${entries} entries takes as long as waking ${shortest.entries}`, faults };
  });
}

function tooMuch({ said }: JobEnd, most: number): readonly string[] {
  const more = said === null ? 0 : said.peakRss - said.baseRss;
  return more > most ? [`${inMegabytes(more)} MB more, not ${inMegabytes(most)}`] : [];
}

function readsTooMuch({ said }: JobEnd, most: number): readonly string[] {
  const bytes = said?.bytesRead ?? 0;
  return bytes > most ? [`${inMegabytes(bytes)} MB were read, not ${inMegabytes(most)}`] : [];
}

/** All figures as text. */
export function formatResult({ journal, tasks, torn, wakeUps }: LargeResult): string {
  const { bytes, lastSeq, longLines, longestLine, compactions, tailBytes } = journal;
  return [
    `${inMegabytes(bytes)} MB, ${lastSeq} entries, ${longLines} lines of 1 to ${inMegabytes(longestLine)} MB, ` +
      `${compactions} compactions; the tail has ${inMegabytes(tailBytes)} MB`,
    '',
    rowOf(['task', 'seconds', 'MB read', 'reads', 'RSS, MB', 'more', 'heap', 'found']),
    ...tasks.map((end) => rowOf([end.job.task, ...figuresOf(end)])),
    '',
    rowOf(['behind the end', 'seconds', 'MB read', 'reads', 'RSS, MB', 'more', 'heap', '']),
    ...torn.map(({ what, end }: TornEnd) => rowOf([what, ...figuresOf(end)])),
    '',
    rowOf(['entries', 'MB', 'tail, MB', 'first, ms', 'later, ms', 'cpu, ms', 'MB read', 'more RSS', '']),
    ...wakeUps.map((one) => {
      const { firstMs, laterMs, laterCpuMs, bytesRead, moreRss } = wakeUpFigures(one);
      const { bytes: size, tailBytes: tail } = one.journal;
      const sizes = [size, tail].map(inMegabytes);
      return rowOf([
        `${one.entries}`,
        ...sizes,
        firstMs.toFixed(1),
        laterMs.toFixed(1),
        laterCpuMs.toFixed(1),
        ...[bytesRead, moreRss].map(inMegabytes),
        '',
      ]);
    }),
    '',
  ].join('\n');
}

function figuresOf({ said, faults }: JobEnd): readonly string[] {
  if (said === null) return ['', '', '', '', '', '', `died: ${faults.join(' ').slice(0, 60)}`];
  const { ms, bytesRead, reads, baseRss, peakRss, peakHeap, found } = said;
  const seconds = ((ms[0] ?? 0) / 1_000).toFixed(2);
  const memory = [peakRss, peakRss - baseRss, peakHeap].map((bytes) => (bytes / megabyte).toFixed(0));
  return [seconds, inMegabytes(bytesRead), `${reads}`, ...memory, found];
}

function rowOf([first = '', ...cells]: readonly string[]): string {
  const last = cells.at(-1) ?? '';
  return `${first.padEnd(24)}${cells
    .slice(0, -1)
    .map((cell) => cell.padStart(10))
    .join('')}  ${last}`.trimEnd();
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / megabyte;
  return megabytes >= 100 ? megabytes.toFixed(0) : megabytes.toFixed(2);
}
