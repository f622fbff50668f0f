import {
  createHost,
  definePlugin,
  type Entry,
  fold,
  type Host,
  type Message,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const user = (content: string): Message => ({ role: 'user', content });

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

async function expectLaw(store: Store): Promise<void> {
  const journal = await store.open('s', { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries }));
}

/** A store whose appends fail with an error of the disk, one after the other as told. */
function failing(store: Store, fails: () => boolean): Store {
  return {
    ...store,
    supports: store.supports,
    open: async (sessionId, options) => {
      const journal = await store.open(sessionId, options);
      return {
        ...journal,
        header: journal.header,
        append: async (entries, appendOptions) => {
          if (fails()) throw new Error('no space left');
          return journal.append(entries, appendOptions);
        },
      };
    },
  };
}

describe('appending', () => {
  test('tries again behind what another host has appended meanwhile, and loses nothing', async () => {
    const store = memoryStore();
    const hosts = await Promise.all([createHost({ store }), createHost({ store })]);
    const sessions = await Promise.all(hosts.map((host: Host) => host.open('s')));
    for (let turn = 0; turn < 10; turn += 1) {
      await Promise.all(sessions.map((session, index) => session.ingest(user(`${index} says ${turn}`))));
      await sessions[turn % 2]?.assemble({ model });
    }
    await Promise.all(hosts.map((host) => host.close()));
    await using later = await createHost({ store });
    const entries = await entriesOf(await later.open('s'));
    expect(entries.filter((entry) => entry.type === 'message')).toHaveLength(20);
    expect(entries.filter((entry) => entry.type === 'request')).toHaveLength(10);
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    await expectLaw(store);
  });

  test('leaves a session as it was when the disk refuses, at every append', async () => {
    for (let bad = 0; bad < 12; bad += 1) {
      const store = memoryStore();
      let count = 0;
      const host = await createHost({ store: failing(store, () => count++ === bad) });
      const session = await host.open('s');
      let failures = 0;
      for (let turn = 0; turn < 6; turn += 1) {
        await session.ingest(user(`message ${turn}`), { key: `${turn}` }).catch(() => {
          failures += 1;
        });
        await session.assemble({ model }).catch(() => undefined);
        await session.ingest(user(`message ${turn}`), { key: `${turn}` }).catch(() => undefined);
      }
      const entries = await entriesOf(session);
      const texts = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.content] : []));
      expect(texts).toEqual(['message 0', 'message 1', 'message 2', 'message 3', 'message 4', 'message 5']);
      expect(failures).toBeLessThanOrEqual(1);
      await host.close().catch(() => undefined);
      await expectLaw(store);
    }
  });

  test('can be opened again after a close that failed', async () => {
    let fails = false;
    await using host = await createHost({ store: failing(memoryStore(), () => fails) });
    const session = await host.open('s');
    await session.ingest(user('hello'));
    await session.assemble({ model });
    fails = true;
    await expect(session.close()).rejects.toThrow('no space left');
    fails = false;
    const again = await host.open('s');
    await again.ingest(user('there'));
    expect((await again.assemble({ model })).messages).toEqual([user('hello'), user('there')]);
  });
});

