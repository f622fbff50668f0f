import { createHost, definePlugin, type Entry, memoryStore, type Session, type Store } from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const long = 'clay '.repeat(200);

/** A store that fails the test when somebody who only looks writes. */
function guarded(store: Store): { store: Store; writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    store: {
      ...store,
      sessions: {
        ...store.sessions,
        put: (...change) => {
          writes.push('put');
          return store.sessions.put(...change);
        },
      },
      open: (sessionId, options = {}) => {
        if (options.readOnly !== true) writes.push('open');
        return store.open(sessionId, options);
      },
    },
  };
}

const recording = definePlugin({
  name: 'recording',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('note', (draft, context) => {
      context.record('seen', 1);
      return draft.edit(({ text }) => (text.length > 500 ? text.slice(0, 60) : undefined), {
        rule: 'cut',
        sticky: true,
      });
    });
    hooks.compact.tapPromise('note', (_, context) => {
      context.record('planned', 1);
    });
  },
});

async function storeWithSession(): Promise<Store> {
  const store = memoryStore();
  const host = await createHost({ store });
  const session = await host.open('s', { label: 'L' });
  for (let n = 0; n < 8; n += 1) {
    await session.ingest({ role: 'user', content: `Question ${n} ${long}` });
    await session.ingest({ role: 'assistant', content: 'Yes.' });
  }
  await host.close();
  return store;
}

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

describe('a session that is opened for reading only', () => {
  test('makes the prompts that the session itself would make, and leaves no trace', async () => {
    const inner = await storeWithSession();
    const record = await inner.sessions.get('s');
    const { store, writes } = guarded(inner);
    const host = await createHost({ store, plugins: [recording()] });
    const session = await host.open('s', { readOnly: true, label: 'other' });
    const before = await entriesOf(session);
    const prompt = await session.assemble({ model });
    const other = { provider: 'other', model: 'other-1' };
    expect((await session.assemble({ model: other })).tokens).toBeGreaterThan(0);
    expect(await session.plan('manual', { model })).toMatchObject({ trigger: 'manual' });
    expect(session.pressure({ model }).tokens).toBeGreaterThan(0);
    expect(session.view.messages()).toHaveLength(16);
    expect(session.health().ok).toBe(true);
    await expect(session.explain()).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    expect(await entriesOf(session)).toEqual(before);
    await host.close();
    expect(writes).toEqual([]);
    expect(await inner.sessions.get('s')).toEqual(record);
    await using writer = await createHost({ store: inner, plugins: [recording()] });
    const same = await (await writer.open('s')).assemble({ model });
    expect(prompt.messages).toEqual(same.messages);
  });

  test('refuses whatever would change it, before any plugin runs', async () => {
    const store = await storeWithSession();
    await using host = await createHost({ store });
    const finished: string[] = [];
    host.events.on('tap-finished', ({ tap }) => finished.push(tap));
    const session = await host.open('s', { readOnly: true });
    const plan = await session.plan('manual', { model });
    const [first] = await entriesOf(session);
    const id = first?.id ?? '';
    const attempts: Record<string, () => Promise<unknown>> = {
      ingest: () => session.ingest({ role: 'user', content: 'x' }),
      compact: () => session.compact('manual', { model }),
      commit: () => session.commit(plan as never, { model }),
      undo: () => session.undo(id),
      moveHead: () => session.moveHead(id, { reason: 'rewind' }),
      forget: () => session.forget([id], 'test'),
      set: () => session.set('x', 1),
      setState: () => session.setState('x', 'y'),
      record: () => session.record('host:x', 1),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      await expect(attempt(), name).rejects.toMatchObject({ code: 'VARVE_STORE_READ_ONLY' });
    }
    expect(finished).toEqual([]);
  });

  test('answers commands that only look, as of now, and runs no code of a plugin for them', async () => {
    const ran: string[] = [];
    const plugin = definePlugin({
      name: 'busy',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      tools: {
        send: {
          description: 'Sends.',
          input: z.strictObject({}),
          execute: () => {
            ran.push('send');
            return 'sent';
          },
        },
      },
      apply: ({ hooks }) => {
        hooks.command.tapPromise('answer', ({ name }) => {
          ran.push(name);
          return undefined;
        });
      },
    });
    await using host = await createHost({ store: await storeWithSession(), plugins: [plugin()] });
    const session = await host.open('s', { readOnly: true });
    const refused = { code: 'VARVE_STORE_READ_ONLY' };
    for (const name of ['status', 'context', 'help']) {
      expect((await session.command(`/${name}`, { model }))?.text, name).toMatch(/\S/);
    }
    for (const name of ['compact', 'deploy']) {
      await expect(session.command(`/${name}`, { model }), name).rejects.toMatchObject(refused);
    }
    expect(await session.command('no command', { model })).toBeNull();
    const [tool] = session.tools();
    expect(tool?.name).toBe('send');
    await expect(tool?.execute({}, { toolCallId: 'a' })).rejects.toMatchObject(refused);
    expect(ran).toEqual([]);
  });

  test('shows what a compaction covers that somebody else has made since', async () => {
    await using host = await createHost({ store: await storeWithSession() });
    const reader = await host.open('s', { readOnly: true });
    const { entry } = await (await host.open('s')).compact('manual', { model });
    const covered: Entry[] = [];
    for await (const one of reader.expand(entry?.id ?? '')) covered.push(one);
    expect(covered.length).toBeGreaterThan(0);
    expect(reader.view.compaction()?.id).toBe(entry?.id);
  });

  test('does not begin a session that is not there', async () => {
    await using host = await createHost();
    await expect(host.open('s', { readOnly: true })).rejects.toMatchObject({ code: 'VARVE_STORE_MISSING' });
    expect(await host.sessions.get('s')).toBeNull();
    expect((await host.open('s')).view.messages()).toEqual([]);
  });

  test('stands beside the one that writes: each is closed for itself, and reading follows what is written', async () => {
    await using host = await createHost({ store: await storeWithSession() });
    const reader = await host.open('s', { readOnly: true });
    const writer = await host.open('s');
    const other = await host.open('s', { readOnly: true });
    expect(await host.open('s')).toBe(writer);
    expect(writer).not.toBe(reader);
    await writer.ingest({ role: 'user', content: 'One more.' });
    expect(reader.view.messages()).toHaveLength(16);
    expect((await reader.assemble({ model })).messages.at(-1)).toEqual({ role: 'user', content: 'One more.' });
    expect(reader.view.messages()).toHaveLength(17);
    expect(reader.info().counters.messages).toBe(17);
    await other.close();
    await writer.close();
    expect((await reader.assemble({ model })).messages).toHaveLength(17);
    await reader.close();
    await expect(reader.assemble({ model })).rejects.toMatchObject({ code: 'VARVE_STORE_CLOSED' });
    const again = await host.open('s');
    await (await host.open('s', { readOnly: true })).close();
    expect((await again.ingest({ role: 'user', content: 'And on.' })).seq).toBe(18);
  });

  test('is a session of its own for each who looks at once: none takes it from another', async () => {
    await using host = await createHost({ store: await storeWithSession() });
    const look = async (steps: number): Promise<number> => {
      await using session = await host.open('s', { readOnly: true });
      for (let step = 0; step < steps; step += 1) await session.assemble({ model, dryRun: true });
      return (await session.assemble({ model })).messages.length;
    };
    expect(await Promise.all([look(0), look(1), look(2), look(3)])).toEqual([16, 16, 16, 16]);
  });
});
