import {
  createHost,
  definePlugin,
  type Entry,
  fold,
  type Message,
  memoryStore,
  nameOfAction,
  type Session,
  type Store,
  type ToolResultPart,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const said = (content: string): Message => ({ role: 'user', content });
const answered = (content: string): Message => ({ role: 'assistant', content });

function called(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
  };
}

function returned(toolCallId: string, value = 'clay'): Message {
  const output = { type: 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
}

async function ingestAll(session: Session, messages: readonly Message[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const message of messages) ids.push((await session.ingest(message)).id);
  return ids;
}

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

/** Rounds of a question and an answer, long enough to be worth a compaction. */
function rounds(from: number, to: number): readonly Message[] {
  return Array.from({ length: to - from + 1 }, (_, n) => [
    said(`Question ${from + n}. ${'clay '.repeat(200)}`),
    answered(`Answer ${from + n}. ${'silt '.repeat(200)}`),
  ]).flat();
}

describe('moveHead', () => {
  test('says of what is off the path which move left it last, however often the head was moved', async () => {
    const move = fc.record({ to: fc.nat(99), reason: fc.constantFrom('rewind', 'branch', 'restore') });
    const step = fc.oneof(fc.constant(null), move);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const host = await createHost({ store: memoryStore() });
        const session = await host.open('s');
        const ids = [...(await ingestAll(session, [said('Sail.'), said('North?')]))];
        const left = new Map<number, string>();
        const shown = (): readonly number[] => session.view.messages().map(({ seq }) => seq);
        for (const one of steps) {
          const before = shown();
          if (one === null) ids.push((await session.ingest(said('On.'))).id);
          else {
            const { seq } = await session.moveHead(ids[one.to % ids.length] ?? '', { reason: one.reason });
            const now = new Set(shown());
            for (const gone of before) if (!now.has(gone)) left.set(gone, `${one.reason} #${seq}`);
          }
          for (const back of shown()) left.delete(back);
        }
        const { ranges } = (await session.assemble({ model })).manifest;
        for (const [seq, reason] of left) {
          const found = ranges.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq);
          expect(found.map(({ rule, by }) => `${rule} ${by}`)).toEqual([reason]);
        }
        const { entries } = await session.explain();
        const explained = entries.flatMap(({ seq, verdict: { kind, rule, by } }) =>
          kind === 'off-path' ? [[seq, `${rule} ${by}`] as const] : [],
        );
        expect(new Map(explained)).toEqual(left);
        await host.close();
      }),
      { numRuns: 100 },
    );
  });

  test('lets the next message follow the target, and says of each message that it left why it is not there', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const messages = [said('one'), answered('1'), said('two'), answered('2')];
    const ids = await ingestAll(session, messages);
    await session.assemble({ model });
    const head = await session.moveHead(ids[1] ?? '', { reason: 'rewind' });
    expect(head).toMatchObject({ type: 'head', targetId: ids[1], targetSeq: 2, reason: 'rewind' });
    const three = await session.ingest(said('three'));
    expect(three.parentId).toBe(ids[1]);
    const prompt = await session.assemble({ model });
    expect(prompt.messages).toEqual([said('one'), answered('1'), said('three')]);
    expect(prompt.manifest.entries.map(({ seq }) => seq)).toEqual([1, 2, three.seq]);
    const left = { kind: 'off-path', rule: 'rewind', by: `#${head.seq}` };
    expect(prompt.manifest.ranges).toEqual([{ ...left, fromSeq: 3, toSeq: head.seq - 1 }]);
    expect(prompt.manifest.actions.map(nameOfAction)).toEqual(['off-path:rewind']);
    const { entries } = await session.explain();
    expect(entries.map(({ verdict }) => verdict.kind)).toEqual(['kept', 'kept', 'off-path', 'off-path', 'kept']);
  });

  test('goes back to what was left, which is then kept again', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const ids = await ingestAll(session, [said('one'), answered('1'), said('two'), answered('2')]);
    await session.moveHead(ids[0] ?? '', { reason: 'branch' });
    await ingestAll(session, [answered('another 1')]);
    await session.assemble({ model });
    await session.moveHead(ids[3] ?? '', { reason: 'restore' });
    const { messages } = await session.assemble({ model });
    expect(messages).toEqual([said('one'), answered('1'), said('two'), answered('2')]);
    const { entries } = await session.explain();
    expect(entries.map(({ verdict }) => `${verdict.kind} ${verdict.rule ?? ''}`.trim())).toEqual([
      ...['kept', 'kept', 'kept', 'kept'],
      'off-path restore',
    ]);
  });

  test.each([1, 2, 3])('moves on to the end of a group when the target is message %i of it', async (index) => {
    await using host = await createHost();
    const session = await host.open('s');
    const messages = [said('Read both.'), called('a', 'b'), returned('a'), returned('b'), answered('Done.')];
    const ids = await ingestAll(session, messages);
    expect(await session.moveHead(ids[index] ?? '', { reason: 'rewind' })).toMatchObject({ targetId: ids[3] });
    expect((await session.assemble({ model })).messages).toEqual(messages.slice(0, 4));
  });

  test('stands behind a call that is still open, whose result is not in the prompts of the new path', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const ids = await ingestAll(session, [said('Read it.'), called('a')]);
    await session.moveHead(ids[0] ?? '', { reason: 'rewind' });
    await ingestAll(session, [answered('No.'), said('Go on.')]);
    expect((await session.assemble({ model })).messages).toHaveLength(3);
  });

  test('shows what a compaction covered when the target lies before it, after a restart too', async () => {
    const store = memoryStore();
    const host = await createHost({ store, budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    await session.ingest({ role: 'system', content: 'Answer in rhyme.' });
    const ids = await ingestAll(session, rounds(1, 6));
    const first = (await session.compact('manual', { model })).entry;
    await session.ingest({ role: 'system', content: 'Answer in prose.' });
    await ingestAll(session, rounds(7, 12));
    const second = (await session.compact('manual', { model })).entry;
    expect([first?.type, second?.type]).toEqual(['compaction', 'compaction']);
    const last = (await ingestAll(session, [said('And now?')])).at(-1);
    const whole = await session.assemble({ model });

    await session.moveHead(ids[3] ?? '', { reason: 'rewind' });
    await expectLaw(store);
    const rewound = await session.assemble({ model });
    expect(rewound.messages).toEqual(rounds(1, 2));
    expect(rewound.system).toEqual([{ layer: 'system', text: 'Answer in rhyme.' }]);
    expect(rewound.manifest.actions.map(nameOfAction)).toEqual(
      expect.arrayContaining(['compaction', 'layer:system', 'off-path:rewind']),
    );
    for (const entry of [first, second]) {
      await expect(session.undo(entry?.id ?? '')).rejects.toMatchObject({
        code: 'VARVE_UNDO_ORDER',
        message: expect.stringContaining('off the path'),
      });
    }
    await host.close();

    await using later = await createHost({ store, budget: { inputTokens: 4_000 } });
    const reopened = await later.open('s');
    expect((await reopened.assemble({ model, dryRun: true })).messages).toEqual(rewound.messages);
    await reopened.moveHead(last ?? '', { reason: 'restore' });
    const restored = await reopened.assemble({ model });
    expect([restored.system, restored.messages]).toEqual([whole.system, whole.messages]);
    expect(restored.manifest.ranges[0]).toMatchObject({ kind: 'summarised', by: `#${second?.seq}` });
    await expectLaw(store);
    await reopened.undo(second?.id ?? '');
    await expectLaw(store);
  });

  test('leaves what it passes over out of the summary, and out of what a later compaction expands to', async () => {
    const store = memoryStore();
    await using host = await createHost({ store, budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    const ids = await ingestAll(session, rounds(1, 4));
    await session.moveHead(ids[1] ?? '', { reason: 'rewind' });
    await ingestAll(session, rounds(21, 26));
    const { entry } = await session.compact('manual', { model });
    expect(entry?.digest.userLog.map(({ text }) => text.slice(0, 12))).not.toContain('Question 2. ');
    const covered: Entry[] = [];
    for await (const one of session.expand(entry?.id ?? '')) covered.push(one);
    expect(covered.slice(0, 3).map(({ seq }) => seq)).toEqual([1, 2, 10]);
    const { manifest } = await session.assemble({ model });
    expect(manifest.ranges.map(({ fromSeq, toSeq, kind }) => [fromSeq, toSeq, kind])).toEqual([
      [1, 2, 'summarised'],
      [3, 8, 'off-path'],
      [9, entry?.range.to.seq, 'summarised'],
    ]);
    await expectLaw(store);
  });

  test('leaves settings, state, and the keys of messages on the path as they are', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const first = await session.ingest(said('one'), { key: 'k1' });
    await session.ingest(said('two'), { key: 'k2' });
    await session.set('verbose', true);
    await session.setState('todo', 'read');
    await session.moveHead(first.id, { reason: 'rewind' });
    expect(session.view.settings).toEqual({ verbose: true });
    expect(await session.ingest(said('one'), { key: 'k1' })).toEqual(first);
    expect((await session.assemble({ model })).messages.map(({ content }) => content)).toEqual([
      'one',
      '# State\n\ntodo: read',
    ]);
  });

  test('frees the key of a message that is off the path: it is appended anew, and known again', async () => {
    const store = memoryStore();
    const host = await createHost({ store });
    const session = await host.open('s');
    const first = await session.ingest(said('one'), { key: 'k1' });
    const second = await session.ingest(said('two'), { key: 'k2' });
    await session.moveHead(first.id, { reason: 'rewind' });
    const again = await session.ingest(said('two'), { key: 'k2' });
    expect(again.seq).toBeGreaterThan(second.seq);
    expect(await session.ingest(said('two'), { key: 'k2' })).toEqual(again);
    expect((await session.assemble({ model })).messages).toEqual([said('one'), said('two')]);
    await session.moveHead(second.id, { reason: 'restore' });
    expect(await session.ingest(said('two'), { key: 'k2' })).toEqual(second);
    await host.close();
    await using next = await createHost({ store });
    expect(await (await next.open('s')).ingest(said('two'), { key: 'k2' })).toEqual(second);
    await expectLaw(store);
  });

  test('lets a turn answer a message again that was rewound with its answer', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const port = {
      ref: model,
      generate: async () => ({ message: { role: 'assistant', content: 'Yes.' } as const, usage: null }),
    };
    const first = await session.ingest(said('one'));
    const asked = { message: said('two'), key: 'k2', model: port };
    const before = await session.turn(asked);
    expect((await session.turn(asked)).steps).toEqual([]);
    await session.moveHead(first.id, { reason: 'rewind' });
    const record = await session.turn(asked);
    expect(record).toMatchObject({ status: 'answered', text: 'Yes.' });
    expect(record.input?.seq).toBeGreaterThan(before.input?.seq ?? 0);
    expect(record.steps).toHaveLength(1);
  });

  test('refuses an entry that is not there', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const [id = ''] = await ingestAll(session, [said('one')]);
    await expect(session.moveHead('nowhere', { reason: 'rewind' })).rejects.toMatchObject({
      code: 'VARVE_ENTRY_UNKNOWN',
    });
    const head = await session.moveHead(id, { reason: 'rewind' });
    expect(await session.moveHead(head.id, { reason: 'rewind' })).toMatchObject({ targetId: id });
  });

  test('makes a compaction stale that was planned before the head moved and comes to be stored behind that', async () => {
    let whileWritten = (): void => undefined;
    const writing = definePlugin({
      name: 'writing',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) =>
        hooks.summarize.tapPromise('write', () => {
          whileWritten();
          return 'Prose.';
        }),
    });
    await using host = await createHost({ budget: { inputTokens: 8_000 }, plugins: [writing()] });
    const session = await host.open('s');
    const ids = await ingestAll(session, rounds(1, 8));
    let moving: Promise<unknown> = Promise.resolve();
    whileWritten = () => {
      moving = session.moveHead(ids[13] ?? '', { reason: 'rewind' });
    };
    const outcome = await session.compact('manual', { model });
    await moving;
    expect(outcome).toMatchObject({ status: 'stale', entry: null });
    expect((await session.assemble({ model })).messages).toEqual(rounds(1, 7));
  });

  test('keeps the law of the tail at every step, and gives the same prompt after a restart', async () => {
    const step = fc.record({
      do: fc.constantFrom('user', 'answer', 'call', 'result', 'system', 'compact', 'undo', 'move', 'move', 'ask'),
      at: fc.nat(1_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const store = memoryStore();
        const budget = { inputTokens: 4_000 };
        const host = await createHost({ store, budget });
        const session = await host.open('s');
        for (const [n, one] of steps.entries()) {
          await perform(session, { ...one, n });
          await expectLaw(store);
        }
        const before = await session.assemble({ model, dryRun: true });
        await host.close();
        await using later = await createHost({ store, budget });
        const after = await (await later.open('s')).assemble({ model, dryRun: true });
        expect([after.system, after.messages]).toEqual([before.system, before.messages]);
      }),
      { numRuns: 40 },
    );
  });
});

