import type { AssistantMessage, Message, ModelDelta } from '@varve/core';
import { answer, echo, fixedReplies, toolAgent } from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { ask, listening, readTool, serverFor, ways } from './model-server-subject.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==';

function resultsFor(message: AssistantMessage): Message {
  const parts = typeof message.content === 'string' ? [] : message.content;
  return {
    role: 'tool',
    content: parts
      .filter((part) => part.type === 'tool-call')
      .map(({ toolCallId, toolName }, index) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: `See src/part-${index}.ts for ${toolCallId}` },
      })),
  };
}

describe.each(ways)('a server of $title', (way) => {
  const options = way.streams ? listening : {};

  it('answers what the script says, and reports usage', async () => {
    await using server = await serverFor(way, { script: echo() });
    const messages: Message[] = [{ role: 'user', content: 'Grüße, 世界 👋🏽: $& and \u2028 too' }];
    const { message, usage } = await ask(way.port(server), { messages }, options);
    expect(message).toMatchObject({ content: [{ type: 'text', text: messages[0]?.content }], stop: 'stop' });
    const [request] = server.requests;
    expect(usage?.inputTokens).toBe(request?.inputTokens);
    expect(usage?.outputTokens).toBeGreaterThan(5);
    expect(request).toMatchObject({ number: 1, violations: [], stream: way.streams });
    expect(request?.conversation.system).toBe('Be brief.');
    expect(await request?.ended).toBe('answered');
  });

  it('streams texts in pieces that no character is cut by', async () => {
    const text = '世界👋🏽 ok. '.repeat(8);
    await using server = await serverFor(way, { script: () => answer(text, { pieceChars: 1 }) });
    const deltas: ModelDelta[] = [];
    await ask(way.port(server), {}, { onDelta: (delta) => deltas.push(delta) });
    const texts = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []));
    expect(texts.length).toBe([...text].length);
    expect(texts.join('')).toBe(text);
  });

  it('gives calls in parallel, and takes their results', async () => {
    const script = fixedReplies(
      answer([
        { type: 'text', text: 'I look at both.' },
        { type: 'tool-call', name: 'read_file', input: { path: 'a.ts', lines: 3 } },
        { type: 'tool-call', name: 'read_file', input: { path: 'b/ü.ts' } },
      ]),
      'Both are read.',
    );
    await using server = await serverFor(way, { script });
    const port = way.port(server);
    const asked: Message[] = [{ role: 'user', content: 'Read a and b.' }];
    const { message } = await ask(port, { messages: asked, tools: [readTool] }, options);
    expect(message).toMatchObject({
      stop: 'tool-calls',
      content: [
        { type: 'text', text: 'I look at both.' },
        { type: 'tool-call', toolName: 'read_file', input: { path: 'a.ts', lines: 3 } },
        { type: 'tool-call', toolName: 'read_file', input: { path: 'b/ü.ts' } },
      ],
    });
    const results = resultsFor(message);
    const last = await ask(port, { messages: [...asked, message, results], tools: [readTool] }, options);
    expect(last.message.stop).toBe('stop');
    const seen = server.requests[1]?.conversation.messages.flatMap((one) => one.results) ?? [];
    expect(seen.map(({ text }) => text)).toEqual([
      expect.stringContaining('src/part-0.ts'),
      expect.stringContaining('src/part-1.ts'),
    ]);
  });

  it('takes thinking back as it gave it', async () => {
    const script = fixedReplies(
      answer([
        { type: 'thinking', text: 'First the file, then the rest.' },
        { type: 'tool-call', name: 'read_file', input: { path: 'a.ts' } },
      ]),
      'Read.',
    );
    await using server = await serverFor(way, { script });
    const port = way.port(server);
    const asked: Message[] = [{ role: 'user', content: 'Read a.' }];
    const { message } = await ask(port, { messages: asked, tools: [readTool] }, options);
    expect(message.content[0]).toMatchObject({ type: 'reasoning', text: 'First the file, then the rest.' });
    await ask(port, { messages: [...asked, message, resultsFor(message)], tools: [readTool] }, options);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('First the file, then the rest.');
  });

  it('sees images, and counts them', async () => {
    await using server = await serverFor(way, { script: () => 'A dot.' });
    const port = way.port(server);
    await ask(port, {}, options);
    const content = [
      { type: 'text', text: 'hello' },
      { type: 'image', image: png, mediaType: 'image/png' },
    ] as const;
    await ask(port, { messages: [{ role: 'user', content }] }, options);
    const [without, withImage] = server.requests;
    expect(withImage?.conversation.messages.at(-1)).toMatchObject({ text: 'hello', images: 1 });
    expect((withImage?.inputTokens ?? 0) - (without?.inputTokens ?? 0)).toBeGreaterThan(500);
  });

  it('runs an agent with tools to its end, and gives the same request the same answer', async () => {
    await using server = await serverFor(way, { script: toolAgent({ seed: 7, steps: 3, thinks: true }) });
    const port = way.port(server);
    const messages: Message[] = [{ role: 'user', content: 'Find out about packages/core/src/message.ts.' }];
    for (let round = 0; round < 3; round += 1) {
      const { message } = await ask(port, { messages, tools: [readTool] }, options);
      const again = await ask(port, { messages, tools: [readTool] }, options);
      expect(again.message).toEqual(message);
      expect(message.stop).toBe('tool-calls');
      messages.push(message, resultsFor(message));
    }
    const { message } = await ask(port, { messages, tools: [readTool] }, options);
    expect(message.stop).toBe('stop');
    expect(JSON.stringify(message.content)).toContain('src/part-0.ts');
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('cuts an answer where the request bounds it', async () => {
    await using server = await serverFor(way, { script: () => 'word '.repeat(500) });
    const { message, usage } = await ask(way.port(server), { maxOutputTokens: 20 }, options);
    expect(message.stop).toBe('length');
    expect(usage?.outputTokens).toBe(20);
    expect(JSON.stringify(message.content).length).toBeLessThan(200);
  });

  it('cuts an answer where the window ends', async () => {
    await using server = await serverFor(way, { script: () => 'word '.repeat(500), contextTokens: 60 });
    const { message, usage } = await ask(way.port(server), {}, options);
    expect(message.stop).toBe('length');
    expect((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)).toBe(60);
  });
});
