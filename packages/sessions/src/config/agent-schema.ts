import type { BudgetOptions } from '@varve/core';
import { z } from 'zod';
import { thinkingLevels, verboseLevels } from '../settings/setting-values.ts';
import type {
  AgentSettings,
  ChannelSettings,
  CompactionSettings,
  GlobalSettings,
  MemorySettings,
  PruningSettings,
  RecallSettings,
} from './agent-settings.ts';
import { count, flag, modelName, positive, ratio, text, timeZone } from './base-schemas.ts';
import { resetSchema } from './reset-schema.ts';
import { sendRulesSchema } from './send-schema.ts';

const cacheTtl = z
  .union([z.number().nonnegative(), z.string().regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)?\s*$/i, 'It is no span of time')])
  .describe('a span such as "5m" or "1h"; a bare number is minutes');

const budget: z.ZodType<BudgetOptions> = z.strictObject({
  windowTokens: positive.optional(),
  contextTokens: positive.optional(),
  inputTokens: positive.nullable().optional(),
  outputReserveRatio: z.number().min(0).max(0.99).describe('a number from 0 to 0.99').optional(),
  reservedTokens: count.optional(),
  safetyTokens: count.optional(),
  inputBytes: positive.nullable().optional(),
});

const pruning: z.ZodType<PruningSettings> = z.strictObject({
  enabled: flag.optional(),
  mode: z.enum(['auto', 'cache-ttl']).optional(),
  prices: z
    .union([
      z.enum(['anthropic-5m', 'anthropic-1h', 'openai', 'none']),
      z.strictObject({
        read: z.number().nonnegative(),
        write: z.number().nonnegative(),
        ttl: cacheTtl,
        minTokens: count.optional(),
      }),
    ])
    .describe('"anthropic-5m", "anthropic-1h", "openai" or "none", or { read, write, ttl, minTokens }')
    .optional(),
  ttl: cacheTtl.optional(),
  keepLastAssistants: count.optional(),
  softTrimRatio: ratio.optional(),
  hardClearRatio: ratio.optional(),
  minPrunableToolChars: count.optional(),
  softTrim: z
    .strictObject({ maxChars: count.optional(), headChars: count.optional(), tailChars: count.optional() })
    .optional(),
  hardClear: z.strictObject({ enabled: flag.optional(), placeholder: text.optional() }).optional(),
  tools: z.strictObject({ allow: z.array(text).optional(), deny: z.array(text).optional() }).optional(),
  images: z.enum(['keep', 'replace']).optional(),
});

const compaction: z.ZodType<CompactionSettings> = z.strictObject({
  enabled: flag.optional(),
  models: z.array(modelName).optional(),
  waitForProse: flag.optional(),
  compactAtHardLimit: flag.optional(),
  compactAtRatio: z.number().gt(0).max(1).describe('a share of the window, such as 0.7, or null').nullable().optional(),
  compactAtMessages: z.int().min(2).describe('a whole number from 2, or null').nullable().optional(),
  compactAtBytes: z.int().min(1_000).describe('a whole number from 1000, or null').nullable().optional(),
  keepRecentTokens: count.nullable().optional(),
  keepRecentMessages: positive.nullable().optional(),
  maskToolResultsAfterAssistants: count.nullable().optional(),
});

const recall: z.ZodType<RecallSettings> = z.strictObject({
  enabled: flag.optional(),
  mode: z.enum(['cache-friendly', 'quality']).optional(),
  noteTokens: count.optional(),
  minScore: ratio.optional(),
  tools: flag.optional(),
});

const chars = z.int().min(1_000).describe('a whole number of characters from 1000');

const memory: z.ZodType<MemorySettings> = z.strictObject({
  enabled: flag.optional(),
  dir: text.optional(),
  timeZone: timeZone.nullable().optional(),
  owners: z.array(text).nullable().optional(),
  fileChars: chars.optional(),
  totalChars: chars.optional(),
  shareWithGroups: flag.optional(),
  flush: z
    .strictObject({
      enabled: flag.optional(),
      model: modelName.nullable().optional(),
      prompt: text.nullable().optional(),
      inputTokens: z.int().min(1_000).describe('a whole number of tokens from 1000').optional(),
    })
    .optional(),
});

const manner = {
  thinking: z.enum(thinkingLevels).nullable().optional(),
  verbose: z.enum(verboseLevels).optional(),
  instructions: text.nullable().optional(),
};

const plugins = {
  budget: budget.optional(),
  pruning: pruning.optional(),
  compaction: compaction.optional(),
  recall: recall.optional(),
  memory: memory.optional(),
};

const own = { model: modelName.optional(), reset: resetSchema.optional(), send: sendRulesSchema.optional() };

/** Schema of what holds for all agents. */
export const globalSchema: z.ZodType<GlobalSettings> = z.strictObject({ ...manner, ...plugins });

/** Schema of an agent. */
export const agentSchema: z.ZodType<AgentSettings> = z.strictObject({ ...manner, ...plugins, ...own });

/** Schema of a channel. */
export const channelSchema: z.ZodType<ChannelSettings> = z.strictObject({ ...manner, ...own });
