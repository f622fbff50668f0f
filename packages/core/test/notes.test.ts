import {
  createHost,
  type Draft,
  definePlugin,
  type Entry,
  fold,
  type Host,
  type HostOptions,
  isRefusal,
  type Message,
  memoryStore,
  type NoteSpec,
  type Plan,
  type Plugin,
  type Prompt,
  type Refusal,
  type Session,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, lineOf, say, scriptedModel, tool } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
});
const result = (toolCallId: string, value = 'clay'): Message => {
  const output = { type: 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
};

const note = (text: string, seqs: readonly number[] = []): NoteSpec => ({
  id: 'now',
  heading: 'Recalled',
  items: [{ text, seqs }],
});
const shownNote = (text: string): Message => user(`# Recalled\n\n${text}`);

/** A plugin that does to drafts in `shape` what it is told at the time. */
interface Shaper {
  shape: (draft: Draft) => Draft | undefined;
  readonly plugin: Plugin;
}

function shaper(name = 'recall'): Shaper {
  const make = definePlugin({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => hooks.shape.tapPromise('note', (draft) => told.shape(draft)),
  });
  const told: Shaper = { shape: () => undefined, plugin: make() };
  return told;
}

async function started(options: HostOptions = {}): Promise<{
  host: Host;
  session: Session;
  recall: Shaper;
  ask: () => Promise<Prompt>;
}> {
  const recall = shaper();
  const host = await createHost({ plugins: [recall.plugin], ...options });
  const session = await host.open('s');
  return { host, session, recall, ask: () => session.assemble({ model }) };
}

async function ingestAll(session: Session, ...messages: readonly Message[]): Promise<void> {
  for (const message of messages) await session.ingest(message);
}

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

/** Rounds that are long enough to be worth a compaction. */
const rounds = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, n) => [
    user(`Question ${n}. ${'clay '.repeat(200)}`),
    assistant(`Answer ${n}. ${'silt '.repeat(200)}`),
  ]).flat();

