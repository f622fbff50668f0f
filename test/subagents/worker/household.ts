import { randomUUID } from 'node:crypto';
import { createHost, definePlugin, type Host, type ModelPort, type ModelRequest, type Store } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { z } from 'zod';
import type { ChildEnding } from '../job.ts';
import { type Gate, gate } from './gate.ts';

/** Key of the conversation that gives the task. */
export const parentKey = 'agent:main:main';

/** A conversation and its sub-agent, which do as they are told. */
export interface Household {
  readonly host: Host;
  readonly sessions: Sessions;
  /** The sub-agent has been asked; it goes on behind `childGoes`. */
  readonly childAsked: Gate;
  readonly childGoes: Gate;
  /** The parent has been asked by somebody who said `wait`; it answers behind `parentGoes`. */
  readonly parentAsked: Gate;
  readonly parentGoes: Gate;
  /** A compaction wants its summary; it gets one behind `summaryGoes`. */
  readonly summaryAsked: Gate;
  readonly summaryGoes: Gate;
}

/** Opens it on a store. */
export async function openHousehold(store: Store, child: ChildEnding): Promise<Household> {
  const gates = {
    childAsked: gate(),
    childGoes: gate(),
    parentAsked: gate(),
    parentGoes: gate(),
    summaryAsked: gate(),
    summaryGoes: gate(),
  };
  const summarising = definePlugin({
    name: 'test/summarising',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.summarize.tapPromise('wait', async () => {
        gates.summaryAsked.open();
        await gates.summaryGoes.opened;
        return 'They talked.';
      });
    },
  });
  const host = await createHost({ store, plugins: [summarising()] });
  const port: ModelPort = {
    ref: { provider: 'test', model: 'scripted' },
    generate: async (request, { signal } = {}) => {
      const text = await answerTo(request, { child, gates, signal });
      return { message: { role: 'assistant', content: text, stop: 'stop' }, usage: null };
    },
  };
  const models = { defaultModel: 'test/scripted', port: () => port };
  const sessions = createSessions({ host, models, randomId: randomUUID });
  return { host, sessions, ...gates };
}

async function answerTo(
  { prompt }: ModelRequest,
  {
    child,
    gates,
    signal,
  }: {
    readonly child: ChildEnding;
    readonly gates: Pick<Household, 'childAsked' | 'childGoes' | 'parentAsked' | 'parentGoes'>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<string> {
  const said = JSON.stringify(prompt.messages);
  if (!said.includes('You are a sub-agent')) {
    if (!said.includes('> ') && said.includes('wait')) {
      gates.parentAsked.open();
      await gates.parentGoes.opened;
    }
    return 'I see.';
  }
  gates.childAsked.open();
  const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  await Promise.race([gates.childGoes.opened, aborted]);
  if (child === 'fails') throw new Error('The tools are broken.');
  return 'There are 4711 of them.\nI counted twice.';
}