describe('what a session holds', () => {
  test('is what was stored, whatever the caller does with its objects', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s');
    const content = [{ type: 'text' as const, text: 'first' }];
    await session.ingest({ role: 'user', content });
    content[0] = { type: 'text', text: 'changed' };
    const value = { deep: ['a'] };
    await session.set('x', value);
    value.deep.push('b');
    expect((await session.assemble({ model })).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'first' }] },
    ]);
    expect(session.view.settings).toEqual({ x: { deep: ['a'] } });
  });

  test('counts every request at once, and explains the last one right away', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    await session.ingest(user('hello'));
    expect((await session.assemble({ model })).manifest.request).toBe(1);
    expect((await session.assemble({ model })).manifest.request).toBe(2);
    expect((await session.explain()).request).toBe(2);
    expect(session.view.model).toBe('test/test-1');
  });

  test('is nothing of what taps record in a dry run, or for a message that is refused', async () => {
    const counting = definePlugin({
      name: 'counting',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.shape.tapPromise('count', (_, context) => context.record('shape', 1));
        hooks.ingest.tapPromise('count', ({ message }, context) => {
          context.record('ingest', 1);
          if (message.content === 'no') throw new Error('refused');
        });
      },
    });
    await using host = await createHost({ plugins: [counting()] });
    const session = await host.open('s');
    await session.ingest(user('no')).catch(() => undefined);
    await session.assemble({ model, dryRun: true });
    await session.ingest(user('yes'));
    expect((await entriesOf(session)).map((entry) => entry.type)).toEqual(['counting:ingest', 'message']);
    await session.assemble({ model });
    await session.ingest(user('yes'));
    expect((await entriesOf(session)).map((entry) => entry.type)).toContain('counting:shape');
  });

  test.each(['message', 'core:compaction-breaker', 'no-owner', 'a:B', ''])(
    'refuses a record of the type %j',
    async (type) => {
      await using host = await createHost();
      const session = await host.open('s');
      await expect(session.record(type as 'a:b', 1)).rejects.toMatchObject({ code: 'VARVE_PLUGIN_RECORD' });
    },
  );
});

describe('a compaction', () => {
  async function twiceCompacted(store: Store): Promise<{ host: Host; session: Session }> {
    const host = await createHost({ store, budget: { inputTokens: 2_000 } });
    const session = await host.open('s');
    await session.ingest({ role: 'system', content: 'Answer in rhyme.' });
    for (let turn = 0; turn < 24; turn += 1) {
      await session.ingest(user(`Question ${turn}. ${'word '.repeat(40)}`));
      await session.ingest({ role: 'assistant', content: `Answer ${turn}. ${'word '.repeat(40)}` });
      if (turn === 11 || turn === 23) await session.compact('manual', { model });
    }
    return { host, session };
  }

  test('that is undone leaves the system prompt where it is', async () => {
    const store = memoryStore();
    const { host, session } = await twiceCompacted(store);
    for (let undone = 0; undone < 2; undone += 1) {
      await session.undo(session.view.compaction()?.id ?? '');
      const { system } = await session.assemble({ model });
      expect(system).toEqual([{ layer: 'system', text: 'Answer in rhyme.' }]);
      await expectLaw(store);
    }
    await host.close();
  });

  test('is explained as the manifest says, entry by entry', async () => {
    const { host, session } = await twiceCompacted(memoryStore());
    for (let request = 1; request <= 3; request += 1) {
      const { manifest } = await session.assemble({ model });
      const { entries } = await session.explain();
      const explained = new Map(entries.map(({ seq, verdict }) => [seq, verdict.kind]));
      for (const { seq, kind } of manifest.entries) expect([seq, explained.get(seq)]).toEqual([seq, kind]);
      const shown = new Set(manifest.entries.map(({ seq }) => seq));
      for (const { seq, verdict } of entries) if (!shown.has(seq)) expect(verdict.kind).toBe('summarised');
      await session.ingest(user('And?'));
    }
    await host.close();
  });
});

test('sticky edits that are made while the model changes belong to the new model', async () => {
  const shorten = definePlugin({
    name: 'shorten',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shape.tapPromise('cut', (draft) =>
        draft.edit(({ text }) => (text.length > 20 ? text.slice(0, 9) : undefined), { rule: 'cut', sticky: true }),
      );
    },
  });
  await using host = await createHost({ plugins: [shorten()] });
  const session = await host.open('s');
  await session.ingest(user('a message that is longer than twenty characters'));
  await session.ingest({ role: 'assistant', content: 'short' });
  await session.ingest(user('now'));
  for (const name of ['one', 'two', 'two', 'two']) {
    const prompt = await session.assemble({ model: { provider: 'test', model: name } });
    expect(prompt.messages[0]?.content).toBe('a message');
    await session.ingest(user('more'));
  }
  expect((await entriesOf(session)).filter((entry) => entry.type === 'edit')).toHaveLength(2);
});

