import { definePlugin } from '@varve/core';
import { z } from 'zod';

/** Adds lines of text to every prompt, as a layer of its own. */
export const templatePlugin = definePlugin({
  name: 'acme/template',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({
    lines: z
      .array(z.string().min(1))
      .default(['Answer in whole sentences.'])
      .describe('What is added, most important first: the last lines yield when there is little room.'),
  }),
  apply: ({ hooks }, { lines }) => {
    const items = lines.map((text) => ({ text }));
    hooks.collect.tapPromise('add the lines', (draft) => {
      if (items.length === 0) return undefined; // unchanged
      return draft.addLayer({ id: 'lines', role: 'user', stability: 'static', items }, 'lines');
    });
  },
});
