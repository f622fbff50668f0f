import {
  type BudgetOptions,
  createHost,
  createTokenCounter,
  type Message,
  type MessagePart,
  memoryStore,
  type Prompt,
  type Session,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { png } from './fixtures/image-headers.ts';

const model = { provider: 'acme', model: 'large' };
const tokens = createTokenCounter('characters', (text) => text.length);

const screenshot = (bytes: number): string => png(800, 600) + 'A'.repeat(bytes);

function shown(bytes: number): Message {
  return {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image', image: screenshot(bytes) },
    ],
  };
}

function looked(id: number, bytes: number): readonly Message[] {
  const image = { type: 'image', image: screenshot(bytes), mediaType: 'image/png' } as const;
  const output = { type: 'content', value: [{ type: 'text', text: `Page ${id}.` }, image] } as const;
  const call = { type: 'tool-call', toolCallId: `c${id}`, toolName: 'look', input: { id } } as const;
  return [
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${id}`, toolName: 'look', output }] },
  ];
}

const asked: Message = { role: 'user', content: 'Read all of it.' };

function read(id: number, bytes: number): readonly Message[] {
  const output = { type: 'text', value: `${id} ${'w'.repeat(bytes)}` } as const;
  const call = { type: 'tool-call', toolCallId: `r${id}`, toolName: 'read', input: { id } } as const;
  return [
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `r${id}`, toolName: 'read', output }] },
  ];
}

async function withMessages(budget: BudgetOptions, messages: readonly Message[]): Promise<Session> {
  const host = await createHost({ budget, tokens });
  const session = await host.open('s');
  for (const message of messages) await session.ingest(message);
  return session;
}

function bytesOf({ system, messages }: Prompt): number {
  return new TextEncoder().encode(JSON.stringify([...system, ...messages])).length;
}

const imagesIn = (prompt: Prompt): number => JSON.stringify(prompt.messages).split('"type":"image"').length - 1;

const answered: Message = { role: 'assistant', content: 'I see.' };

describe('a prompt that is too large in bytes', () => {
  const messages = [shown(40_000), answered, shown(40_000), answered, shown(40_000)];

  test('shows a placeholder for the oldest images, which names the entry, and keeps the newest', async () => {
    const session = await withMessages({ inputBytes: 100_000 }, messages);
    const prompt = await session.assemble({ model });
    expect(bytesOf(prompt)).toBeLessThanOrEqual(100_000);
    expect(imagesIn(prompt)).toBe(1);
    const [first] = prompt.messages;
    expect(first?.content).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'text', text: '[image, 800 × 600, 31 kB: left out, the request would be too large; it is in #1]' },
    ]);
    expect(prompt.manifest.entries.map(({ kind, rule, by }) => [kind, rule, by])).toEqual([
      ['cleared', 'byte-budget', 'core'],
      ['kept', undefined, undefined],
      ['cleared', 'byte-budget', 'core'],
      ['kept', undefined, undefined],
      ['kept', undefined, undefined],
    ]);
  });

  test('keeps the same placeholders in later prompts, and after a restart', async () => {
    const store = memoryStore();
    const budget = { inputBytes: 100_000 };
    const first = await createHost({ budget, tokens, store });
    const session = await first.open('s');
    for (const message of messages) await session.ingest(message);
    const prompt = await session.assemble({ model });
    await session.ingest(answered);
    const next = await session.assemble({ model });
    expect(next.messages.slice(0, 5)).toEqual(prompt.messages);
    expect(next.manifest.firstChangedByte).toBeNull();
    await first.close();
    await using host = await createHost({ budget, tokens, store });
    const again = await (await host.open('s')).assemble({ model, dryRun: true });
    expect(again.messages).toEqual(next.messages);
  });

  test('is the same prompt as a dry run, which stores nothing', async () => {
    const session = await withMessages({ inputBytes: 100_000 }, messages);
    const dry = await session.assemble({ model, dryRun: true });
    expect((await session.assemble({ model })).messages).toEqual(dry.messages);
  });

  test('shows placeholders for what the running turn has looked at already, with the text of the result', async () => {
    const turn = [
      { role: 'user', content: 'Look at all pages.' } as const,
      ...[1, 2, 3, 4].flatMap((id) => looked(id, 30_000)),
    ];
    const session = await withMessages({ inputBytes: 100_000 }, turn);
    const prompt = await session.assemble({ model });
    expect(bytesOf(prompt)).toBeLessThanOrEqual(100_000);
    const results = prompt.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
    expect(results[0]).toContain('Page 1.\\n[image/png, 800 × 600');
    expect(results[3]).toContain('"type":"image"');
    expect(prompt.messages[0]).toEqual(turn[0]);
  });

  test('leaves out the oldest groups when there is nothing else to leave out', async () => {
    const talk = Array.from({ length: 40 }, (_, index): Message[] => [
      { role: 'user', content: `${index} ${'w'.repeat(2_000)}` },
      { role: 'assistant', content: 'ok' },
    ]).flat();
    const session = await withMessages({ inputTokens: null, inputBytes: 50_000 }, talk);
    const prompt = await session.assemble({ model });
    expect(bytesOf(prompt)).toBeLessThanOrEqual(50_000);
    expect(prompt.manifest.entries.filter(({ rule }) => rule === 'byte-budget').length).toBeGreaterThan(20);
    expect(prompt.manifest.entries.at(-1)?.kind).toBe('kept');
  });

  test('shortens the oldest of thousands of results, and no more of them than it must', async () => {
    const results = 4_000;
    const limit = 7_000_000;
    const turn = Array.from({ length: results }, (_, id) => read(id, 2_000)).flat();
    const session = await withMessages({ inputTokens: null, inputBytes: limit }, [asked, ...turn]);
    const prompt = await session.assemble({ model });
    const kinds = prompt.manifest.entries.filter(({ role }) => role === 'tool').map(({ kind }) => kind);
    const parked = kinds.filter((kind) => kind === 'parked').length;
    expect(kinds).toEqual([...Array(parked).fill('parked'), ...Array(results - parked).fill('kept')]);
    // Brackets and commas of the list are no bytes of its messages.
    const bytes = bytesOf(prompt) - prompt.messages.length - 1;
    expect(bytes).toBeLessThanOrEqual(limit);
    expect(bytes).toBeGreaterThan(limit - 2_000);
  });

  test('is impossible when what was just said does not fit, and says what is how large', async () => {
    const session = await withMessages({ inputBytes: 100_000 }, [shown(200_000)]);
    await expect(session.assemble({ model })).rejects.toMatchObject({
      code: 'VARVE_BUDGET_IMPOSSIBLE',
      details: { budgetBytes: 100_000, items: [expect.objectContaining({ id: '#1', role: 'user' })] },
    });
  });

  test('has no limit where none is given', async () => {
    const session = await withMessages({}, messages);
    expect(imagesIn(await session.assemble({ model }))).toBe(3);
    expect(session.pressure({ model }).bytes).toBeNull();
  });
});

describe('pressure', () => {
  test('names bytes when they are what presses', async () => {
    const session = await withMessages({ inputBytes: 100_000 }, [shown(40_000), answered]);
    const { level, by, bytes } = session.pressure({ model });
    expect([level, by]).toEqual(['none', 'tokens']);
    expect(bytes).toBeGreaterThan(40_000);
    await session.ingest(shown(45_000));
    expect(session.pressure({ model })).toMatchObject({ level: 'soft', by: 'bytes' });
    await session.ingest(shown(20_000));
    expect(session.pressure({ model })).toMatchObject({ level: 'overflow', by: 'bytes' });
  });

  test('counts the bytes of characters, not the characters', async () => {
    const session = await withMessages({ inputBytes: 100_000 }, [{ role: 'user', content: '汉'.repeat(10_000) }]);
    expect(session.pressure({ model }).bytes).toBeGreaterThan(30_000);
  });
});

test('whatever was said, a prompt is within its bytes or is said to be impossible, and pairs stay closed', async () => {
  const one = fc.oneof(
    fc.nat(40_000).map((bytes) => [shown(bytes)]),
    fc.constant([answered]),
    fc.tuple(fc.nat(99), fc.nat(40_000)).map(([id, bytes]) => looked(id, bytes)),
  );
  const said = fc.array(one, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(said, fc.integer({ min: 20_000, max: 120_000 }), async (messages, inputBytes) => {
      const session = await withMessages({ inputBytes }, messages.flat());
      const prompt = await session.assemble({ model }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'VARVE_BUDGET_IMPOSSIBLE', details: { budgetBytes: inputBytes } });
      });
      if (prompt === undefined) return;
      expect(bytesOf(prompt)).toBeLessThanOrEqual(inputBytes);
      expect(idsIn(prompt, 'tool-result')).toEqual(idsIn(prompt, 'tool-call'));
      const next = await session.assemble({ model, dryRun: true });
      expect(brief(next)).toEqual(brief(prompt));
    }),
    { numRuns: 60 },
  );
});

function idsIn({ messages }: Prompt, type: 'tool-call' | 'tool-result'): readonly string[] {
  const parts = messages.flatMap(({ content }): readonly MessagePart[] => (typeof content === 'string' ? [] : content));
  return parts.flatMap((part) => (part.type === type ? [part.toolCallId] : [])).sort();
}

/** The messages of a prompt with what images hold cut short. */
function brief({ messages }: Prompt): string {
  return JSON.stringify(messages).replaceAll(/A{50,}/g, (data) => `A×${data.length}`);
}
