import {
  createHost,
  definePlugin,
  type Entry,
  fold,
  type Journal,
  type Message,
  type ModelRef,
  memoryStore,
  type Session,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

type Step =
  | { readonly do: 'system' | 'user' | 'assistant' | 'call' | 'parallel' | 'result' | 'empty'; readonly size: number }
  | { readonly do: 'request'; readonly model: number }
  | { readonly do: 'set' | 'state' | 'clear' | 'record'; readonly name: number }
  | { readonly do: 'compact' | 'undo' | 'undo-edit' | 'undo-state' | 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('system', 'user', 'assistant', 'call', 'parallel', 'result', 'empty'),
      size: fc.nat(400),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('request' as const), model: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('set', 'state', 'clear', 'record'), name: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('compact', 'undo', 'undo-edit', 'undo-state', 'reopen') }) },
);

/** Shortens long texts for good, so that journals hold sticky edits. */
const shorten = definePlugin({
  name: 'shorten',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('cut', (draft) =>
      draft.edit(({ text }) => (text.length > 200 ? text.slice(0, 150) : undefined), { rule: 'cut', sticky: true }),
    );
  },
});

function message(kind: string, { size, id }: { size: number; id: number }): Message {
  const text = `${kind} ${id} ${'word '.repeat(size % 90)}`;
  const call = (suffix: string) =>
    ({ type: 'tool-call', toolCallId: `c${id % 7}${suffix}`, toolName: 'read', input: { id } }) as const;
  if (kind === 'call') return { role: 'assistant', content: [{ type: 'text', text }, call('')] };
  if (kind === 'parallel') return { role: 'assistant', content: [call(''), call('b')] };
  if (kind === 'empty') return { role: 'assistant', content: [] };
  if (kind !== 'result') return { role: kind as 'system' | 'user' | 'assistant', content: text };
  const output = { type: 'text', value: text } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${id % 7}`, toolName: 'read', output }] };
}

async function perform(session: Session, one: Step, id: number): Promise<void> {
  const model: ModelRef = { provider: 'p', model: one.do === 'request' && one.model === 0 ? 'other' : 'usual' };
  if ('size' in one) await session.ingest(message(one.do, { size: one.size, id }), { key: `key-${id % 50}-${one.do}` });
  else if (one.do === 'request') await session.assemble({ model });
  else if (one.do === 'set') await session.set(`name-${one.name}`, id);
  else if (one.do === 'state') await session.setState(`slot-${one.name}`, `text ${id}`);
  else if (one.do === 'clear') await session.setState(`slot-${one.name}`, null);
  else if (one.do === 'record') await session.record(`host:kind-${one.name}`, { id });
  else if (one.do === 'compact') await session.compact('manual', { model });
  else if (one.do !== 'reopen') await undoLast(session, one.do);
}

async function undoLast(session: Session, what: 'undo' | 'undo-edit' | 'undo-state'): Promise<void> {
  const type = { undo: 'compaction', 'undo-edit': 'edit', 'undo-state': 'state' }[what];
  if (what === 'undo') {
    const compaction = session.view.compaction();
    if (compaction !== null) await session.undo(compaction.id);
    return;
  }
  let last: Entry | undefined;
  for await (const entry of session.read()) if (entry.type === type) last = entry;
  if (last !== undefined) await session.undo(last.id);
}

async function wholeOf(journal: Journal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}

describe('fold', () => {
  test('gives the same for the tail as for the whole journal, at every step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const store = memoryStore();
        const open = async () => {
          const host = await createHost({ store, plugins: [shorten()], budget: { inputTokens: 3_000 } });
          return { host, session: await host.open('s') };
        };
        let { host, session } = await open();
        const journal = await store.open('s', { readOnly: true });
        for (const [id, one] of steps.entries()) {
          await perform(session, one, id);
          if (one.do === 'reopen') {
            await host.close();
            ({ host, session } = await open());
          }
          const folded = fold(await journal.tail());
          expect(folded).toEqual(fold({ checkpoint: null, entries: await wholeOf(journal) }));
          expect(folded.messages).toEqual(session.view.messages());
        }
        await host.close();
      }),
      { numRuns: 150 },
    );
  });

  test('gives the same prompt after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50 }), async (steps) => {
        const store = memoryStore();
        const options = { store, plugins: [shorten()], budget: { inputTokens: 3_000 } };
        const host = await createHost(options);
        const session = await host.open('s');
        await session.ingest({ role: 'user', content: 'begin' });
        for (const [id, one] of steps.entries()) if (one.do !== 'reopen') await perform(session, one, id);
        const model = { provider: 'p', model: 'usual' };
        const before = await session.assemble({ model });
        await host.close();
        const later = await createHost(options);
        const after = await (await later.open('s')).assemble({ model });
        expect([after.system, after.messages, after.tokens]).toEqual([before.system, before.messages, before.tokens]);
        await later.close();
      }),
      { numRuns: 80 },
    );
  });

  test('follows the head where it was moved to, and ignores what is off its path', () => {
    const base = { v: 1, at: 0, type: 'message', provenance: { kind: 'user' }, tokens: { n: 5, by: 'x' } } as const;
    const line = (seq: number, parent: number | null): Entry => ({
      ...base,
      id: `e${seq}`,
      seq,
      parentId: parent === null ? null : `e${parent}`,
      message: { role: 'user', content: `message ${seq}` },
    });
    const head: Entry = {
      v: 1,
      at: 0,
      type: 'head',
      id: 'e4',
      seq: 4,
      parentId: 'e3',
      targetId: 'e1',
      targetSeq: 1,
      reason: 'rewind',
    };
    const folded = fold({ checkpoint: null, entries: [line(1, null), line(2, 1), line(3, 2), head, line(5, 1)] });
    expect(folded.messages.map((entry) => entry.seq)).toEqual([1, 5]);
    expect(folded.headId).toBe('e5');
  });

  test('goes on behind a line that was lost, with the one before it in the file', () => {
    const base = { v: 1, at: 0, type: 'message', provenance: { kind: 'user' }, tokens: { n: 5, by: 'x' } } as const;
    const entries = Array.from(
      { length: 6 },
      (_, index): Entry => ({
        ...base,
        id: `e${index + 1}`,
        seq: index + 1,
        parentId: index === 0 ? null : `e${index}`,
        message: { role: 'user', content: `message ${index + 1}` },
      }),
    );
    const damaged = entries.filter((entry) => entry.seq !== 3 && entry.seq !== 4);
    expect(fold({ checkpoint: null, entries: damaged }).messages.map((entry) => entry.seq)).toEqual([1, 2, 5, 6]);
  });

  test('ends where parents form a cycle', () => {
    const base = { v: 1, at: 0, type: 'message', provenance: { kind: 'user' }, tokens: { n: 5, by: 'x' } } as const;
    const message = { role: 'user', content: 'x' } as const;
    const entries: Entry[] = [
      { ...base, id: 'a', seq: 1, parentId: 'b', message },
      { ...base, id: 'b', seq: 2, parentId: 'c', message },
      { ...base, id: 'c', seq: 3, parentId: 'a', message },
    ];
    expect(fold({ checkpoint: null, entries }).messages.length).toBeLessThanOrEqual(3);
  });

  test('leaves no edit of a compaction that was taken back on a message that a later one holds', async () => {
    const store = memoryStore();
    await using host = await createHost({ store, budget: { inputTokens: 8_000 } });
    const session = await host.open('s');
    const asked: Message = { role: 'user', content: `Read it. ${'varve '.repeat(1_200)}` };
    const call = (id: string): Message => ({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'read', input: {} }],
    });
    const result = (id: string, size: number): Message => {
      const output = { type: 'text', value: `${id} ${'clay '.repeat(size)}` } as const;
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output }] };
    };
    const model: ModelRef = { provider: 'p', model: 'usual' };
    for (const said of [asked, call('a'), result('a', 9_000)]) await session.ingest(said);
    const first = (await session.compact('overflow', { model })).entry;
    expect(first?.edits.map((edit) => edit.seq)).toEqual([1, 3]);
    for (const said of [call('b'), result('b', 10)]) await session.ingest(said);
    await session.undo(first?.id ?? '');
    const second = (await session.compact('overflow', { model })).entry;
    expect(second).toMatchObject({ range: { held: { seq: 1 } }, edits: [] });
    expect((await session.assemble({ model })).messages).toContainEqual(asked);
    const journal = await store.open('s');
    expect(fold(await journal.tail()).edits.size).toBe(0);
  });
});
