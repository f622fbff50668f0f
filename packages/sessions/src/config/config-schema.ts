import { z } from 'zod';
import { agentSchema, channelSchema, globalSchema } from './agent-schema.ts';
import { byteSize, count, duration, flag, modelName, positive, someTime, text } from './base-schemas.ts';
import { resetByTypeSchema, resetSchema } from './reset-schema.ts';
import { sendSchema } from './send-schema.ts';
import type { ModelSettings, SessionSettings, StoreSettings, VarveConfig } from './varve-config.ts';

const store: z.ZodType<StoreSettings> = z.strictObject({
  root: text.optional(),
  imports: z.array(z.strictObject({ path: text, mainKey: text.optional() })).optional(),
});

const fullModelName = z
  .string()
  .regex(/^[^\s/:]+\/\S+$/, 'It does not name a provider and a model')
  .describe('"provider/model", such as "anthropic/claude-opus-4-5"');

/** A base URL must not carry a password: it is shown in errors and tables. */
const baseUrl = z
  .string()
  .refine(isPlainUrl, 'It is no address of a provider')
  .describe('an address such as "https://api.example.com", without a user name');

function isPlainUrl(given: string): boolean {
  // A placeholder that nobody has filled in would be taken for a name.
  if (!URL.canParse(given) || /[${}\s]/.test(given)) return false;
  const { protocol, username, password } = new URL(given);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const models: z.ZodType<ModelSettings> = z.strictObject({
  default: modelName.optional(),
  names: z.record(z.string().regex(/^[^\s/]+$/, 'A short name is one word without a slash'), fullModelName).optional(),
  providers: z
    .record(
      text,
      z.strictObject({
        baseUrl: baseUrl.optional(),
        api: z.enum(['anthropic', 'openai-chat', 'openai-responses']).optional(),
        apiKeyVariable: z
          .string()
          .regex(/^[A-Z_][A-Z0-9_]*$/i, 'It is no name of an environment variable')
          .describe('the name of an environment variable, never the key itself')
          .optional(),
      }),
    )
    .optional(),
  facts: z
    .record(
      fullModelName,
      z.strictObject({
        contextTokens: positive.describe('the size of its window, in tokens'),
        maxInputTokens: positive.optional(),
        maxOutputTokens: positive.optional(),
      }),
    )
    .optional(),
});

const routing = {
  defaultAgentId: text.optional(),
  scope: z.enum(['per-sender', 'global']).optional(),
  dmScope: z.enum(['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer']).optional(),
  groupScope: z.enum(['per-group', 'main']).optional(),
  identityLinks: z.record(text, z.array(text)).optional(),
  bindings: z
    .array(
      z.strictObject({
        agentId: text,
        channel: text.optional(),
        account: text.optional(),
        chatType: z.enum(['direct', 'group', 'channel']).optional(),
        peer: text.optional(),
      }),
    )
    .optional(),
};

const off = z.literal(false);
const carried = z.enum(['always', 'explicit', 'implicit', 'never']);

const lifecycle = {
  hibernate: z
    .strictObject({ after: duration.optional(), maxSessions: positive.optional(), maxBytes: byteSize.optional() })
    .optional(),
  subagents: z
    .strictObject({
      maxDepth: z.int().min(0).max(5).describe('a whole number from 0 to 5').optional(),
      maxChildren: count.optional(),
      maxRunning: count.optional(),
      allowAgents: z.array(text).optional(),
      model: modelName.optional(),
      timeout: someTime.optional(),
      maxResultChars: z.int().min(200).describe('a whole number of characters from 200').optional(),
      forkTokens: count.optional(),
      whenForkTooLarge: z.enum(['refuse', 'isolate']).optional(),
      onRestart: z.enum(['resume', 'fail']).optional(),
    })
    .optional(),
  maintenance: z
    .strictObject({
      dryRun: flag.optional(),
      olderThan: z.union([duration, off]).describe('a span such as "30d", or false').optional(),
      runsOlderThan: z.union([duration, off]).describe('a span such as "24h", or false').optional(),
      maxSessions: z.union([positive, off]).describe('a whole number from 1, or false').optional(),
      maxBytes: z.union([byteSize, off]).describe('an amount such as "10gb", or false').optional(),
      keepRecent: duration.optional(),
      orphans: flag.optional(),
      compressAfter: z.union([duration, off]).describe('a span such as "30d", or false').optional(),
      deleteArchivedAfter: z.union([duration, off]).describe('a span such as "90d", or false').optional(),
    })
    .optional(),
  carryOver: z
    .strictObject({ settings: z.record(text, carried).optional(), state: z.record(text, carried).optional() })
    .optional(),
  maxConcurrentTurns: positive.optional(),
};

const session: z.ZodType<SessionSettings> = z.strictObject({
  ...routing,
  reset: resetSchema.optional(),
  resetByType: resetByTypeSchema.optional(),
  resetByChannel: z.record(text, resetSchema).optional(),
  resetTriggers: z
    .array(
      z
        .string()
        .regex(/^\/[a-z][\w-]*$/i, 'It is no command')
        .describe('a slash and a word, such as "/new"'),
    )
    .optional(),
  resetAuthorised: z
    .strictObject({
      roles: z.array(z.enum(['owner', 'member', 'unknown'])).optional(),
      ids: z.array(text).optional(),
    })
    .optional(),
  greeting: text.nullable().optional(),
  sendPolicy: sendSchema.optional(),
  ...lifecycle,
});

/** Schema of a configuration. What must hold between its parts is checked behind it. */
export const configSchema: z.ZodType<VarveConfig> = z.strictObject({
  store: store.optional(),
  models: models.optional(),
  session: session.optional(),
  global: globalSchema.optional(),
  agents: z.record(text, agentSchema).optional(),
  channels: z.record(text, channelSchema).optional(),
});
