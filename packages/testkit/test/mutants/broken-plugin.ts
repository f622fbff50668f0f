import { definePlugin, type LayerSpec, type PluginContext, type PluginFactory } from '@varve/core';
import { type PluginSubject, pluginSubject } from '@varve/testkit';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

type Apply = (context: PluginContext) => undefined | (() => void);

/** A plugin that is broken in one way, and otherwise does nothing. */
export function broken(apply: Apply, changes: Readonly<Record<string, unknown>> = {}): PluginFactory<object> {
  const about = { name: 'acme/broken', version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}) };
  return definePlugin<object, unknown>({ ...about, ...changes, apply: (context) => apply(context) });
}

/** A mutant whose code is made anew for each subject, so that none knows of another. */
export function mutant(
  name: string,
  fails: string | readonly [string, ...string[]],
  make: () => PluginFactory<object>,
): Mutant<PluginSubject> {
  const [first = '', ...also] = typeof fails === 'string' ? [fails] : fails;
  return { name, fails: first, also, open: () => pluginSubject(make()) };
}

/** A mutant that taps hooks. */
export function tapping(
  name: string,
  fails: string | readonly [string, ...string[]],
  apply: (context: PluginContext) => unknown,
): Mutant<PluginSubject> {
  return mutant(name, fails, () =>
    broken((context) => {
      apply(context);
      return undefined;
    }),
  );
}

/** A layer with one line, at the end of the prompt. */
export const note = (text: string): LayerSpec => ({
  id: 'note',
  role: 'user',
  stability: 'volatile',
  items: [{ text }],
});
/** The rule of that layer. */
export const rule = 'note';