describe('a note', () => {
  test('stands behind all that is there, and at that place in every later prompt', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'), assistant('Two.'), user('Three.'));
    recall.shape = (draft) => draft.addNote(note('It is clay.', [1]), 'best-lines');
    const first = await ask();
    recall.shape = () => undefined;
    expect(first.messages).toEqual([user('One.'), assistant('Two.'), user('Three.'), shownNote('It is clay.')]);
    await ingestAll(session, assistant('Four.'), user('Five.'));
    const second = await ask();
    expect(second.messages).toEqual([...first.messages, assistant('Four.'), user('Five.')]);
    expect(second.manifest).toMatchObject({ firstChangedByte: null, actions: [], madeUpTokens: 0 });
    const told = {
      id: 'now',
      by: 'recall',
      rule: 'best-lines',
      afterSeq: 3,
      seqs: [1],
      text: '# Recalled\n\nIt is clay.',
    };
    const [made, kept] = [first, second].map(({ manifest }) => manifest.notes);
    expect(made).toEqual([{ ...told, tokens: expect.any(Number), isNew: true }]);
    expect(kept).toEqual([{ ...made?.[0], isNew: false }]);
    await host.close();
  });

  test('is behind the running turn, between its steps, and is no part of it', async () => {
    const { host, session, recall } = await started();
    let step = 0;
    recall.shape = (draft) => {
      step += 1;
      const notes = draft.items.filter((item) => item.note !== null);
      expect(notes.map(({ live, said, unread, seq }) => ({ live, said, unread, seq }))).toEqual(
        Array.from({ length: step - 1 }, () => ({ live: false, said: false, unread: false, seq: null })),
      );
      expect(draft.items.filter(({ live }) => live)).toHaveLength(2 * step - 1);
      return draft.addNote(note(`Step ${step}.`), 'step');
    };
    const scripted = scriptedModel([call(['a', 'read']), call(['b', 'read']), say('Done.')]);
    await session.turn({ message: user('Read both.'), model: scripted.port, tools: [tool('read')] });
    expect(scripted.requests.at(-1)?.prompt.messages.map(lineOf)).toEqual([
      'user: Read both.',
      ...['user: # Recalled\n\nStep 1.', 'assistant: calls read a', 'tool: a text read did it'],
      ...['user: # Recalled\n\nStep 2.', 'assistant: calls read b', 'tool: b text read did it'],
      'user: # Recalled\n\nStep 3.',
    ]);
    await host.close();
  });

  test('is nothing that a turn would have to answer', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'), assistant('Two.'));
    recall.shape = (draft) => draft.addNote(note('Clay.'), 'r');
    expect((await ask()).messages).toEqual([user('One.'), assistant('Two.'), shownNote('Clay.')]);
    const scripted = scriptedModel([]);
    await session.turn({ model: scripted.port });
    expect(scripted.requests).toEqual([]);
    await host.close();
  });

  test('does not change which unanswered messages belong to the running turn', async () => {
    const liveWith = async (isNoted: boolean): Promise<readonly string[]> => {
      const { host, session, recall, ask } = await started({ budget: { inputTokens: 4_000 } });
      let live: readonly string[] = [];
      recall.shape = (draft) => {
        live = draft.items.filter((item) => item.live).map(({ id }) => id);
        return isNoted ? draft.addNote(note('Clay.'), 'r') : undefined;
      };
      for (const text of [`One. ${'silt '.repeat(1_500)}`, 'Two.', 'Three.']) {
        await session.ingest(user(text));
        await ask();
      }
      await host.close();
      return live;
    };
    const expected = await liveWith(false);
    expect(expected).toHaveLength(2);
    expect((await liveWith(true)).length).toBe(expected.length);
  });

  test('does not part a call from results that come late, and keeps its place among several', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('Read.'), calls('a', 'b'), result('a'));
    recall.shape = (draft) => draft.addNote(note('First.'), 'r').addNote({ ...note('Second.'), id: 'more' }, 'r');
    await ask();
    recall.shape = () => undefined;
    await ingestAll(session, result('b'), assistant('Done.'));
    const { messages, manifest } = await ask();
    const late = [user('Read.'), calls('a', 'b'), result('a'), result('b')];
    expect(messages).toEqual([...late, shownNote('First.'), shownNote('Second.'), assistant('Done.')]);
    expect(manifest.actions).toEqual([{ kind: 'late-result', seqs: [5] }]);
    await host.close();
  });

  test('stands before the answer that was made with it, and what the user said meanwhile behind that answer', async () => {
    const { host, session, recall } = await started();
    recall.shape = (draft) => draft.addNote(note('Clay.'), 'r');
    const scripted = scriptedModel([
      async () => {
        await session.ingest(user('Wait.'));
        return say('Four.');
      },
    ]);
    await session.turn({ message: user('Three.'), model: scripted.port });
    recall.shape = () => undefined;
    const { messages } = await session.assemble({ model, dryRun: true });
    expect(messages.map(lineOf)).toEqual([
      ...['user: Three.', 'user: # Recalled\n\nClay.', 'assistant: Four.', 'user: Wait.'],
    ]);
    await host.close();
  });

  test('is stored with its request and nothing else, and once however often it is asked for', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'));
    recall.shape = (draft) => draft.addNote(note('Clay.', [1]), 'r');
    const dry = await session.assemble({ model, dryRun: true });
    const [first, second] = [await ask(), await ask()];
    expect([first.messages, second.messages]).toEqual([dry.messages, dry.messages]);
    recall.shape = (draft) => draft.addNote(note('Silt.'), 'r');
    expect((await ask()).messages).toEqual(dry.messages);
    await session.explain();
    const entries = await entriesOf(session);
    expect(entries.map(({ type }) => type)).toEqual(['message', 'request', 'request', 'request']);
    const told = { id: 'now', by: 'recall', rule: 'r', afterSeq: 1, seqs: [1], text: '# Recalled\n\nClay.' };
    const notes = entries.map((entry) => (entry.type === 'request' ? entry.notes : undefined));
    expect(notes).toEqual([undefined, [{ ...told, tokens: first.manifest.notes[0]?.tokens }], undefined, undefined]);
    await host.close();
  });

  test('is the same bytes after the session was closed and opened again, without the plugin too', async () => {
    const store = memoryStore();
    const { host, session, recall, ask } = await started({ store });
    await ingestAll(session, user('One.'));
    recall.shape = (draft) => draft.addNote(note('Clay \ud800 \u0000 漢字 # Heading.'), 'r');
    const before = await ask();
    await host.close();
    await using later = await createHost({ store });
    const after = await (await later.open('s')).assemble({ model });
    expect([after.messages, after.tokens]).toEqual([before.messages, before.tokens]);
  });

  test('replaces an own new one with its id, and not that of another plugin', async () => {
    const [one, other] = [shaper('one'), shaper('other')];
    await using host = await createHost({ plugins: [one.plugin, other.plugin] });
    const session = await host.open('s');
    await ingestAll(session, user('One.'));
    one.shape = (draft) => draft.addNote(note('a'), 'r').addNote(note('b'), 'r');
    other.shape = (draft) =>
      draft.addNote(note('c'), 'r').addNote({ id: 'now', items: [] }, 'r').addNote(note('d'), 'r');
    const { messages } = await session.assemble({ model });
    expect(messages).toEqual([user('One.'), shownNote('b'), shownNote('d')]);
  });

  test('takes no more than its limit, the least important items last', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'));
    const items = Array.from({ length: 50 }, (_, n) => ({ text: `line ${n} of clay`, seqs: [1, n + 1] }));
    recall.shape = (draft) => draft.addNote({ id: 'lines', items, maxTokens: 100 }, 'r');
    const [made] = (await ask()).manifest.notes;
    expect(made?.tokens).toBeGreaterThan(80);
    expect(made?.tokens).toBeLessThanOrEqual(100);
    expect(made?.text).toMatch(/^# lines\n\nline 0 of clay\n\nline 1 of clay\n\n/);
    const lines = made?.text.split('\n\n').length ?? 0;
    expect(made?.seqs).toEqual(Array.from({ length: lines - 1 }, (_, n) => n + 1));
    await host.close();
  });

  test.each<readonly [string, NoteSpec]>([
    ['no items', { id: 'n', items: [] }],
    ['no room for the first item', { id: 'n', items: [{ text: 'clay '.repeat(50) }], maxTokens: 10 }],
    ['blank texts under no heading', { id: 'n', heading: '', items: [{ text: ' \n' }, { text: '' }] }],
  ])('is none with %s', async (_, spec) => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'));
    recall.shape = (draft) => draft.addNote(spec, 'r');
    expect(await ask()).toMatchObject({ messages: [user('One.')], manifest: { notes: [] } });
    expect(session.health().findings).toEqual([]);
    await host.close();
  });

  test.each<readonly [string, unknown, unknown]>([
    ['an empty id', { id: '', items: [] }, 'r'],
    ['an item without a text', { id: 'n', items: [{ seqs: [1] }] }, 'r'],
    ['a seq that is none', { id: 'n', items: [{ text: 'x', seqs: ['1'] }] }, 'r'],
    ['a field that no note has', { id: 'n', items: [], priority: 1 }, 'r'],
    ['no rule', { id: 'n', items: [] }, ''],
  ])('is refused with %s, and the tap is skipped', async (_, spec, rule) => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'));
    recall.shape = (draft) => draft.addNote(spec as NoteSpec, rule as string);
    expect((await ask()).messages).toEqual([user('One.')]);
    expect(session.health().findings).toMatchObject([{ name: 'recall', isFailing: true }]);
    await host.close();
  });

  test('is not edited, shortened or counted as a message, and can be left out of one prompt', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'), assistant('Two.'));
    const long = `${'clay '.repeat(300)}end`;
    recall.shape = (draft) => draft.addNote(note(long), 'r');
    await ask();
    await ingestAll(session, user('Three.'));
    recall.shape = (draft) => {
      const [{ id } = { id: '' }] = draft.groups().filter(({ items }) => items[0]?.note !== null);
      const edited = draft.edit(({ item }) => (item.note === null ? undefined : 'x'), { rule: 'e' }).park(id, 'p');
      expect(edited.items).toEqual(draft.items);
      return edited.drop(id, 'not-now');
    };
    const left = await ask();
    expect(left.messages).toEqual([user('One.'), assistant('Two.'), user('Three.')]);
    expect(left.manifest.notes).toMatchObject([{ id: 'now', tokens: 0, leftOut: { rule: 'not-now', by: 'recall' } }]);
    expect(left.manifest).toMatchObject({
      actions: [{ kind: 'notes', by: 'recall', notes: 1 }],
      firstChangedByte: expect.any(Number),
    });
    recall.shape = (draft) => draft;
    const back = await ask();
    expect(back.messages).toEqual([user('One.'), assistant('Two.'), shownNote(long), user('Three.')]);
    expect(back.manifest.actions).toEqual([{ kind: 'notes', by: 'recall', notes: 1 }]);
    await host.close();
  });
});

