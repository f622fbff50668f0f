import { definePlugin, VarveError } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const noSpam = definePlugin({
  name: 'no-spam',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.ingest.tapPromise('refuse advertisements', ({ message }) => {
      if (!JSON.stringify(message).includes('Buy now')) return;
      throw new VarveError('VARVE_INGEST_REFUSED', 'No advertisements on this lake.', { fix: 'Write something else.' });
    });
  },
});

export default sample({
  topic: 'Messages',
  title: 'A message that a plugin refuses is not stored, and its sender learns why',
  why: 'A message that is taken and then ignored is waited for.',
  plugins: [noSpam()],
  run: async ({ session }) => ({
    error: await session.ingest({ role: 'user', content: 'Buy now: oars!' }).catch((error) => error),
    next: await session.ingest({ role: 'user', content: 'Are there herons?' }),
  }),
});
