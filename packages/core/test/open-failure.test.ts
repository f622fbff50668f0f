import {
  type ContextEngine,
  createHost,
  createTokenCounter,
  definePlugin,
  type HostOptions,
  memoryStore,
  type Store,
  VarveError,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** Counts journals that are open, and engines that are not disposed of. */
interface Held {
  journals: number;
  engines: number;
  /** Engines that were made. */
  made: number;
}

/** A store that counts what it has given and not got back. */
function counting(inner: Store, held: Held): Store {
  return {
    ...inner,
    open: async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      held.journals += 1;
      let close = async (): Promise<void> => {
        held.journals -= 1;
        close = async () => undefined;
        await journal.close();
      };
      return { ...journal, close: () => close(), [Symbol.asyncDispose]: () => close() };
    },
  };
}

const engines = (held: Held) =>
  definePlugin({
    name: 'engines',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ registerEngine }) =>
      registerEngine('own', (): ContextEngine => {
        held.engines += 1;
        held.made += 1;
        return {
          info: { id: 'own', name: 'Own', version: '1.0.0' },
          ingest: async () => ({ ingested: true }),
          assemble: async ({ draft }) => draft,
          compact: async ({ defaultPlan }) => defaultPlan(),
          dispose: async () => {
            held.engines -= 1;
          },
        };
      }),
  })();

async function storeWithMessage(): Promise<Store> {
  const store = memoryStore();
  await using host = await createHost({ store });
  await (await host.open('s')).ingest({ role: 'user', content: 'hello' });
  return store;
}

const broken = createTokenCounter('broken', () => {
  throw new Error('No tokenizer.');
});

const locked: Store['open'] = async () => {
  throw new VarveError('VARVE_STORE_LOCKED', 'Another process writes.', { fix: 'Wait.' });
};

type Way = (store: Store) => { readonly host: HostOptions; readonly open?: object; readonly error: object };

const ways: readonly (readonly [string, Way])[] = [
  [
    'its messages cannot be counted',
    (store) => ({ host: { store, tokens: broken }, error: { message: 'No tokenizer.' } }),
  ],
  [
    'its messages cannot be counted, and it is only read',
    (store) => ({ host: { store, tokens: broken }, open: { readOnly: true }, error: { message: 'No tokenizer.' } }),
  ],
  [
    'somebody else writes to it',
    (store) => ({ host: { store: { ...store, open: locked } }, error: { code: 'VARVE_STORE_LOCKED' } }),
  ],
  ['there is none to be read', () => ({ host: {}, open: { readOnly: true }, error: { code: 'VARVE_STORE_MISSING' } })],
];

describe('a session that cannot be opened', () => {
  test.each(ways)('because %s leaves neither its journal open nor its engine', async (_, way) => {
    const held: Held = { journals: 0, engines: 0, made: 0 };
    const { host: options, open, error } = way(counting(await storeWithMessage(), held));
    await using host = await createHost({ ...options, plugins: [engines(held)], engine: 'own' });
    await expect(host.open('s', open)).rejects.toMatchObject(error);
    expect(held).toEqual({ journals: 0, engines: 0, made: 1 });
  });
});