describe('notes end', () => {
  test('with a compaction, which is planned and sized without them', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputTokens: 8_000 } });
    await ingestAll(session, ...rounds(9), user('Now.'));
    recall.shape = (draft) => draft.addNote(note('silt '.repeat(900)), 'r');
    const full = await ask();
    recall.shape = () => undefined;
    expect(session.pressure({ model }).tokens).toBe(full.tokens);
    const plan = await session.plan('manual', { model });
    expect(plan).toMatchObject({ expect: { tokensBefore: full.tokens } });
    const outcome = await session.compact('manual', { model });
    const after = await ask();
    expect(outcome).toMatchObject({ status: 'compacted', tokensBefore: full.tokens, tokensAfter: after.tokens });
    expect(outcome.entry).toMatchObject({ tokensAfter: after.tokens });
    expect(JSON.stringify(outcome.entry?.digest)).not.toContain('Recalled');
    expect(after.manifest.notes).toEqual([]);
    expect(JSON.stringify(after.messages)).not.toContain('Recalled');
    expect(after.manifest.actions.map(({ kind }) => kind)).toContain('notes');
    await host.close();
  });

  test('in the plan of a compaction already: it is the one that would be made without them', async () => {
    const planWith = async (isNoted: boolean): Promise<Plan | Refusal> => {
      const { host, session, recall, ask } = await started({ budget: { inputTokens: 8_000 } });
      recall.shape = (draft) => (isNoted ? draft.addNote(note('silt '.repeat(120)), 'r') : undefined);
      for (const message of rounds(14)) {
        await session.ingest(message);
        if (message.role === 'user') await ask();
      }
      await ingestAll(session, user('Now.'), user('And now.'));
      await ask();
      const plan = await session.plan('overflow', { model });
      await host.close();
      return plan;
    };
    const [plain, noted] = [await planWith(false), await planWith(true)];
    if (isRefusal(plain) || isRefusal(noted)) throw new Error('There is no plan.');
    expect(noted.expect.tokensAfter).toBe(plain.expect.tokensAfter);
    expect(noted.actions).toEqual(plain.actions);
    expect([noted.range.to.seq, noted.range.firstKept?.seq]).toEqual([plain.range.to.seq, plain.range.firstKept?.seq]);
  });

  test('with an undo and with a move of the head, and are made anew behind it', async () => {
    const { host, session, recall, ask } = await started();
    await ingestAll(session, user('One.'), assistant('Two.'), user('Three.'));
    recall.shape = (draft) => draft.addNote(note('Clay.'), 'r');
    await ask();
    await session.setState('todo', 'Dig.');
    recall.shape = () => undefined;
    expect((await ask()).manifest.notes).toHaveLength(1);
    const state = (await entriesOf(session)).find(({ type }) => type === 'state');
    await session.undo(state?.id ?? '');
    expect(await ask()).toMatchObject({
      manifest: { notes: [], actions: [{ kind: 'notes', by: 'recall', notes: 1 }] },
    });
    recall.shape = (draft) => draft.addNote(note('Clay.'), 'r');
    expect((await ask()).manifest.notes).toMatchObject([{ isNew: true, afterSeq: 3 }]);
    recall.shape = () => undefined;
    await session.moveHead((await entriesOf(session))[1]?.id ?? '', { reason: 'rewind' });
    expect(await ask()).toMatchObject({ messages: [user('One.'), assistant('Two.')], manifest: { notes: [] } });
    await host.close();
  });

  test('when a compaction is stored while their prompt is still being made', async () => {
    const slow = definePlugin({
      name: 'slow',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) =>
        hooks.shape.tapPromise('note', async (draft) => {
          if (!isSlow) return undefined;
          isSlow = false;
          await session.compact('manual', { model });
          return draft.addNote(note('Clay.'), 'r');
        }),
    });
    let isSlow = false;
    await using host = await createHost({ plugins: [slow()], budget: { inputTokens: 8_000 } });
    const session = await host.open('s');
    await ingestAll(session, ...rounds(9), user('Now.'));
    isSlow = true;
    expect((await session.assemble({ model })).messages.at(-1)).toEqual(shownNote('Clay.'));
    expect((await session.assemble({ model })).manifest.notes).toEqual([]);
    await session.explain();
    const { notes, leftOutNotes } = (await entriesOf(session)).findLast((entry) => entry.type === 'request') ?? {};
    expect([notes, leftOutNotes]).toEqual([undefined, undefined]);
    expect((await session.explain({ request: 1 })).notes).toHaveLength(1);
  });
});

