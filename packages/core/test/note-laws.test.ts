import {
  createHost,
  definePlugin,
  type Entry,
  fold,
  type Host,
  type Message,
  memoryStore,
  type Prompt,
  type Session,
  type Store,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, isPaired, say, scriptedModel, tool } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };
const inputTokens = 2_500;

/** What a request is to do about notes: sizes of new ones, and whether to do without the oldest. */
interface Wish {
  readonly notes: readonly number[];
  readonly drops: boolean;
}

type Step =
  | { readonly do: 'user' | 'event' | 'assistant' | 'call' | 'result'; readonly size: number }
  | { readonly do: 'ask'; readonly wish: Wish }
  | { readonly do: 'turn'; readonly wish: Wish; readonly size: number; readonly tools: boolean; readonly late: boolean }
  | { readonly do: 'compact' | 'undo' | 'rewind' | 'state' | 'forget' | 'reopen'; readonly which: number };

const wish = fc.record({
  notes: fc.array(fc.nat(90), { maxLength: 2 }),
  drops: fc.nat(9).map((n) => n === 0),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constantFrom('user', 'event', 'assistant', 'call', 'result'), size: fc.nat(200) }),
  },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('ask' as const), wish }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      wish,
      size: fc.nat(60),
      tools: fc.boolean(),
      late: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('compact', 'compact', 'undo', 'rewind', 'state', 'forget', 'reopen'),
      which: fc.nat(40),
    }),
  },
);

/** Adds notes and drops some as it is told to, and writes down what a prompt was when it was made. */
function recallWith(wished: () => Wish) {
  return definePlugin({
    name: 'recall',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('note', (draft) => {
        const { notes, drops } = wished();
        const oldest = drops ? draft.items.find((item) => item.note !== null) : undefined;
        const kept = oldest === undefined ? draft : draft.drop(oldest.groupId, 'oldest');
        const seqs = draft.items.flatMap(({ seq }) => (seq === null ? [] : [seq]));
        return notes.reduce(
          (noted, size, place) =>
            noted.addNote(
              { id: `n${place}`, items: [{ text: 'clay '.repeat(size), seqs: seqs.slice(place, place + 2) }] },
              'clay',
            ),
          kept,
        );
      }),
  })();
}

function messageOf(
  one: Extract<Step, { do: 'user' | 'event' | 'assistant' | 'call' | 'result' }>,
  id: number,
): Message {
  const text = `${one.do} ${id} ${'silt '.repeat(one.size)}`;
  if (one.do === 'assistant') return { role: 'assistant', content: text };
  if (one.do === 'user' || one.do === 'event') return { role: 'user', content: text };
  const toolCallId = `c${id % 3}`;
  const asked = { type: 'tool-call', toolCallId, toolName: 'read', input: { id } } as const;
  if (one.do === 'call') return { role: 'assistant', content: [asked, { ...asked, toolCallId: `d${id}` }] };
  const output = { type: 'text', value: text } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
}

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

