import type { Tokens, Usage } from '@varve/core';
import { type RequestRow, roundCost } from './request-row.ts';

/** Tokens by what a prompt cache did with them. */
export interface CacheTotals {
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  readonly uncached: Tokens;
  /** Share of all tokens that was read from the cache. */
  readonly hitRate: number;
}

/** Tokens that the transcript itself reports, as its provider counted and billed them. */
export interface RecordedTotals {
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  readonly input: Tokens;
  readonly output: Tokens;
  readonly hitRate: number;
}

/** Sums over all requests of a replay. */
export interface ReplayTotals extends CacheTotals {
  readonly requests: number;
  /** Requests that could not be made. */
  readonly failed: number;
  /** Requests that a provider would refuse, or that are over their budget. */
  readonly invalid: number;
  /** Messages that at least one request left out, each counted once. */
  readonly dropped: number;
  /** Messages with nothing in them, which no request shows. */
  readonly emptyMessages: number;
  readonly compactions: number;
  /** Compactions that were tried and not committed. */
  readonly compactionsRefused: number;
  /** Texts that plugins replaced for good. */
  readonly edits: number;
  /** Messages that were not taken into the journal. */
  readonly refused: number;
  /** Lines of the file that could not be read, or only in part. */
  readonly damaged: number;
  /** Compactions that the transcript's own tool made. */
  readonly recordedCompactions: number;
  /** In input-token equivalents. */
  readonly cost: number;
  /** Sending the whole conversation with every request that could be made, through a cache of the same kind. */
  readonly everything: CacheTotals & { readonly cost: number };
  /** `cost` as a share of that; `null` when nothing was sent. */
  readonly costRatio: number | null;
  /** Of conversations in which the transcript's own tool compacted: the requests before the first time. */
  readonly untilCompaction: CacheTotals;
  /** Absent when the transcript reports no usage. */
  readonly recorded?: RecordedTotals & { readonly untilCompaction: RecordedTotals };
}

/** A count that {@link TotalsKeeper.count} adds to. */
type CountedTotal =
  | 'emptyMessages'
  | 'compactions'
  | 'compactionsRefused'
  | 'edits'
  | 'refused'
  | 'damaged'
  | 'recordedCompactions';

/** Adds a replay up while it runs. */
export interface TotalsKeeper {
  /** @param cache  What the request did to the cache, and what sending everything would have done. */
  request(row: RequestRow, options: { readonly everything: CacheSums; readonly isBeforeCompaction: boolean }): void;
  usage(usage: Usage, options: { readonly isBeforeCompaction: boolean }): void;
  count(what: CountedTotal, by?: number): void;
  totals(): ReplayTotals;
}

/** Cache figures of one request. */
type CacheSums = Pick<CacheTotals, 'cacheRead' | 'cacheWrite' | 'uncached'> & { readonly cost: number };

/** Begins at zero. */
export function createTotals(): TotalsKeeper {
  const varve = createSums();
  const everything = createSums();
  const before = createSums();
  const recorded = createUsage();
  const recordedBefore = createUsage();
  const counts = { requests: 0, failed: 0, invalid: 0, dropped: 0 };
  const counted: Record<CountedTotal, number> = {
    emptyMessages: 0,
    compactions: 0,
    compactionsRefused: 0,
    edits: 0,
    refused: 0,
    damaged: 0,
    recordedCompactions: 0,
  };
  return {
    request: (row, { everything: all, isBeforeCompaction }) => {
      counts.requests += 1;
      counts.dropped += row.dropped;
      // What was not sent is not compared with what everything would have cost.
      if (row.error !== undefined) {
        counts.failed += 1;
        return;
      }
      if (row.invalid !== undefined) counts.invalid += 1;
      varve.add(row);
      everything.add(all);
      if (isBeforeCompaction) before.add(row);
    },
    usage: (usage, { isBeforeCompaction }) => {
      recorded.add(usage);
      if (isBeforeCompaction) recordedBefore.add(usage);
    },
    count: (what, by = 1) => {
      counted[what] += by;
    },
    totals: () => ({
      ...counts,
      ...counted,
      ...varve.cache(),
      cost: roundCost(varve.cost()),
      everything: { ...everything.cache(), cost: roundCost(everything.cost()) },
      costRatio: everything.cost() === 0 ? null : varve.cost() / everything.cost(),
      untilCompaction: before.cache(),
      ...(recorded.isEmpty() ? {} : { recorded: { ...recorded.sum(), untilCompaction: recordedBefore.sum() } }),
    }),
  };
}

function createSums(): { add(sums: CacheSums): void; cache(): CacheTotals; cost(): number } {
  const sum = { cacheRead: 0, cacheWrite: 0, uncached: 0 };
  let cost = 0;
  return {
    add: (more) => {
      sum.cacheRead += more.cacheRead;
      sum.cacheWrite += more.cacheWrite;
      sum.uncached += more.uncached;
      cost += more.cost;
    },
    cache: () => ({ ...sum, hitRate: share(sum.cacheRead, sum.cacheWrite + sum.uncached) }),
    cost: () => cost,
  };
}

function createUsage(): { add(usage: Usage): void; sum(): RecordedTotals; isEmpty(): boolean } {
  const sum = { cacheRead: 0, cacheWrite: 0, input: 0, output: 0 };
  let calls = 0;
  return {
    add: ({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }) => {
      calls += 1;
      sum.cacheRead += cacheReadTokens;
      sum.cacheWrite += cacheWriteTokens;
      sum.input += inputTokens;
      sum.output += outputTokens;
    },
    sum: () => ({ ...sum, hitRate: share(sum.cacheRead, sum.cacheWrite + sum.input) }),
    isEmpty: () => calls === 0,
  };
}

function share(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest);
}
