import { definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const broken = definePlugin({
  name: 'broken',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('fall into the water', () => {
      throw new Error('Splash.');
    });
  },
});

export default sample({
  topic: 'Plugins and engines',
  title: 'A plugin that fails is skipped, and the prompt is made without it',
  why: 'One bad plugin would otherwise silence the agent for everybody.',
  plugins: [broken()],
  run: async ({ host, session, model }) => {
    const failures: unknown[] = [];
    host.events.on('plugin-failed', ({ plugin, hook, error }) => failures.push({ plugin, hook, error }));
    return { prompt: await session.assemble({ model: model.ref }), failures };
  },
});
