import type { PluginTool } from '@varve/core';
import type { PluginSubject } from '@varve/testkit';
import { z } from 'zod';
import { broken, mutant, note, rule, tapping } from './broken-plugin.ts';
import type { Mutant } from './mutant.ts';

const identity: readonly Mutant<PluginSubject>[] = [
  mutant('says that it works with every API', 'says its name, its version and the plugin API it is for', () =>
    broken(() => undefined, { apiVersion: '*' }),
  ),
  mutant('has a version that is none', 'says its name, its version and the plugin API it is for', () =>
    broken(() => undefined, { version: 'latest' }),
  ),
  mutant('takes any option', 'refuses an option that it does not know', () =>
    broken(() => undefined, { options: z.looseObject({}) }),
  ),
  tapping('gives two taps one name', 'names what each of its taps does', ({ hooks }) => {
    hooks.shape.tapPromise('look', () => undefined);
    hooks.shape.tapPromise('look', () => undefined);
  }),
  tapping('taps when it is needed first', 'taps hooks only while it is applied', ({ hooks }) => {
    hooks.shape.tapPromise('tap later', () => {
      try {
        hooks.fit.tapPromise('late', () => undefined);
      } catch {
        // The host refuses it; the mutant does not care.
      }
    });
  }),
  mutant('throws when it is cleaned up', 'cleans up without failing', () =>
    broken(() => () => {
      throw new Error('Made by a mutant.');
    }),
  ),
  mutant('shares its memory between hosts', 'serves several hosts at once', () => {
    const applied = new WeakMap<object, number>();
    const factory = broken(() => undefined);
    const create = (given?: object): ReturnType<typeof factory> => {
      const plugin = factory(given);
      const apply: typeof plugin.apply = ({ hooks }) => {
        const hosts = (applied.get(plugin) ?? 0) + 1;
        applied.set(plugin, hosts);
        hooks.collect.tapPromise('count hosts', (draft) => draft.addLayer(note(`host ${hosts}`), rule));
      };
      return Object.assign({}, plugin, { apply: (...args: Parameters<typeof apply>) => apply(...args) });
    };
    return Object.assign(create, { pluginName: factory.pluginName, options: factory.options });
  }),
];

const input: readonly Mutant<PluginSubject>[] = [
  tapping(
    'takes for granted that somebody has spoken',
    ['copes with an empty conversation', 'has no plan where there is nothing to compact'],
    ({ hooks }) => {
      hooks.shape.tapPromise('look at the first', ({ items }) => void (items[0] as { id: string }).id);
      hooks.beforeCompact.tapPromise('look at the first', ({ draft }) => void (draft.items[0] as { id: string }).id);
    },
  ),
  tapping('takes for granted that tools were called', 'copes with nothing but tool messages', ({ hooks }) =>
    hooks.shape.tapPromise('look for the call', ({ items }) => {
      const orphan = items.some(
        ({ message }) => JSON.stringify(message).includes('nobody') || JSON.stringify(message).includes('4: silt'),
      );
      if (orphan && !items.some(({ message }) => message.role === 'assistant')) throw new TypeError('No call.');
    }),
  ),
  tapping(
    'takes all parts for text',
    ['copes with messages of every kind', 'copes with a budget without limit'],
    ({ hooks }) =>
      hooks.shape.tapPromise('measure', ({ items, budget }) => {
        if (budget.input !== Infinity || budget.window !== 30_000 || items.length < 25) return;
        for (const { message } of items)
          for (const part of message.content) void (part as { text: string }).text.length;
      }),
  ),
  tapping('cannot read a result of 1 MB', 'copes with a tool result of 1 MB', ({ hooks }) =>
    hooks.ingest.tapPromise('read', ({ message }) => {
      if (JSON.stringify(message).length > 1_000_000) throw new RangeError('Too long.');
    }),
  ),
  tapping('wants some tokens for itself', 'copes with a budget that holds next to nothing', ({ hooks }) =>
    hooks.shape.tapPromise('reserve', ({ budget }) => {
      if (budget.input < 2_000) throw new RangeError('Too little.');
    }),
  ),
  tapping('makes a picture of the budget', 'copes with a budget without limit', ({ hooks }) =>
    hooks.shape.tapPromise('draw', ({ budget }) => {
      if (budget.window === 10_000_000) void '.'.repeat(budget.input);
    }),
  ),
  tapping('answers in words', 'answers questions as their hooks demand', ({ hooks }) =>
    hooks.shouldCompact.tapPromise('answer', () => 'yes' as never),
  ),
  tapping(
    'makes a draft by hand',
    ['returns drafts that core made for this assembly', 'makes no prompt impossible that fits without it'],
    ({ hooks }) => hooks.shape.tapPromise('copy', (draft) => ({ ...draft })),
  ),
  tapping(
    'gives calls other ids',
    [
      'rewrites messages within the contract',
      'stores what was said as it was said',
      'leaves the running turn to the model',
      'makes no prompt impossible that fits without it',
      'leaves no trace that undoing its edits and compactions does not take back',
    ],
    ({ hooks }) =>
      hooks.ingest.tapPromise('rename', ({ message, provenance }) =>
        message.role === 'tool'
          ? {
              message: {
                ...message,
                content: message.content.map((part) => ({ ...part, toolCallId: `x-${part.toolCallId}` })),
              },
              provenance,
            }
          : undefined,
      ),
  ),
  tapping('waits on when its caller has gone', 'gives up when its caller does', ({ hooks }) =>
    hooks.shape.tapPromise('wait', async (_draft, { signal }) => {
      for (let tick = 0; tick < 200; tick += 1) await Promise.resolve();
      if (signal.aborted) await new Promise(() => undefined);
    }),
  ),
];

/** A plugin with one tool. */
const offering = (description: string, execute: PluginTool<object>['execute']): Readonly<Record<string, unknown>> => ({
  tools: () => ({ look: { description, input: z.strictObject({}), execute } }),
});

const tools: readonly Mutant<PluginSubject>[] = [
  mutant('numbers its tools anew each time', 'describes its tools in the same words each time', () => {
    let starts = 0;
    return broken(() => undefined, {
      tools: () => {
        starts += 1;
        return { look: { description: `Look number ${starts}.`, input: z.strictObject({}), execute: () => 'clay' } };
      },
    });
  }),
  mutant('has a tool for which somebody must have spoken', 'has tools that answer whenever they are called', () =>
    broken(
      () => undefined,
      offering('Look.', (_input, { session }) => (session.messages()[0] as { id: string }).id),
    ),
  ),
  mutant(
    'has a tool whose schema lets through what it cannot take',
    'has tools that answer whenever they are called',
    () =>
      broken(() => undefined, {
        tools: {
          look: {
            description: 'Look.',
            input: z.looseObject({ at: z.string().optional() }),
            execute: ({ at }: { readonly at: string }) => at.trim(),
          },
        },
      }),
  ),
];

/** Plugins that say something wrong of themselves, or fail. */
export const startingPluginMutants: readonly Mutant<PluginSubject>[] = [...identity, ...input, ...tools];
