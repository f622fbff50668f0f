import { type ContextEngine, definePlugin } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const sinking = (): ContextEngine => ({
  info: { id: 'sinking', name: 'Sinking', version: '1.0.0' },
  ingest: async () => ({ ingested: true }),
  assemble: async () => Promise.reject(new Error('Glug.')),
  compact: async ({ defaultPlan }) => defaultPlan(),
});

const sinkingEngine = definePlugin({
  name: 'sinking-engine',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ registerEngine }) => registerEngine('sinking', sinking),
});

export default sample({
  topic: 'Plugins and engines',
  title: 'An engine that fails is told of, and history is sent as it is',
  why: 'The conversation goes on, and nobody has to find out from worse answers that something is broken.',
  plugins: [sinkingEngine()],
  engine: 'sinking',
  run: async ({ host, session, model }) => {
    const degraded: unknown[] = [];
    host.events.on('engine-degraded', ({ engine, method, error }) => degraded.push({ engine, method, error }));
    return { prompt: await session.assemble({ model: model.ref }), degraded };
  },
});
