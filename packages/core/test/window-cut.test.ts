import { createHost, type Entry, type Message, memoryStore, type Prompt, type Store, tableCounter } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };
const image = { type: 'image', image: 'iVBORw0KGgo=' } as const;

const user = (content: string): Message => ({ role: 'user', content });
const call: Message = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }],
};
const resultOf = (text: string, images: number): Message => {
  const value = [{ type: 'text', text } as const, ...Array.from({ length: images }, () => image)];
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'content', value } }],
  };
};

async function promptOf(inputTokens: number, messages: readonly Message[]): Promise<Prompt> {
  await using host = await createHost({ budget: { inputTokens } });
  const session = await host.open('s');
  for (const message of messages) await session.ingest(message);
  return await session.assemble({ model });
}

const kinds = ({ manifest }: Prompt): readonly string[] => manifest.entries.map(({ kind }) => kind);

test('what the model has not read is shortened, not left out, though no user asked for it', async () => {
  const prompt = await promptOf(2_000, [call, resultOf('clay '.repeat(5_000), 0)]);
  expect(kinds(prompt)).toEqual(['kept', 'parked']);
});

test('what the model has not read is shortened, not left out, when the user went on', async () => {
  const messages = [user('Old.'), { role: 'assistant', content: 'silt '.repeat(900) } as const, user('Read.'), call];
  const prompt = await promptOf(2_000, [...messages, resultOf('clay '.repeat(5_000), 0), user('And?')]);
  expect(kinds(prompt)).toEqual(['dropped', 'dropped', 'dropped', 'kept', 'parked', 'kept']);
});

test('what cannot be shortened is left out when the running turn would not fit otherwise', async () => {
  const prompt = await promptOf(2_000, [user('Look.'), call, resultOf('', 1), user('clay '.repeat(600))]);
  expect(kinds(prompt)).toEqual(['dropped', 'dropped', 'dropped', 'kept']);
});

test('what the user says is shortened last', async () => {
  const asked = user(`Which of these is the oldest? ${'varve '.repeat(450)}`);
  const answered: Message[] = [call, resultOf('clay '.repeat(1_500), 0), { role: 'assistant', content: 'Read.' }];
  const prompt = await promptOf(1_000, [asked, ...answered]);
  expect(kinds(prompt)).toEqual(['kept', 'kept', 'parked', 'kept']);
  expect(kinds(await promptOf(400, [asked, ...answered]))).toEqual(['parked', 'kept', 'parked', 'kept']);
});

test('what a person asked stays, and stays whole, behind however many observations', async () => {
  await using host = await createHost({ budget: { inputTokens: 2_000 } });
  const session = await host.open('s');
  const task = user(`Which layer is the oldest? ${'varve '.repeat(200)}`);
  await session.ingest(user('Hello.'));
  await session.ingest({ role: 'assistant', content: 'Hello.' });
  await session.ingest(task);
  for (let n = 0; n < 4; n += 1) {
    await session.ingest({ role: 'assistant', content: `look ${n}` });
    await session.ingest(user(`${n} ${'clay '.repeat(900)}`), { provenance: { kind: 'tool' } });
  }
  const prompt = await session.assemble({ model });
  expect(prompt.messages).toContainEqual(task);
  expect(prompt.messages[0]?.role).toBe('user');
  expect(prompt.manifest.entries.find(({ seq }) => seq === 3)?.kind).toBe('kept');
  expect(prompt.manifest.entries.filter(({ rule }) => rule === 'park-live').length).toBeGreaterThan(0);
});

// One pass takes a second or two; working the draft out anew for each group takes half a minute, and runs into the time limit.
test('thousands of results are shortened in one pass, and only as many as must be', async () => {
  const count = 18_000;
  const value = 'clay '.repeat(240);
  const messages = Array.from({ length: count }, (_, n): readonly Message[] => {
    const named = { toolCallId: `c${n}`, toolName: 'read' } as const;
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...named, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...named, output: { type: 'text', value } }] },
    ];
  });
  const store = memoryStore();
  await storeMessages(store, [user('Read all.'), ...messages.flat()]);
  await using host = await createHost({ store, budget: { inputTokens: 138 * count } });
  const session = await host.open('s');
  const { manifest, tokens } = await session.assemble({ model, dryRun: true });
  const parked = manifest.entries.filter(({ kind }) => kind === 'parked').map(({ seq }) => seq);
  expect(parked.length).toBeGreaterThan(count / 10);
  expect(parked.length).toBeLessThan(count);
  expect(parked).toEqual(parked.map((_, index) => 3 + 2 * index));
  expect(tokens).toBeGreaterThan(138 * count - 300);
});

/** Writes a session's journal at once. */
async function storeMessages(store: Store, messages: readonly Message[]): Promise<void> {
  const journal = await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 0 } });
  const entries = messages.map(
    (message, index): Entry => ({
      v: 1,
      id: `id-${index + 1}`,
      parentId: index === 0 ? null : `id-${index}`,
      seq: index + 1,
      at: 0,
      type: 'message',
      message,
      provenance: { kind: message.role === 'user' ? 'user' : message.role === 'tool' ? 'tool' : 'model' },
      tokens: { n: tableCounter.countMessage(message), by: tableCounter.id },
    }),
  );
  await journal.append(entries, { expectedSeq: 0 });
  await journal.close();
}
