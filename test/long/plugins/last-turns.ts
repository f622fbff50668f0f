import { definePlugin, type PluginFactory } from '@varve/core';
import { z } from 'zod';

const options = z.strictObject({ keep: z.int().positive() });

/** Somebody else's strategy: a prompt holds the last turns, and of what came before nothing. */
export const lastTurns: PluginFactory<{ readonly keep: number }> = definePlugin<
  { readonly keep: number },
  { readonly keep: number }
>({
  name: 'acme/last-turns',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options,
  apply({ hooks }, { keep }) {
    hooks.shape.tapPromise('keep the last turns', (draft) => {
      const groups = draft.groups();
      const begins = groups.flatMap(({ items }, index) => (items[0]?.message.role === 'user' ? [index] : []));
      const first = begins.at(-keep) ?? 0;
      const old = groups.slice(0, first).filter((group) => !group.live && !group.protected);
      return old.length === 0
        ? undefined
        : draft.drop(
            old.map(({ id }) => id),
            'beyond-the-last-turns',
          );
    });
  },
});
