import { type ContextEngine, definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

/** Sends the running turn alone. */
const forgetful = (): ContextEngine => ({
  info: { id: 'forgetful', name: 'Forgetful', version: '1.0.0' },
  ingest: async () => ({ ingested: true }),
  assemble: async ({ draft }) => {
    const old = draft.groups().filter((group) => !group.live);
    return draft.drop(
      old.map(({ id }) => id),
      'not-of-this-turn',
    );
  },
  compact: async ({ defaultPlan }) => defaultPlan(),
});

const forgetfulEngine = definePlugin({
  name: 'forgetful-engine',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ registerEngine }) => registerEngine('forgetful', forgetful),
});

export default sample({
  topic: 'Plugins and engines',
  title: 'An engine decides how history becomes a prompt, and the manifest names it',
  why: 'A strategy that can only be had by changing the product is had by nobody.',
  plugins: [forgetfulEngine()],
  engine: 'forgetful',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
