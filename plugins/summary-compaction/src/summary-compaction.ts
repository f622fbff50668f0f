import {
  type CompactRequest,
  type Draft,
  definePlugin,
  type HookContext,
  isRefusal,
  type ModelPort,
  type Plan,
  type PluginFactory,
  type Pressure,
  type Prose,
  type Refusal,
  type SummarizeRequest,
  type Tokens,
} from '@varve/core';
import { z } from 'zod';
import { keepTokensOf } from './keep-tokens.ts';
import { type SettledModel, type SummaryModel, summaryModelSchema } from './summary-model.ts';
import { bytesOfDraft } from './transcript-bytes.ts';
import { writeProse } from './write-prose.ts';

/** When a session is compacted, what stays, and who writes the prose. */
export interface SummaryCompactionOptions {
  /** Models that write prose, asked in this order until one has some; without any the digest stands alone. @default [] */
  readonly models?: readonly (ModelPort | SummaryModel)[] | undefined;
  /** Whether compactions that a turn waits for (`threshold`, `overflow`) wait for prose, too. @default true */
  readonly waitForProse?: boolean | undefined;
  /** Compact when the prompt is over the hard limit of its budget. @default true */
  readonly compactAtHardLimit?: boolean | undefined;
  /** Compact when the prompt takes more than this share of the model's window; `null`: never for that. @default null */
  readonly compactAtRatio?: number | null | undefined;
  /** Compact when more messages than this are visible; `null`: never for that. @default null */
  readonly compactAtMessages?: number | null | undefined;
  /** Compact when the messages of the prompt take more than this many bytes, as JSON; `null`: never for that. @default null */
  readonly compactAtBytes?: number | null | undefined;
  /** Tokens of recent messages to keep, within what the budget leaves for them; `null`: all of that. @default null */
  readonly keepRecentTokens?: Tokens | null | undefined;
  /** Recent messages to keep, within the same; `null`: half of `compactAtMessages`, if that is set. @default null */
  readonly keepRecentMessages?: number | null | undefined;
  /** Of what is kept, tool results with this many assistant messages behind them are masked; `null`: none. @default 2 */
  readonly maskToolResultsAfterAssistants?: number | null | undefined;
  /**
   * Share of what a compaction leaves, from 0 to 0.5, that the digest's facts take: names, ids, decisions. What is more
   * for them is less for recent messages. @default 0.25
   */
  readonly ledgerShare?: number | undefined;
}

const options = z
  .strictObject({
    models: z.array(summaryModelSchema).prefault([]).describe('Models that write prose, in the order they are asked.'),
    waitForProse: z.boolean().default(true).describe('Whether compactions that a turn waits for wait for prose, too.'),
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
    compactAtBytes: z
      .int()
      .min(1_000)
      .nullable()
      .default(null)
      .describe('Compact when the messages of the prompt take more than this many bytes.'),
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
    ledgerShare: z
      .number()
      .min(0)
      .max(0.5)
      .default(0.25)
      .describe("Of what a compaction leaves: what the digest's facts take; recent messages get the less."),
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
    const running = new Map<string, number>();
    for (const model of settled.models) {
      hooks.summarize.tapPromise(`write with ${model.name}`, (request, context) => {
        if (!isWaitedFor(request, { settled, isRunning: running.has(context.session.sessionId) })) return undefined;
        return writeCounted(request, { model, context, running });
      });
    }
  },
});

/** A background compaction begins earlier, so that it is done before the hard limit is reached. */
function isDue({ tokens, messages, budget, trigger, draft }: Pressure, settled: Settled): boolean {
  const { compactAtHardLimit, compactAtRatio, compactAtMessages, compactAtBytes } = settled;
  const limit = trigger === 'background' ? budget.soft : budget.hard;
  return (
    (compactAtHardLimit && tokens > limit) ||
    (compactAtRatio !== null && tokens > compactAtRatio * budget.window) ||
    (compactAtMessages !== null && messages > compactAtMessages) ||
    (compactAtBytes !== null && bytesOfDraft(draft) > compactAtBytes)
  );
}

function planFor(request: CompactRequest, settled: Settled): Plan | Refusal {
  const plan = request.defaultPlan({
    keepTokens: keepTokensOf(request.draft, settled),
    maskAfterAssistants: settled.maskToolResultsAfterAssistants,
    ledgerShare: settled.ledgerShare,
    scale: scaleFor(request, settled),
  });
  return isRefusal(plan) ? plan : { ...plan, by: { plugin: name, version } };
}

/** Of the room under a limit that a ratio or bytes set, this much is used: else the next turn would be over it again. */
const shareOfLimit = 0.7;

/** Least to aim at above the fixed part: a digest needs some room to say anything. */
const leastAim: Tokens = 400;

/** Share of the usual target that leads below the ratio and the bytes. */
function scaleFor({ budget, draft }: CompactRequest, { compactAtRatio, compactAtBytes }: Settled): number {
  const { window, fixed, target } = budget;
  if (target === Infinity) return 1;
  const ofRatio = compactAtRatio === null ? Infinity : compactAtRatio * window - fixed;
  const ofBytes = compactAtBytes === null ? Infinity : compactAtBytes / bytesPerToken(draft);
  const aim = Math.max(leastAim, shareOfLimit * Math.min(ofRatio, ofBytes));
  return Math.min(1, aim / Math.max(1, target - fixed));
}

function bytesPerToken(draft: Draft): number {
  const tokens = draft.items.reduce((sum, item) => sum + item.tokens, 0);
  return Math.max(1, bytesOfDraft(draft)) / Math.max(1, tokens);
}

/**
 * Whether a compaction gets prose. Those that a turn waits for do without when a background run of the session is
 * writing some already: whoever waits then would wait for two.
 */
function isWaitedFor(
  { trigger }: SummarizeRequest,
  { settled, isRunning }: { readonly settled: Settled; readonly isRunning: boolean },
): boolean {
  if (trigger === 'manual' || trigger === 'background') return true;
  return settled.waitForProse && !isRunning;
}

/** Writes prose, and counts background runs of the session while they last. */
async function writeCounted(
  request: SummarizeRequest,
  job: { readonly model: SettledModel; readonly context: HookContext; readonly running: Map<string, number> },
): Promise<Prose | undefined> {
  if (request.trigger !== 'background') return writeProse(request, job);
  const { sessionId } = job.context.session;
  job.running.set(sessionId, (job.running.get(sessionId) ?? 0) + 1);
  try {
    return await writeProse(request, job);
  } finally {
    const left = (job.running.get(sessionId) ?? 1) - 1;
    if (left > 0) job.running.set(sessionId, left);
    else job.running.delete(sessionId);
  }
}
