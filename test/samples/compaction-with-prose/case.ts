import { definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const scribe = definePlugin({
  name: 'scribe',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.summarize.tapPromise('write prose', () => 'The jam came from the level; the limit was raised.');
  },
});

export default sample({
  topic: 'Compaction and recall',
  title: 'Prose that a plugin writes stands beside the digest, and not in its place',
  why: 'Prose reads well and forgets numbers; facts alone say nothing of what they were for.',
  plugins: [scribe()],
  budget: { inputTokens: 1000 },
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