describe('a note for which there is no room', () => {
  test('is left out, and nothing else yields to it', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputTokens: 1_000 } });
    await ingestAll(session, ...rounds(1), user('Now.'));
    const plain = await session.assemble({ model, dryRun: true });
    recall.shape = (draft) =>
      draft.addNote(note('clay '.repeat(1_500)), 'r').addNote({ ...note('Fits.'), id: 'small' }, 'r');
    const prompt = await ask();
    expect(prompt.messages).toEqual([...plain.messages, shownNote('Fits.')]);
    expect(prompt.manifest.notes).toMatchObject([
      { id: 'small', isNew: true },
      { id: 'now', tokens: 0, isNew: true, leftOut: { rule: 'no-room', by: 'core' } },
    ]);
    expect(session.health().findings).toMatchObject([{ name: 'recall', where: 'shape: note now', isFailing: true }]);
    recall.shape = (draft) => draft.addNote(note('Fits, too.'), 'r');
    const next = await ask();
    expect(next.messages).toEqual([...prompt.messages, shownNote('Fits, too.')]);
    expect(session.health().findings).toMatchObject([{ where: 'shape: note now', isFailing: false }]);
    await host.close();
  });

  test('yields to what comes later: the oldest of the prompt first, and all of them before the running turn', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputTokens: 2_000 } });
    await ingestAll(session, user('One.'), assistant('Two.'), user('Three.'));
    recall.shape = (draft) => draft.addNote(note('clay '.repeat(800)), 'r');
    await ask();
    recall.shape = () => undefined;
    await ingestAll(session, calls('a'), result('a', 'silt '.repeat(1_300)));
    const { messages, manifest } = await ask();
    expect(messages).toEqual([user('Three.'), calls('a'), result('a', 'silt '.repeat(1_300))]);
    expect(manifest.notes).toMatchObject([{ id: 'now', tokens: 0, leftOut: { rule: 'window-cut', by: 'core' } }]);
    await session.explain();
    const last = (await entriesOf(session)).findLast((entry) => entry.type === 'request');
    expect(last?.leftOutNotes).toEqual([{ id: 'now', by: 'recall', afterSeq: 3, rule: 'window-cut' }]);
    expect((await session.explain({ request: 1 })).notes).toHaveLength(1);
    expect((await session.explain({ request: 2 })).notes).toEqual([]);
    await host.close();
  });

  test('is left out where the running turn alone leaves too little', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputTokens: 1_000 } });
    await ingestAll(session, user(`One. ${'silt '.repeat(450)}`));
    const plain = await ask();
    const free = 1_000 - plain.tokens;
    const sizes: number[] = [];
    recall.shape = (draft) => {
      const items = Array.from({ length: free }, () => ({ text: 'clay' }));
      const wide = draft.addNote({ id: 'wide', items, maxTokens: free }, 'r');
      sizes.push(wide.tokens);
      return wide;
    };
    expect((await ask()).messages).toEqual(plain.messages);
    expect(sizes).toEqual([expect.toSatisfy((tokens: number) => tokens > 950 && tokens <= 1_000)]);
    await host.close();
  });

  test('is left out where bytes are short', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputBytes: 2_000 } });
    await ingestAll(session, user('One.'));
    recall.shape = (draft) => draft.addNote(note('clay '.repeat(400)), 'r');
    expect((await ask()).messages).toEqual([user('One.')]);
    await host.close();
  });
});

