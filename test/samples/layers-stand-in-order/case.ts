import { definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const boards = definePlugin({
  name: 'boards',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.collect.tapPromise('hang up the boards', (draft) =>
      draft
        .addLayer({ id: 'now', role: 'user', stability: 'volatile', items: [{ text: 'It is noon.' }] }, 'clock')
        .addLayer({ id: 'boats', role: 'user', stability: 'session', items: [{ text: 'Heron, Teal.' }] }, 'board')
        .addLayer({ id: 'rules', role: 'system', stability: 'static', items: [{ text: 'No wake.' }] }, 'board'),
    );
  },
});

export default sample({
  topic: 'Budget and layers',
  title: 'Layers stand by how long their text stays the same, in whichever order they were added',
  why: 'A clock above the conversation makes every prompt a new one for the cache.',
  plugins: [boards()],
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