async function foldsAlike(store: Store): Promise<ReturnType<typeof fold>> {
  const journal = await store.open('s', { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  const folded = fold(await journal.tail());
  expect(folded).toEqual(fold({ checkpoint: null, entries }));
  return folded;
}

const sum = (parts: readonly { readonly tokens: number }[]): number =>
  parts.reduce((total, { tokens }) => total + tokens, 0);

/** What holds for every prompt, whatever its notes. */
function expectSound(prompt: Prompt, previous: Prompt | null): void {
  const { messages, manifest, tokens } = prompt;
  expect(isPaired(messages)).toBe(true);
  expect(sum(manifest.entries) + sum(manifest.layers) + sum(manifest.notes) + manifest.madeUpTokens).toBe(tokens);
  expect(tokens).toBeLessThanOrEqual(inputTokens);
  const shown = manifest.notes.filter(({ leftOut }) => leftOut === undefined);
  const texts = messages.map(({ content }) => content);
  for (const { text } of shown) expect(texts).toContain(text);
  const names = manifest.notes.map(({ by, id, afterSeq }) => `${by} ${id} ${afterSeq}`);
  expect(new Set(names).size).toBe(names.length);
  const isNew = shown.map((note) => note.isNew);
  expect(isNew).toEqual(isNew.toSorted());
  if (previous === null) return;
  const stable = previous.messages.slice(0, previous.marks.afterStable);
  const isPrefix = JSON.stringify(messages.slice(0, stable.length)) === JSON.stringify(stable);
  expect(manifest.firstChangedByte === null).toBe(isPrefix);
  if (!isPrefix) expect(manifest.actions).not.toEqual([]);
}

/** A session that plays steps, and the prompts that it makes. */
class Play {
  readonly store = memoryStore();
  wished: Wish = { notes: [], drops: false };
  readonly unchecked: Prompt[] = [];
  previous: Prompt | null = null;
  host!: Host;
  session!: Session;

  async open(): Promise<void> {
    this.previous = null;
    this.host = await createHost({
      store: this.store,
      plugins: [recallWith(() => this.wished)],
      budget: { inputTokens },
    });
    this.host.events.on('prompt-assembled', ({ prompt, dryRun }) => {
      // What a listener throws is nobody's.
      if (!dryRun) this.unchecked.push(prompt);
    });
    this.session = await this.host.open('s');
  }

  async ask(given: Wish): Promise<void> {
    this.wished = given;
    const dry = await this.session.assemble({ model, dryRun: true });
    const first = await this.session.assemble({ model });
    expect(first.messages).toEqual(dry.messages);
    if (given.drops) return;
    const second = await this.session.assemble({ model });
    expect([second.messages, second.tokens]).toEqual([first.messages, first.tokens]);
    this.wished = { notes: [], drops: false };
    await using fresh = await createHost({ store: this.store, budget: { inputTokens } });
    await this.session.explain();
    const reopened = await (await fresh.open('s')).assemble({ model, dryRun: true });
    expect([reopened.messages, reopened.tokens]).toEqual([first.messages, first.tokens]);
  }

  async turn({ wish: given, size, tools, late }: Extract<Step, { do: 'turn' }>, id: number): Promise<void> {
    this.wished = given;
    const during = async (): Promise<void> => {
      if (late) await this.session.ingest({ role: 'user', content: `late ${id}` });
    };
    const answer = async () => {
      await during();
      return say(`answer ${id} ${'silt '.repeat(size)}`);
    };
    const scripted = scriptedModel(tools ? [call([`t${id}`, 'read']), answer] : [answer], model);
    await this.session.turn({
      message: { role: 'user', content: `turn ${id} ${'silt '.repeat(size)}` },
      model: scripted.port,
      tools: [tool('read')],
    });
  }

  async change(one: Extract<Step, { which: number }>): Promise<void> {
    const { session } = this;
    const entries = await entriesOf(session);
    const messages = entries.filter((entry) => entry.type === 'message');
    const { id = '', seq = 0 } = messages[one.which % Math.max(1, messages.length)] ?? {};
    const before = session.view.compaction();
    if (one.do === 'compact') await session.compact('manual', { model });
    if (one.do === 'undo' && before !== null) await session.undo(before.id);
    if (one.do === 'rewind' && id !== '') await session.moveHead(id, { reason: 'rewind' });
    if (one.do === 'state') await session.setState('slot', `state ${one.which}`);
    if (one.do === 'forget' && id !== '') {
      await session.forget([id], 'asked to');
      this.check();
      this.previous = null;
      const { notes } = await foldsAlike(this.store);
      expect(notes.filter(({ seqs }) => seqs.includes(seq))).toEqual([]);
    }
    const added = (await entriesOf(session)).slice(entries.length);
    if (added.some(({ type }) => ['compaction', 'revoke', 'head'].includes(type)))
      expect((await foldsAlike(this.store)).notes).toEqual([]);
  }

  async perform(one: Step, id: number): Promise<void> {
    if (one.do === 'ask') await this.ask(one.wish);
    else if (one.do === 'turn') await this.turn(one, id);
    else if ('which' in one && one.do !== 'reopen') await this.change(one);
    else if ('size' in one) {
      const provenance = one.do === 'event' ? ({ kind: 'system-event' } as const) : undefined;
      await this.session.ingest(messageOf(one, id), { provenance });
    } else {
      await this.host.close();
      this.check();
      await this.open();
    }
    await foldsAlike(this.store);
    this.check();
  }

  check(): void {
    for (const prompt of this.unchecked.splice(0)) {
      expectSound(prompt, this.previous);
      this.previous = prompt;
    }
  }
}

describe('notes', () => {
  test('keep every law of prompts and journals, whatever happens between them', async () => {
    let noted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const play = new Play();
        await play.open();
        for (const [id, one] of steps.entries()) {
          await play.perform(one, id);
          noted += play.previous?.manifest.notes.length ?? 0;
        }
        await play.host.close();
      }),
      { numRuns: 120 },
    );
    expect(noted).toBeGreaterThan(500);
  });
});