describe('what happens at the same time', () => {
  async function longTalk(): Promise<{ host: Host; session: Session; store: Store }> {
    const store = memoryStore();
    const host = await createHost({ store, budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    for (let turn = 0; turn < 20; turn += 1) {
      await session.ingest(user(`Question ${turn}. ${'word '.repeat(40)}`));
      await session.ingest({ role: 'assistant', content: `Answer ${turn}. ${'word '.repeat(40)}` });
    }
    return { host, session, store };
  }

  test('lets one of two compactions win, and tells the other', async () => {
    const { host, session, store } = await longTalk();
    const outcomes = await Promise.all([1, 2].map(() => session.compact('manual', { model })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['compacted', 'stale']);
    await expectLaw(store);
    await host.close();
  });

  test('does not let a compaction build on one that is being undone', async () => {
    const { host, session, store } = await longTalk();
    const first = await session.compact('manual', { model });
    await session.ingest(user(`More. ${'word '.repeat(400)}`));
    await Promise.all([session.undo(first.entry?.id ?? ''), session.compact('manual', { model })]);
    await expectLaw(store);
    const shown = session.view.messages().length;
    const covered = session.view.compaction()?.range;
    expect(shown + (covered === undefined || covered === null ? 0 : covered.to.seq)).toBeGreaterThanOrEqual(41);
    await host.close();
  });

  test('gives a request that is made during an undo its place behind it', async () => {
    for (let wait = 0; wait < 12; wait += 1) {
      const { host, session, store } = await longTalk();
      const { entry } = await session.compact('manual', { model });
      const undoing = session.undo(entry?.id ?? '');
      for (let turn = 0; turn < wait; turn += 1) await Promise.resolve();
      await session.assemble({ model });
      await undoing;
      await session.ingest(user('after'));
      const entries = await entriesOf(session);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      expect(entries.filter(({ type }) => type === 'request')).toHaveLength(1);
      await expectLaw(store);
      await host.close();
    }
  });

  test('gives a request that is made while a message is being stored its place behind it', async () => {
    const inner = memoryStore();
    const slow: Store = {
      ...inner,
      supports: inner.supports,
      open: async (sessionId, options) => {
        const journal = await inner.open(sessionId, options);
        return {
          ...journal,
          header: journal.header,
          append: async (entries, given) => {
            for (let wait = 0; wait < 20; wait += 1) await Promise.resolve();
            return journal.append(entries, given);
          },
        };
      },
    };
    const host = await createHost({ store: slow });
    const session = await host.open('s');
    for (let turn = 0; turn < 5; turn += 1) {
      const storing = session.ingest(user(`message ${turn}`));
      for (let wait = 0; wait < 8; wait += 1) await Promise.resolve();
      await session.assemble({ model });
      await storing;
    }
    await host.close();
    await using later = await createHost({ store: inner });
    const entries = await entriesOf(await later.open('s'));
    expect(entries.filter(({ type }) => type === 'request')).toHaveLength(5);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    await expectLaw(inner);
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'takes %s for a name like any other',
    async (name) => {
      const store = memoryStore();
      const host = await createHost({ store });
      const session = await host.open('s');
      await session.setState(name, 'a text');
      await session.setState(name, 'another text');
      await session.set(name, 1);
      await session.ingest(user('hello'), { key: name });
      expect(JSON.stringify((await session.assemble({ model })).messages)).toContain('another text');
      await host.close();
      await using later = await createHost({ store });
      const again = await later.open('s');
      expect(Object.entries(again.view.settings)).toEqual([[name, 1]]);
      await expectLaw(store);
    },
  );
});
