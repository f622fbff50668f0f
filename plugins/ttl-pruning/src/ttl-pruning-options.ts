import { z } from 'zod';
import { durationPattern } from './duration.ts';
import type { PriceProfile } from './price-profile.ts';
import type { ToolFilterOptions } from './tool-filter.ts';
import type { TrimOptions } from './trim-text.ts';

/** When old tool results are pruned, and how. Sizes in characters, as `length` counts them. */
export interface TtlPruningOptions {
  /**
   * `auto`: prune when it pays by the provider's prices, also while its cache is warm. `cache-ttl`: prune when the cache
   * has expired by itself and the conversation is large for its window. @default 'cache-ttl'
   */
  readonly mode?: 'auto' | 'cache-ttl' | undefined;
  /**
   * For `auto`: what the provider's prompt cache costs. In numbers, `read` and `write` are ratios to the price of an
   * input token that no cache has to do with, `ttl` is how long a prompt is kept after its last use, and shorter prompts
   * than `minTokens` are not kept. @default 'anthropic-5m'
   */
  readonly prices?: PriceProfile | undefined;
  /**
   * How long the provider keeps a prompt cached: `30s`, `5m`, `1h`, `1d`; a bare number is minutes. `auto` takes it from
   * `prices`. @default '5m'
   */
  readonly ttl?: string | number | undefined;
  /** The newest assistant messages, and what follows them, stay. With fewer of them nothing is pruned. @default 3 */
  readonly keepLastAssistants?: number | undefined;
  /** Share of the window, in characters, from which on long results are trimmed. Not for `auto`. @default 0.3 */
  readonly softTrimRatio?: number | undefined;
  /** Share of the window, in characters, that clearing brings the conversation under. Not for `auto`. @default 0.5 */
  readonly hardClearRatio?: number | undefined;
  /**
   * With less in prunable results nothing is cleared; `auto` never clears the newest ones up to this size.
   * @default 50 000
   */
  readonly minPrunableToolChars?: number | undefined;
  /** Results longer than `maxChars` keep head and tail. @default 4 000, 1 500 and 1 500 */
  readonly softTrim?:
    | {
        readonly maxChars?: number | undefined;
        readonly headChars?: number | undefined;
        readonly tailChars?: number | undefined;
      }
    | undefined;
  /** Whether results may be replaced altogether, and by what. @default true, '[Old tool result content cleared]' */
  readonly hardClear?:
    | { readonly enabled?: boolean | undefined; readonly placeholder?: string | undefined }
    | undefined;
  /** Tools whose results may be pruned: globs with `*` and `?`; no `allow` is every tool, `deny` wins. @default all */
  readonly tools?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  /** Results with images or files stay whole, or have them replaced by a note. @default 'keep' */
  readonly images?: 'keep' | 'replace' | undefined;
}

const count = z.int().nonnegative();
const ratio = z.number().min(0).max(1);
const duration = z.union([
  z.number().nonnegative(),
  z.string().regex(durationPattern, 'Expected a duration such as "5m"'),
]);
const priceRatios = z.strictObject({
  read: z.number().nonnegative(),
  write: z.number().nonnegative(),
  ttl: duration,
  minTokens: count.optional(),
});
const globs = z.array(z.string().trim().min(1)).default([]);

/** Options that `auto` has no use for. They have no default in the schema, so that it shows which were given. */
const defaults = { ttl: '5m', softTrimRatio: 0.3, hardClearRatio: 0.5 } as const;

const given = z.strictObject({
  mode: z
    .enum(['auto', 'cache-ttl'])
    .default('cache-ttl')
    .describe('When to prune: when it pays, or once the prompt cache has expired.'),
  prices: z
    .union([z.enum(['anthropic-5m', 'anthropic-1h', 'openai', 'none']), priceRatios])
    .default('anthropic-5m')
    .describe('What the prompt cache costs, for auto: { read, write, ttl, minTokens }, or by name.'),
  ttl: duration
    .optional()
    .meta({ default: defaults.ttl })
    .describe('How long the provider caches a prompt: 30s, 5m, 1h, 1d; a bare number is minutes. Not for auto.'),
  keepLastAssistants: count
    .default(3)
    .describe('The newest assistant messages, and what follows them, stay. With fewer of them nothing is pruned.'),
  softTrimRatio: ratio
    .optional()
    .meta({ default: defaults.softTrimRatio })
    .describe('Share of the window, in characters, from which on results are trimmed. Not for auto.'),
  hardClearRatio: ratio
    .optional()
    .meta({ default: defaults.hardClearRatio })
    .describe('Share of the window that clearing brings the conversation under. Not for auto.'),
  minPrunableToolChars: count
    .default(50_000)
    .describe(
      'With fewer characters in prunable results nothing is cleared; auto never clears that much of the newest.',
    ),
  softTrim: z
    .strictObject({
      maxChars: count.default(4_000).describe('Longer results are trimmed.'),
      headChars: count.default(1_500).describe('Characters kept of the beginning.'),
      tailChars: count.default(1_500).describe('Characters kept of the end.'),
    })
    .prefault({})
    .describe('How results are trimmed.'),
  hardClear: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether results may be cleared.'),
      placeholder: z
        .string()
        .min(1)
        .default('[Old tool result content cleared]')
        .describe('What stands in their place.'),
    })
    .prefault({})
    .describe('How results are cleared.'),
  tools: z
    .strictObject({
      allow: globs.describe('Only these tools; an empty list is every tool.'),
      deny: globs.describe('Never these tools.'),
    })
    .prefault({})
    .describe('Whose results may be pruned: globs with * and ?, whatever the case.'),
  images: z
    .enum(['keep', 'replace'])
    .default('keep')
    .describe('Results with images or files stay whole, or have these replaced by a note.'),
});

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly mode: 'auto' | 'cache-ttl';
  readonly prices: PriceProfile;
  readonly ttl: string | number;
  readonly keepLastAssistants: number;
  readonly softTrimRatio: number;
  readonly hardClearRatio: number;
  readonly minPrunableToolChars: number;
  readonly softTrim: TrimOptions;
  readonly hardClear: { readonly enabled: boolean; readonly placeholder: string };
  readonly tools: ToolFilterOptions;
  readonly images: 'keep' | 'replace';
  /** Options that were given and have no effect in the mode that was chosen. */
  readonly ignored: readonly string[];
}

/** Schema of the options. */
export const optionsSchema: z.ZodType<ResolvedOptions, TtlPruningOptions> = given.transform((options) => {
  const { mode, ttl, softTrimRatio, hardClearRatio } = options;
  const useless = Object.entries({ ttl, softTrimRatio, hardClearRatio }).filter(([, value]) => value !== undefined);
  return {
    ...options,
    ttl: ttl ?? defaults.ttl,
    softTrimRatio: softTrimRatio ?? defaults.softTrimRatio,
    hardClearRatio: hardClearRatio ?? defaults.hardClearRatio,
    ignored: mode === 'auto' ? useless.map(([name]) => name) : [],
  };
});
