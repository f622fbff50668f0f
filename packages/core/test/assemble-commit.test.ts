import { createHost, definePlugin, type Entry, type Host, memoryStore, type Session, type Store } from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

const shorten = definePlugin({
  name: 'shorten',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('cut', (draft, context) => {
      context.record('seen', draft.items.length);
      return draft.edit(({ text }) => (text.length > 20 ? text.slice(0, 9) : undefined), { rule: 'cut', sticky: true });
    });
  },
});

/** A store whose appends fail as told. */
function failing(store: Store, fails: () => boolean): Store {
  return {
    ...store,
    open: async (sessionId, options) => {
      const journal = await store.open(sessionId, options);
      return {
        ...journal,
        append: async (entries, appendOptions) => {
          if (fails()) throw new Error('no space left');
          return journal.append(entries, appendOptions);
        },
      };
    },
  };
}

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

async function talking(fails: () => boolean): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ store: failing(memoryStore(), fails), plugins: [shorten()] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'a message that is longer than twenty characters' });
  await session.ingest({ role: 'assistant', content: 'short' });
  await session.ingest({ role: 'user', content: 'now' });
  return { host, session };
}

test('stores one request for one prompt when the append of its sticky edits fails first', async () => {
  let fails = false;
  const { host, session } = await talking(() => fails);
  fails = true;
  await expect(session.assemble({ model })).rejects.toThrow('no space left');
  fails = false;
  expect(session.view.model).toBeNull();
  const prompt = await session.assemble({ model });
  expect(prompt.manifest).toMatchObject({ request: 1, firstChangedByte: null, actions: [] });
  await session.ingest({ role: 'assistant', content: 'done' });
  const types = (await entriesOf(session)).map(({ type }) => type);
  expect(types).toEqual(['message', 'message', 'message', 'shorten:seen', 'request', 'edit', 'message']);
  await host.close();
});

test('stores edits and their request in one append, and the last of several edits of one part alone', async () => {
  const again = definePlugin({
    name: 'again',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      for (const [index, text] of ['first', 'second'].entries()) {
        hooks.shape.tapPromise(`edit ${index}`, (draft) =>
          draft.edit((part) => (part.item.seq === 1 ? text : undefined), { rule: 'again', sticky: true }),
        );
      }
    },
  });
  await using host = await createHost({ plugins: [shorten(), again()] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'a message that is longer than twenty characters' });
  await session.ingest({ role: 'assistant', content: 'short' });
  await session.ingest({ role: 'user', content: 'now' });
  const first = await session.assemble({ model });
  expect((await entriesOf(session)).map(({ type }) => type).slice(3)).toEqual(['shorten:seen', 'request', 'edit']);
  expect((await entriesOf(session)).at(-1)).toMatchObject({ by: 'again', edits: [{ seq: 1, text: 'second' }] });
  const second = await session.assemble({ model });
  expect(second.messages).toEqual(first.messages);
});
