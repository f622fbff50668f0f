import {
  type BudgetOptions,
  createHost,
  type Host,
  type Message,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { png } from './fixtures/image-headers.ts';
import { call, lineOf, say, scriptedModel, user, wordCounter } from './turn/scripted-model.ts';

const inputBytes = 100_000;

function image(bytes: number, text = 'Look.'): Message {
  const data = png(800, 600) + 'A'.repeat(bytes);
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', image: data },
    ],
  };
}

function file(bytes: number): Message {
  const data = 'A'.repeat(bytes);
  return { role: 'user', content: [{ type: 'file', data, mediaType: 'application/pdf', filename: 'tides.pdf' }] };
}

const imageNote = '[image, 800 × 600, 113 kB: left out, the request would be too large; it is in #1]';

async function open(more: BudgetOptions = {}, store?: Store): Promise<{ host: Host; session: Session }> {
  const host = await createHost({
    clock: manualClock(),
    tokens: wordCounter,
    budget: { inputBytes, ...more },
    ...(store === undefined ? {} : { store }),
  });
  return { host, session: await host.open('s') };
}

describe('a message of the user that is larger than a request may be', () => {
  test.each([
    ['an image', image(150_000)],
    ['a file', file(150_000)],
    ['a text', user('silt '.repeat(30_000))],
  ])('fails the turn that brings it, which names it with its bytes: %s', async (_, message) => {
    const { host, session } = await open({ inputTokens: null });
    const model = scriptedModel([]);
    await expect(session.turn({ message, model: model.port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      message: expect.stringMatching(/#1 with 15\d{4} bytes.* 100000 /),
      fix: expect.stringContaining('images and files'),
      details: { budgetBytes: inputBytes, items: [{ id: '#1', role: 'user', bytes: expect.any(Number) }] },
    });
    expect(model.requests).toEqual([]);
    await host.close();
  });

  test.each([
    ['an image', image(150_000)],
    ['a file', file(150_000)],
    ['a text', user('silt '.repeat(30_000))],
  ])('does not keep the next turn from its answer: %s', async (_, message) => {
    const { host, session } = await open({ inputTokens: null });
    const model = scriptedModel([say('I see.'), say('Still.')]);
    await session.turn({ message, model: model.port }).catch(() => undefined);
    const record = await session.turn({ message: user('Never mind.'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', text: 'I see.', pending: [] });
    expect(await session.turn({ message: user('And now?'), model: model.port })).toMatchObject({ text: 'Still.' });
    await host.close();
  });

  test('is shown as a note once another message has come, in all later prompts and after a restart', async () => {
    const store = memoryStore();
    const { host, session } = await open({}, store);
    const verdicts: unknown[] = [];
    host.events.on('prompt-assembled', ({ prompt }) => verdicts.push(prompt.manifest.entries[0]));
    const model = scriptedModel([say('I see.'), say('Still.')]);
    await session.turn({ message: image(150_000), model: model.port }).catch(() => undefined);
    await session.turn({ message: user('Never mind.'), model: model.port });
    await session.turn({ message: user('And now?'), model: model.port });
    const cleared = { seq: 1, kind: 'cleared', rule: 'byte-budget', by: 'core' };
    expect(verdicts).toMatchObject([cleared, cleared]);
    const shown = model.requests.map(({ prompt }) => prompt.messages.map(lineOf));
    expect(shown[0]).toEqual([`user: Look., ${imageNote}`, 'user: Never mind.']);
    expect(shown[1]?.slice(0, 2)).toEqual(shown[0]);
    await host.close();
    const again = await open({}, store);
    const prompt = await again.session.assemble({ model: model.port.ref, dryRun: true });
    expect(prompt.messages.map(lineOf).slice(0, 2)).toEqual(shown[0]);
    await again.host.close();
  });

  test('is one of several: the newest is whole, and of those before as many as fit', async () => {
    const { host, session } = await open();
    for (const bytes of [60_000, 60_000, 20_000]) await session.ingest(image(bytes, `${bytes} bytes`));
    const model = scriptedModel([say('I see.')]);
    const newest = image(40_000);
    await session.turn({ message: newest, model: model.port });
    const messages = model.requests[0]?.prompt.messages ?? [];
    expect(messages.map(lineOf)).toEqual([
      expect.stringMatching(/^user: 60000 bytes, \[image/),
      expect.stringMatching(/^user: 60000 bytes, \[image/),
      'user: 20000 bytes, image',
      'user: Look., image',
    ]);
    expect(messages.at(-1)).toEqual(newest);
    await host.close();
  });

  test('does not matter where the budget has no limit of bytes', async () => {
    const { host, session } = await open({ inputBytes: null });
    const model = scriptedModel([say('I see.'), say('Still.')]);
    await session.turn({ message: image(150_000), model: model.port });
    await session.turn({ message: user('And now?'), model: model.port });
    expect(model.requests[1]?.prompt.messages[0]).toEqual(image(150_000));
    await host.close();
  });
});

describe('a result of a tool that is larger than a request may be', () => {
  const result = (value: string): Message => {
    const output = { type: 'text', value } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }] };
  };

  test('is shortened to its ends where nothing else helps, in the turn that has it and in the next', async () => {
    const { host, session } = await open({ inputTokens: null });
    for (const message of [user('Read.'), call(['a', 'read']).message, result('silt '.repeat(40_000))]) {
      await session.ingest(message);
    }
    const model = scriptedModel([say('I see.'), say('Still.')]);
    expect(await session.turn({ model: model.port })).toMatchObject({ text: 'I see.' });
    expect(model.requests[0]?.prompt.messages.map(lineOf).at(-1)).toMatch(/the whole is in #3/);
    expect(await session.turn({ message: user('And now?'), model: model.port })).toMatchObject({ text: 'Still.' });
    await host.close();
  });

  test('does not keep a message that comes behind it from its answer', async () => {
    const { host, session } = await open({ inputTokens: null });
    for (const message of [user('Read.'), call(['a', 'read']).message, result('silt '.repeat(40_000))]) {
      await session.ingest(message);
    }
    const model = scriptedModel([say('I see.')]);
    expect(await session.turn({ message: user('Never mind.'), model: model.port })).toMatchObject({ text: 'I see.' });
    await host.close();
  });
});

test('whatever could not be sent, a turn with a message that fits is answered', async () => {
  const one = fc.oneof(
    fc.nat(150_000).map((bytes) => image(bytes)),
    fc.nat(150_000).map((bytes) => file(bytes)),
    fc.nat(30_000).map((words) => user('silt '.repeat(words))),
    fc.constant(user('And?')),
    fc.constant<Message>({ role: 'assistant', content: 'I see.' }),
    fc.constant<Message>({ role: 'assistant', content: 'I s', stop: 'aborted' }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 8 }), fc.nat(70_000), async (before, bytes) => {
      const { host, session } = await open({ inputTokens: null });
      for (const message of before) await session.ingest(message);
      const newest = image(bytes);
      const model = scriptedModel([say('I see.')]);
      expect(await session.turn({ message: newest, model: model.port })).toMatchObject({ text: 'I see.' });
      const { messages = [] } = model.requests[0]?.prompt ?? {};
      expect(messages.at(-1)).toEqual(newest);
      expect(new TextEncoder().encode(JSON.stringify(messages)).length).toBeLessThanOrEqual(inputBytes);
      await host.close();
    }),
    { numRuns: 60 },
  );
});
