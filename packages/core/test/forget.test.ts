import {
  createHost,
  definePlugin,
  type Entry,
  fold,
  type Host,
  type Message,
  type MessageEntry,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

const messagesOf = async (session: Session): Promise<readonly MessageEntry[]> =>
  (await entriesOf(session)).filter((entry) => entry.type === 'message');

/** Words of one message and of no other, so that a quotation of it can be told from anything else. */
const wordsOf = (id: number): string =>
  Array.from({ length: 6 }, (_, index) => `w${id}x${((id + 7) * (index + 3) * 7919).toString(36)}`).join(' ');

/** Every stretch of 12 characters that a message says. */
function stretchesOf(texts: readonly string[]): ReadonlySet<string> {
  const stretches = new Set<string>();
  for (const text of texts) for (let at = 0; at + 12 <= text.length; at += 1) stretches.add(text.slice(at, at + 12));
  return stretches;
}

/** Quotes what is said wherever a plugin can: in records, sticky edits, prose and the volatile layer. */
const quoting = definePlugin({
  name: 'quoting',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.collect.tapPromise('remember', (draft) =>
      draft.addLayer(
        {
          id: 'seen',
          role: 'user',
          stability: 'volatile',
          priority: 1,
          items: draft.items.slice(-3).map((item) => ({ text: JSON.stringify(item.message) })),
        },
        'seen',
      ),
    );
    hooks.shape.tapPromise('cut', (draft, context) => {
      context.record('said', {
        last: context.session
          .messages()
          .slice(-2)
          .map(({ message }) => JSON.stringify(message)),
      });
      return draft.edit(({ text }) => (text.length > 120 ? text.slice(0, 60) : undefined), {
        rule: 'cut',
        sticky: true,
      });
    });
    hooks.summarize.tapPromise('prose', ({ entries }) =>
      entries.map(({ message }) => JSON.stringify(message.content).slice(0, 70)).join(' '),
    );
  },
});

type Step =
  | { readonly do: 'user' | 'assistant' | 'call' | 'system'; readonly size: number }
  | { readonly do: 'assemble' | 'compact' | 'undo' | 'undo-edit' | 'note' | 'rewind' | 'reopen' }
  | { readonly do: 'forget'; readonly which: readonly number[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constantFrom('user', 'assistant', 'call', 'system'), size: fc.nat(60) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('assemble', 'assemble', 'compact', 'undo', 'undo-edit', 'note', 'rewind', 'reopen'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('forget' as const),
      which: fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
    }),
  },
);

