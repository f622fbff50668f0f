/** Least, median and most of several measurements. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** One way to do what is measured. */
export interface Contender {
  readonly name: string;
  /** Operations that one run does; times are of one operation. @default 1 */
  readonly operations?: number | undefined;
  /** Done before each run, and not measured. */
  readonly before?: (() => unknown) | undefined;
  /** What is measured; a `PartlyMeasured` that it gives back says how long the part took that counts. @default the whole run */
  readonly run: () => unknown;
  /** Done after each run, and not measured. */
  readonly after?: (() => unknown) | undefined;
}

/** What is read when something is timed. */
export type TimeKind = 'wall' | 'processor';

/** How often, and by which time. */
export interface InterleaveOptions {
  /** Rounds that are measured. @default 9 */
  readonly rounds?: number | undefined;
  /** Rounds before, for compilers and caches. @default 2 */
  readonly warmUps?: number | undefined;
  /** `processor`: of all threads of this process, which other work of the machine hardly changes. @default 'wall' */
  readonly time?: TimeKind | undefined;
}

/** The times of all contenders, measured in turn. */
export interface Interleaved {
  /** Milliseconds of one operation, round by round. */
  times(name: string): readonly number[];
  /** Milliseconds of one operation. */
  spread(name: string): Spread;
  /** How many times the time of `base` the other takes: the spread of one quotient a round. */
  ratio(name: string, base: string): Spread;
}

/** A run that measures a part of itself. */
export class PartlyMeasured {
  readonly ms: number;

  /** @param ms  Milliseconds of that part, for all operations of the run. */
  constructor(ms: number) {
    this.ms = ms;
  }
}

/**
 * Measures contenders in turn, in one process: what else the machine does meets all of them. Who comes first changes from
 * round to round, so that nobody always finds another's rubbish to be collected.
 */
export async function interleave(
  contenders: readonly Contender[],
  { rounds = 9, warmUps = 2, time = 'wall' }: InterleaveOptions = {},
): Promise<Interleaved> {
  const measured = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    const first = Math.abs(round) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const ms = await timeOf(contender, time);
      if (round >= 0) measured.get(contender.name)?.push(ms);
    }
  }
  const times = (name: string): readonly number[] => {
    const known = measured.get(name);
    if (known === undefined) throw new Error(`"${name}" was not measured.`);
    return known;
  };
  return {
    times,
    spread: (name) => spreadOf(times(name)),
    ratio: (name, base) => {
      const baseTimes = times(base);
      return spreadOf(times(name).map((ms, round) => ms / (baseTimes[round] ?? Number.NaN)));
    },
  };
}

/** Least, median and most of at least one number. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { least: sorted[0] ?? Number.NaN, median, most: sorted.at(-1) ?? Number.NaN };
}

/** Milliseconds since some beginning. */
export function readTime(time: TimeKind): number {
  if (time === 'wall') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function timeOf({ operations = 1, before, run, after }: Contender, time: TimeKind): Promise<number> {
  await before?.();
  const startedAt = readTime(time);
  const result = await run();
  const whole = readTime(time) - startedAt;
  await after?.();
  return (result instanceof PartlyMeasured ? result.ms : whole) / operations;
}
