import { definePlugin, type PluginFactory } from '@varve/core';
import { z } from 'zod';
import { durationPattern, toMilliseconds } from './duration.ts';
import { prune } from './prune.ts';
import { toolFilter } from './tool-filter.ts';

/** When old tool results are pruned, and how. Sizes in characters, as `length` counts them. */
export interface TtlPruningOptions {
  /** `cache-ttl`: prune when the provider's prompt cache has expired by itself. @default 'cache-ttl' */
  readonly mode?: 'cache-ttl' | undefined;
  /** How long the provider keeps a prompt cached: `30s`, `5m`, `1h`, `1d`; a bare number is minutes. @default '5m' */
  readonly ttl?: string | number | undefined;
  /** The newest assistant messages, and what follows them, stay. With fewer of them nothing is pruned. @default 3 */
  readonly keepLastAssistants?: number | undefined;
  /** Share of the window, in characters, from which on long results are trimmed. @default 0.3 */
  readonly softTrimRatio?: number | undefined;
  /** Share of the window, in characters, that clearing brings the conversation under. @default 0.5 */
  readonly hardClearRatio?: number | undefined;
  /** With less in prunable results nothing is cleared. @default 50 000 */
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
const globs = z.array(z.string().trim().min(1)).default([]);

const options = z.strictObject({
  mode: z.literal('cache-ttl').default('cache-ttl').describe('When to prune: once the prompt cache has expired.'),
  ttl: z
    .union([z.number().nonnegative(), z.string().regex(durationPattern, 'Expected a duration such as "5m"')])
    .default('5m')
    .describe('How long the provider caches a prompt: 30s, 5m, 1h, 1d; a bare number is minutes.'),
  keepLastAssistants: count
    .default(3)
    .describe('The newest assistant messages, and what follows them, stay. With fewer of them nothing is pruned.'),
  softTrimRatio: ratio.default(0.3).describe('Share of the window, in characters, from which on results are trimmed.'),
  hardClearRatio: ratio.default(0.5).describe('Share of the window that clearing brings the conversation under.'),
  minPrunableToolChars: count.default(50_000).describe('With fewer characters in prunable results nothing is cleared.'),
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

/**
 * Prunes old tool results in prompts when the provider's cache of them has expired, so that it costs nothing: long ones
 * keep head and tail, and the oldest are cleared if that is not enough. What was pruned stays pruned, byte for byte.
 */
export const ttlPruning: PluginFactory<TtlPruningOptions> = definePlugin<TtlPruningOptions, z.output<typeof options>>({
  name: 'ttl-pruning',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options,
  apply({ hooks }, { ttl, tools, ...rules }) {
    const ttlMs = toMilliseconds(ttl);
    const isPrunable = toolFilter(tools);
    hooks.shape.tapPromise('prune tool results', (draft, { session, pressure, now }) => {
      // Over the hard limit the front of the prompt changes in any case, so the cache is lost whether it is warm or not.
      const isFull = pressure === 'hard' || pressure === 'overflow';
      const isCold = session.lastRequestAt !== null && now() - session.lastRequestAt > ttlMs;
      return isFull || isCold ? prune(draft, { ...rules, isPrunable, isFull }) : undefined;
    });
  },
});
