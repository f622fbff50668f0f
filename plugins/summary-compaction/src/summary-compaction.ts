import {
  type CompactRequest,
  definePlugin,
  isRefusal,
  type Plan,
  type PluginFactory,
  type Pressure,
  type Refusal,
  type Tokens,
} from '@varve/core';
import { z } from 'zod';
import { keepTokensOf } from './keep-tokens.ts';

/** When a session is compacted, and what stays. */
export interface SummaryCompactionOptions {
  /** Compact when the prompt is over the hard limit of its budget. @default true */
  readonly compactAtHardLimit?: boolean | undefined;
  /** Compact when the prompt takes more than this share of the model's window; `null`: never for that. @default null */
  readonly compactAtRatio?: number | null | undefined;
  /** Compact when more messages than this are visible; `null`: never for that. @default null */
  readonly compactAtMessages?: number | null | undefined;
  /** Tokens of recent messages to keep, within what the budget leaves for them; `null`: all of that. @default null */
  readonly keepRecentTokens?: Tokens | null | undefined;
  /** Recent messages to keep, within the same; `null`: half of `compactAtMessages`, if that is set. @default null */
  readonly keepRecentMessages?: number | null | undefined;
  /** Of what is kept, tool results with this many assistant messages behind them are masked; `null`: none. @default 2 */
  readonly maskToolResultsAfterAssistants?: number | null | undefined;
}

const options = z
  .strictObject({
    compactAtHardLimit: z.boolean().default(true).describe('Compact when the prompt is over the hard limit.'),
    compactAtRatio: z
      .number()
      .gt(0)
      .max(1)
      .nullable()
      .default(null)
      .describe('Compact when the prompt takes more than this share of the window.'),
    compactAtMessages: z
      .int()
      .min(2)
      .nullable()
      .default(null)
      .describe('Compact when more messages than this are visible.'),
    keepRecentTokens: z
      .int()
      .nonnegative()
      .nullable()
      .default(null)
      .describe('Tokens of recent messages to keep, at most what the budget leaves for them.'),
    keepRecentMessages: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('Recent messages to keep, as far as the budget allows.'),
    maskToolResultsAfterAssistants: z
      .int()
      .nonnegative()
      .nullable()
      .default(2)
      .describe('Kept tool results with this many assistant messages behind them are masked.'),
  })
  .refine(({ compactAtMessages, keepRecentMessages }) => (keepRecentMessages ?? 0) < (compactAtMessages ?? Infinity), {
    path: ['keepRecentMessages'],
    error: 'Must be smaller than compactAtMessages',
  })
  .transform((given) => ({
    ...given,
    keepRecentMessages:
      given.keepRecentMessages ?? (given.compactAtMessages === null ? null : Math.floor(given.compactAtMessages / 2)),
  }));

type Settled = z.output<typeof options>;

const name = 'summary-compaction';
const version = '0.1.0';

/**
 * Says when a session is compacted and what stays. Core does the rest: legal cuts, the digest that stands for what is
 * covered, the commit, and the way back.
 */
export const summaryCompaction: PluginFactory<SummaryCompactionOptions> = definePlugin<
  SummaryCompactionOptions,
  Settled
>({
  name,
  version,
  apiVersion: '^1.0.0',
  options,
  apply({ hooks }, settled) {
    hooks.shouldCompact.tapPromise('compare with the limits', (pressure) => isDue(pressure, settled) || undefined);
    hooks.compact.tapPromise('plan', (request) => planFor(request, settled));
  },
});

/** A background compaction begins earlier, so that it is done before the hard limit is reached. */
function isDue({ tokens, messages, budget, trigger }: Pressure, settled: Settled): boolean {
  const { compactAtHardLimit, compactAtRatio, compactAtMessages } = settled;
  const limit = trigger === 'background' ? budget.soft : budget.hard;
  return (
    (compactAtHardLimit && tokens > limit) ||
    (compactAtRatio !== null && tokens > compactAtRatio * budget.window) ||
    (compactAtMessages !== null && messages > compactAtMessages)
  );
}

function planFor(request: CompactRequest, settled: Settled): Plan | Refusal {
  const plan = request.defaultPlan({
    keepTokens: keepTokensOf(request.draft, settled),
    maskAfterAssistants: settled.maskToolResultsAfterAssistants,
    scale: scaleFor(request, settled),
  });
  return isRefusal(plan) ? plan : { ...plan, by: { plugin: name, version } };
}

/** Of the room under the limit that a ratio sets, this much is used: else the next turn would be over it again. */
const shareOfRatio = 0.7;

/** Least share of the target to aim at: a digest needs some room to say anything. */
const leastScale = 0.1;

/** Share of the usual target that leads below the ratio. */
function scaleFor({ budget }: CompactRequest, { compactAtRatio }: Settled): number {
  const { window, fixed, target } = budget;
  if (compactAtRatio === null || target === Infinity) return 1;
  const aim = shareOfRatio * Math.max(0, compactAtRatio * window - fixed);
  return Math.min(1, Math.max(leastScale, aim / Math.max(1, target - fixed)));
}