test('moving on past a compaction goes to the end of the group that the results belong to behind it', async () => {
  await using host = await createHost();
  const session = await host.open('s');
  await ingestAll(session, [said(`One. ${'clay '.repeat(400)}`), called('a', 'b'), said('Two.')]);
  await session.setState('slot', 'Busy.');
  const state = (await entriesOf(session)).at(-1);
  await ingestAll(session, [answered('Meanwhile.')]);
  const { entry } = await session.compact('manual', { model });
  expect(entry?.range.to.seq).toBeLessThan(state?.seq ?? 0);
  const late = [returned('b'), returned('a')].flatMap(({ content }) => content as ToolResultPart[]);
  const ids = await ingestAll(session, [{ role: 'tool', content: late }, called('a', 'c'), returned('c')]);
  const head = await session.moveHead(state?.id ?? '', { reason: 'rewind' });
  expect(head.targetId).toBe(ids.at(-1));
});

async function perform(
  session: Session,
  { do: what, at, n }: { readonly do: string; readonly at: number; readonly n: number },
): Promise<void> {
  const text = `${n}: ${'clay '.repeat(at % 150)}`;
  if (what === 'user') await session.ingest(said(text));
  else if (what === 'answer') await session.ingest(answered(text));
  else if (what === 'system') await session.ingest({ role: 'system', content: `Rule ${n}.` });
  else if (what === 'call') await session.ingest(called(`c${n % 5}`, `c${n % 5}b`));
  else if (what === 'result') await session.ingest(returned(`c${at % 5}`, text));
  else if (what === 'compact') await session.compact('manual', { model });
  else if (what === 'undo') {
    const compaction = session.view.compaction();
    if (compaction !== null) await session.undo(compaction.id);
  } else if (what === 'ask') await session.assemble({ model }).catch(() => undefined);
  else {
    const entries = await entriesOf(session);
    const target = entries[at % Math.max(1, entries.length)];
    if (target !== undefined) await session.moveHead(target.id, { reason: 'branch' });
  }
}

test('an undo that loses against another host leaves the session as it can be used', async () => {
  const store = memoryStore();
  const hosts = await Promise.all([1, 2].map(() => createHost({ store, budget: { inputTokens: 4_000 } })));
  const [mine, theirs] = await Promise.all(hosts.map((host) => host.open('s')));
  if (mine === undefined || theirs === undefined) throw new Error('two hosts give two sessions');
  await ingestAll(mine, rounds(1, 6));
  const { entry } = await mine.compact('manual', { model });
  await theirs.ingest(said('Me too.'));
  await expect(mine.undo(entry?.id ?? '')).rejects.toMatchObject({ code: 'VARVE_STORE_CONFLICT' });
  await mine.ingest(said('And?'));
  await mine.undo(entry?.id ?? '');
  expect((await mine.assemble({ model, dryRun: true }).catch(() => null))?.messages.at(-1)).toEqual(said('And?'));
  await expectLaw(store);
  await Promise.all(hosts.map((host) => host.close()));
});
