import { VarveError } from '@varve/core';
import { z } from 'zod';

/** What stands under `plugins.entries.varve.config` of OpenClaw's configuration. */
export interface PluginConfig {
  /** The folder of the journals. @default the folder `varve` beside OpenClaw's state: `~/.openclaw/varve` */
  readonly root?: string | undefined;
  /**
   * Who shortens a conversation that has become too long: `own`, by Varve's plugins, or `delegate`, by OpenClaw's own
   * compaction, which the journal then follows.
   *
   * @default 'own'
   */
  readonly compaction?: 'own' | 'delegate' | undefined;
  /** Tokens of OpenClaw's system prompt and tools, which it sends beside the messages. @default 0, and what is learnt */
  readonly reservedTokens?: number | undefined;
  /** What the provider's prompt cache costs; `none` for no cache. @default 'anthropic-5m' */
  readonly prices?: 'anthropic-5m' | 'anthropic-1h' | 'openai' | 'none' | undefined;
}

const schema: z.ZodType<PluginConfig> = z.strictObject({
  root: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of the journals. Default: the folder varve beside OpenClaw’s state.'),
  compaction: z
    .enum(['own', 'delegate'])
    .optional()
    .describe('Who shortens long conversations: Varve (own), or OpenClaw (delegate). Default: own.'),
  reservedTokens: z
    .int()
    .nonnegative()
    .optional()
    .describe('Tokens of the system prompt and the tools that OpenClaw sends besides. Default: 0.'),
  prices: z
    .enum(['anthropic-5m', 'anthropic-1h', 'openai', 'none'])
    .optional()
    .describe('What the prompt cache of the provider costs. Default: anthropic-5m.'),
});

/** The schema as OpenClaw reads it from the plugin's manifest. */
export function configJsonSchema(): object {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' });
  return shape;
}

/** Checks the plugin's configuration. @throws VARVE_CONFIG_INVALID  with the path of what is wrong. */
export function readPluginConfig(given: unknown): PluginConfig {
  const { data, error } = schema.safeParse(given ?? {});
  if (error === undefined) return data;
  const issues = error.issues.map(({ path, message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
  throw new VarveError('VARVE_CONFIG_INVALID', `plugins.entries.varve.config: ${issues.join('; ')}.`, {
    fix: 'Correct it in openclaw.json: root, compaction, reservedTokens and prices are known.',
    details: { issues },
  });
}