describe('an entry that a note quotes', () => {
  test('keeps its verdict, and is said to be recalled by the plugin', async () => {
    const { host, session, recall, ask } = await started({ budget: { inputTokens: 8_000 } });
    await ingestAll(session, ...rounds(9), user('Now.'));
    await session.compact('manual', { model });
    recall.shape = (draft) =>
      draft.addNote(note('Question 1 was about clay.', [3, 1]), 'r').addLayer(
        {
          id: 'fresh',
          role: 'user',
          stability: 'volatile',
          items: [{ text: 'Answer 2.', seqs: [6] }, { text: 'x' }],
        },
        'r',
      );
    const { manifest } = await ask();
    expect(manifest.layers.find(({ id }) => id === 'fresh')).toMatchObject({ seqs: [6], by: 'recall' });
    recall.shape = () => undefined;
    await ask();
    const [first, second] = [await session.explain({ request: 1 }), await session.explain({ request: 2 })];
    const recalled = ({ entries }: typeof first) => entries.filter((entry) => entry.recalledBy !== undefined);
    expect(recalled(first)).toMatchObject(
      [1, 3, 6].map((seq) => ({ seq, verdict: { kind: 'summarised' }, recalledBy: ['recall'] })),
    );
    expect(recalled(second).map(({ seq }) => seq)).toEqual([1, 3]);
    expect(second.notes).toMatchObject([{ id: 'now', by: 'recall', seqs: [1, 3] }]);
    await session.compact('manual', { model });
    expect((await session.explain()).notes).toHaveLength(1);
    await host.close();
  });

  test('takes the note along when it is forgotten, whatever words the note used', async () => {
    const store = memoryStore();
    const { host, session, recall, ask } = await started({ store });
    await ingestAll(session, user('My secret is zebra.'), assistant('I see.'), user('And?'));
    recall.shape = (draft) =>
      draft
        .addNote({ ...note('An animal.', [1]), id: 'by-seq' }, 'r')
        .addNote({ ...note('The user said: My secret is zebra.'), id: 'by-text' }, 'r')
        .addNote({ ...note('I see.', [2]), id: 'other' }, 'r')
        .addLayer(
          { id: 'fresh', role: 'user', stability: 'volatile', items: [{ text: 'An animal.', seqs: [1] }] },
          'r',
        );
    expect((await ask()).manifest.notes).toHaveLength(3);
    recall.shape = () => undefined;
    const [first] = await entriesOf(session);
    await session.forget([first?.id ?? ''], 'asked to');
    expect((await ask()).manifest.notes.map(({ id }) => id)).toEqual(['other']);
    await session.explain();
    const stored = JSON.stringify(await entriesOf(session));
    expect(stored).not.toContain('zebra');
    expect(stored).not.toContain('animal');
    const journal = await store.open('s', { readOnly: true });
    expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries: await entriesOf(session) }));
    await host.close();
  });
});