function said(kind: string, { id, size }: { id: number; size: number }): readonly Message[] {
  const text = `${wordsOf(id)} ${'and so on. '.repeat(size)}`;
  if (kind !== 'call') return [{ role: kind as 'user' | 'assistant' | 'system', content: text }];
  const call = {
    type: 'tool-call',
    toolCallId: `c${id}`,
    toolName: 'read',
    input: { path: wordsOf(id), [wordsOf(id + 500)]: 1 },
  } as const;
  const options = { test: { signature: wordsOf(id + 1_000) } };
  const output = { type: 'json', value: { [wordsOf(id + 2_000)]: [text] } } as const;
  const reasoning = { type: 'reasoning', text: wordsOf(id + 3_000), providerOptions: options } as const;
  return [
    { role: 'assistant', content: [reasoning, call] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${id}`, toolName: 'read', output }] },
  ];
}

/** One conversation with all that can be done to it. */
async function perform(session: Session, one: Step, id: number): Promise<void> {
  if ('size' in one) {
    for (const message of said(one.do, { id, size: one.size })) {
      const provenance = { kind: 'user', senderId: wordsOf(id + 4_000) } as const;
      await session.ingest(message, { key: `${wordsOf(id + 5_000)} ${message.role}`, provenance });
    }
    return;
  }
  if (one.do === 'assemble') await session.assemble({ model });
  if (one.do === 'compact') await session.compact('manual', { model });
  const all = await entriesOf(session);
  const messages = all.filter((entry) => entry.type === 'message');
  const last = messages.at(-1);
  const compaction = session.view.compaction();
  if (one.do === 'undo' && compaction !== null) await session.undo(compaction.id);
  const edit = all.findLast((entry) => entry.type === 'edit');
  if (one.do === 'undo-edit' && edit !== undefined) await session.undo(edit.id);
  if (one.do === 'note' && last !== undefined) {
    await session.setState('todo', `First line\n${JSON.stringify(last.message)}`);
    await session.set('about', { deep: [JSON.stringify(last.message)] });
    await session.record('host:seen', { texts: [JSON.stringify(last.message)], count: 3 });
  }
  const earlier = messages.at(Math.floor(messages.length / 2));
  if (one.do === 'rewind' && earlier !== undefined) await session.moveHead(earlier.id, { reason: 'rewind' });
}

/** The texts of a message as they were given, its sender and key included. */
function textsOf({ message, provenance, key = '' }: MessageEntry): readonly string[] {
  const texts: string[] = [key, provenance.senderId ?? ''];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        texts.push(name);
        walk(part);
      }
    }
  };
  walk(message.content);
  return texts;
}

async function expectForgotten(session: Session, which: readonly number[]): Promise<void> {
  const before = await messagesOf(session);
  const chosen = new Set(which.flatMap((place) => before[place % Math.max(1, before.length)] ?? []));
  const staying = stretchesOf(before.filter((entry) => !chosen.has(entry)).flatMap(textsOf));
  const gone = [...stretchesOf([...chosen].filter((entry) => entry.forgotten === undefined).flatMap(textsOf))];
  await session.forget(
    [...chosen].map(({ id }) => id),
    'asked to',
  );
  const journal = JSON.stringify(await entriesOf(session));
  expect(gone.filter((stretch) => !staying.has(stretch) && journal.includes(stretch))).toEqual([]);
  const after = await messagesOf(session);
  expect(after.map(({ id, seq, message }) => [id, seq, message.role])).toEqual(
    before.map(({ id, seq, message }) => [id, seq, message.role]),
  );
  expect(after.filter((_, place) => !chosen.has(before[place] as MessageEntry))).toEqual(
    before.filter((entry) => !chosen.has(entry)),
  );
}

async function expectLaw(store: Store): Promise<void> {
  const journal = await store.open('s', { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  const tail = await journal.tail();
  expect(JSON.stringify(tail)).toEqual(
    JSON.stringify({ ...tail, entries: entries.slice(entries.length - tail.entries.length) }),
  );
  expect(fold(tail)).toEqual(fold({ checkpoint: null, entries }));
}

function expectPairs(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call') open.add(part.toolCallId);
      if (part.type === 'tool-result') expect([role, open.delete(part.toolCallId)]).toEqual(['tool', true]);
    }
  }
  expect([...open]).toEqual([]);
}

describe('forget', () => {
  test('leaves nothing of what was said, and a journal that means the same from its tail', async () => {
    let counted = { forgotten: 0, compacted: 0 };
    const law = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 40 }), async (steps) => {
      const store = memoryStore();
      const open = async (): Promise<{ host: Host; session: Session }> => {
        const host = await createHost({ store, plugins: [quoting()], budget: { inputTokens: 4_000 } });
        return { host, session: await host.open('s') };
      };
      let { host, session } = await open();
      for (const [id, one] of [...steps, { do: 'forget', which: [1, 2, 5] } as const].entries()) {
        if (one.do === 'forget') {
          await expectForgotten(session, one.which);
          await expectLaw(store);
          counted = { ...counted, forgotten: counted.forgotten + 1 };
          if (session.view.compaction() !== null) counted = { ...counted, compacted: counted.compacted + 1 };
        } else if (one.do === 'reopen') {
          await host.close();
          ({ host, session } = await open());
        } else await perform(session, one, id);
      }
      expectPairs((await session.assemble({ model })).messages);
      await session.ingest({ role: 'user', content: 'And on.' });
      await host.close();
      await expectLaw(store);
    });
    await fc.assert(law, { numRuns: 80 });
    expect(counted.forgotten).toBeGreaterThan(80);
    expect(counted.compacted).toBeGreaterThan(12);
  });

  test('lets a tombstone say why, and nothing else', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: '/etc/passwd' } } as const;
    const output = { type: 'error-text', value: 'No such file.' } as const;
    const given: readonly Message[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', image: 'aGVsbG8=' },
        ],
      },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }, call], stop: 'tool-calls' },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output }] },
      { role: 'assistant', content: 'Done.' },
    ];
    const ids: string[] = [];
    for (const message of given) ids.push((await session.ingest(message, { key: message.role + ids.length })).id);
    await session.forget(ids, '  asked by\n the user ');
    const note = '[forgotten: asked by the user]';
    const found = await messagesOf(session);
    expect(found.map(({ message }) => message)).toEqual([
      { role: 'system', content: note },
      { role: 'user', content: note },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: note },
          { ...call, input: {} },
        ],
        stop: 'tool-calls',
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'error-text', value: note } },
        ],
      },
      { role: 'assistant', content: note },
    ]);
    expect(found.every(({ forgotten, key }) => forgotten?.reason === 'asked by the user' && key === undefined)).toBe(
      true,
    );
    expect((await session.assemble({ model })).messages.at(-1)).toEqual({ role: 'assistant', content: note });
    await session.forget(ids, 'another reason');
    expect((await messagesOf(session))[0]?.forgotten?.reason).toBe('asked by the user');
  });

  test('takes the key with it, so that the same message may be ingested again', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const { id } = await session.ingest({ role: 'user', content: 'Hello there, all of you.' }, { key: 'k' });
    await session.forget([id], 'test');
    const again = await session.ingest({ role: 'user', content: 'Hello again.' }, { key: 'k' });
    expect(again.seq).toBe(2);
  });

  test('derives the digest again, from the user’s lines that remain', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const first = await session.ingest({ role: 'user', content: 'Please never mention the zebra crossing.' });
    for (let n = 0; n < 8; n += 1) {
      await session.ingest({
        role: 'user',
        content: `Question ${n}: always use port ${9_000 + n}. ${'clay '.repeat(200)}`,
      });
      await session.ingest({ role: 'assistant', content: 'Yes.' });
    }
    await session.compact('manual', { model });
    expect(session.view.compaction()?.digest.task?.text).toContain('zebra');
    const compaction = session.view.compaction();
    await session.forget([first.id], 'test');
    const now = session.view.compaction();
    expect(now?.digest.task?.text).toMatch(/^Question 0/);
    expect(JSON.stringify(now)).not.toContain('zebra');
    expect(now?.digest.ledger.some(({ text }) => text.includes('9000'))).toBe(
      compaction?.digest.ledger.some(({ text }) => text.includes('9000')),
    );
    expect(now?.id).toBe(compaction?.id);
  });

  test('finds quotations that go over several lines, and prose about messages that it does not stand for', async () => {
    const ahead = definePlugin({
      name: 'ahead',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.summarize.tapPromise(
          'quote',
          (_, { session }) => `Then: ${JSON.stringify(session.messages().at(-1)?.message.content)}`,
        );
      },
    });
    await using host = await createHost({ plugins: [ahead()] });
    const session = await host.open('s');
    for (let n = 0; n < 8; n += 1) {
      await session.ingest({ role: 'user', content: `Question ${n}: ${'clay '.repeat(200)}` });
      await session.ingest({ role: 'assistant', content: 'Yes.' });
    }
    const { id } = await session.ingest({ role: 'user', content: 'zebra\nokapi\nlynx' });
    await session.compact('manual', { model });
    expect(session.view.compaction()?.prose).toContain('zebra');
    expect(session.view.messages().at(-1)?.id).toBe(id);
    await session.setState('todo', 'Look for:\nzebra\nokapi\nlynx');
    await session.forget([id], 'test');
    expect(session.view.compaction()?.prose).toBeNull();
    expect(JSON.stringify(await entriesOf(session))).not.toMatch(/zebra.{1,3}okapi/);
  });

  test('blanks the label of the record when it quotes what was said', async () => {
    await using host = await createHost();
    const session = await host.open('s', { label: 'About the zebra crossing', displayName: 'Ada' });
    const { id } = await session.ingest({ role: 'user', content: 'Tell me about the zebra crossing.' });
    await session.forget([id], 'test');
    expect(session.info()).toMatchObject({ label: null, displayName: 'Ada' });
    expect(await host.sessions.get('s')).toMatchObject({ label: null, counters: { messages: 1, userMessages: 1 } });
  });
});

describe('forgetting', () => {
  test('is told to listeners with the messages that now say nothing, once it is stored', async () => {
    const host = await createHost();
    const told: unknown[] = [];
    host.events.on('entries-forgotten', ({ sessionId, seqs, reason }) => told.push({ sessionId, seqs, reason }));
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'Something that stays here.' });
    const secret = await session.ingest({ role: 'user', content: 'Something that must go away.' });
    await session.forget([secret.id], 'asked to');
    expect(told).toEqual([{ sessionId: 's', seqs: [2], reason: 'asked to' }]);
    await session.forget([secret.id], 'asked again');
    expect(told).toHaveLength(1);
    await expect(session.forget(['unknown'], 'asked to')).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    expect(told).toHaveLength(1);
    await host.close();
  });
});

describe('forget refuses', () => {
  test('to leave a label that quotes what is to be forgotten, and can be asked again', async () => {
    const inner = memoryStore();
    let isBroken = false;
    const put: Store['sessions']['put'] = async (...change) => {
      if (isBroken) throw new Error('The disk is full.');
      return inner.sessions.put(...change);
    };
    await using host = await createHost({ store: { ...inner, sessions: { ...inner.sessions, put } } });
    const label = 'About the zebra crossing';
    const session = await host.open('s', { label });
    const { id } = await session.ingest({ role: 'user', content: 'Tell me about the zebra crossing.' });
    const before = await entriesOf(session);
    isBroken = true;
    await expect(session.forget([id], 'test')).rejects.toMatchObject({
      code: 'VARVE_FORGET_REFUSED',
      details: { why: 'record' },
    });
    expect(await entriesOf(session)).toEqual(before);
    expect(session.info().label).toBe(label);
    isBroken = false;
    await session.forget([id], 'test');
    expect(JSON.stringify(await entriesOf(session))).not.toContain('zebra');
    expect((await inner.sessions.get('s'))?.label).toBeNull();
  });

  test('what it cannot do, and changes nothing then', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const { id } = await session.ingest({ role: 'user', content: 'A secret of some length.' });
    await session.set('x', 1);
    const setting = (await entriesOf(session)).at(-1)?.id ?? '';
    const before = await entriesOf(session);
    const refused = { code: 'VARVE_FORGET_REFUSED' };
    await expect(session.forget(['nobody'], 'test')).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    await expect(session.forget([setting], 'test')).rejects.toMatchObject({ ...refused, details: { why: 'type' } });
    for (const reason of [' ', 'x'.repeat(201), 'it was a secret of some length']) {
      await expect(session.forget([id], reason)).rejects.toMatchObject({ ...refused, details: { why: 'reason' } });
    }
    await expect(session.forget([], 'test')).resolves.toBeUndefined();
    expect(await entriesOf(session)).toEqual(before);
  });

  test('while a prompt or a compaction is under way, and goes on when it is over', async () => {
    let release = (): void => undefined;
    const waiting = definePlugin({
      name: 'waiting',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        const wait = () =>
          new Promise<undefined>((resolve) => {
            release = () => resolve(undefined);
          });
        hooks.collect.tapPromise('wait', wait);
        hooks.compact.tapPromise('wait', wait);
      },
    });
    await using host = await createHost({ plugins: [waiting()] });
    const session = await host.open('s');
    const { id } = await session.ingest({ role: 'user', content: 'A secret of some length.' });
    for (const begin of [() => session.assemble({ model }), () => session.compact('manual', { model })]) {
      release = () => undefined;
      const under = begin();
      await new Promise((resolve) => setImmediate(resolve));
      await expect(session.forget([id], 'test')).rejects.toMatchObject({
        code: 'VARVE_FORGET_REFUSED',
        details: { why: 'busy' },
      });
      while (
        !(await Promise.race([under.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]))
      )
        release();
    }
    await session.forget([id], 'test');
    expect(JSON.stringify(await entriesOf(session))).not.toContain('secret of some');
  });

  test('makes what begins meanwhile wait, so that nothing is made of what is being forgotten', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const { id } = await session.ingest({ role: 'user', content: 'A secret of some length.' });
    const [, prompt, entry] = await Promise.all([
      session.forget([id], 'test'),
      Promise.resolve().then(() => session.assemble({ model })),
      session.ingest({ role: 'user', content: 'Hello.' }),
    ]);
    expect(JSON.stringify(prompt.messages)).not.toContain('secret');
    expect(entry.seq).toBe(2);
    expect(JSON.stringify(await entriesOf(session))).not.toContain('secret of some');
  });
});

test('what one host forgets is not written back by another one that has the session open', async () => {
  const store = memoryStore();
  const model = { provider: 'test', model: 'test-1' };
  const [first, second] = [await createHost({ store }), await createHost({ store })];
  const [one, other] = [await first.open('s'), await second.open('s')];
  const secret = 'the vault is behind the third painting';
  const entry = await one.ingest({ role: 'user', content: secret });
  for (let turn = 0; turn < 6; turn += 1) {
    await one.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(50)}` });
    await one.ingest({ role: 'user', content: `Question ${turn}` });
  }
  await other.ingest({ role: 'user', content: 'I am here too' });
  await one.ingest({ role: 'user', content: 'So am I' });
  await one.forget([entry.id], 'asked by its owner');
  expect((await other.compact('manual', { model })).status).toBe('stale');
  expect((await other.compact('manual', { model })).status).toBe('compacted');
  await other.ingest({ role: 'user', content: 'Go on' });
  expect(JSON.stringify((await other.assemble({ model })).messages)).not.toContain(secret);
  const journal = await store.open('s');
  for await (const stored of journal.read()) expect(JSON.stringify(stored)).not.toContain(secret);
  expect(JSON.stringify(await journal.tail())).not.toContain(secret);
});
