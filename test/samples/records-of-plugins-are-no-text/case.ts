import { definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const tideTable = definePlugin({
  name: 'tide-table',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('turn the page', (_, context) => {
      const { page } = context.session.lastRecord('seen') as { readonly page: number };
      context.record('seen', { page: page + 1 });
    });
  },
});

export default sample({
  topic: 'Plugins and engines',
  title: 'A plugin reads its own last record and stores the next one, and no prompt shows either',
  why: 'A plugin that keeps state in memory forgets it with the process; one that keeps it in the text tells the model.',
  plugins: [tideTable()],
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
