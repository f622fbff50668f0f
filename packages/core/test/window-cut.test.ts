import { createHost, type Message, type Prompt } from '@varve/core';
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
  const asked = user(`Which of these is the oldest? ${'varve '.repeat(250)}`);
  const answered: Message[] = [call, resultOf('clay '.repeat(1_500), 0), { role: 'assistant', content: 'Read.' }];
  const prompt = await promptOf(1_000, [asked, ...answered]);
  expect(kinds(prompt)).toEqual(['kept', 'kept', 'parked', 'kept']);
  expect(kinds(await promptOf(400, [asked, ...answered]))).toEqual(['parked', 'kept', 'parked', 'kept']);
});
