import { type AnthropicStreamEvent, readAnthropicStream } from '@varve/adapters/anthropic';
import type { ModelDelta } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../fake-client.ts';

const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const end = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: null, output_tokens: 9 } },
  { type: 'message_stop' },
];

function block(index: number, content_block: object, deltas: readonly object[] = []): AnthropicStreamEvent[] {
  return [
    { type: 'content_block_start', index, content_block } as AnthropicStreamEvent,
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta }) as AnthropicStreamEvent),
    { type: 'content_block_stop', index } as AnthropicStreamEvent,
  ];
}

async function read(events: readonly AnthropicStreamEvent[], error?: unknown) {
  const deltas: ModelDelta[] = [];
  const reply = await readAnthropicStream(streamOf(events, error), (delta) => deltas.push(delta));
  return { reply, deltas };
}

const jsonPieces = (...pieces: string[]) => pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));

describe('a streamed answer', () => {
  it('is put together, and told piece by piece', async () => {
    const { reply, deltas } = await read([
      start,
      { type: 'ping' },
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'h' },
        { type: 'thinking_delta', thinking: 'm' },
        { type: 'signature_delta', signature: 'signed' },
      ]),
      ...block(1, { type: 'text', text: '' }, [
        { type: 'text_delta', text: 'So' },
        { type: 'text_delta', text: '.' },
        { type: 'citations_delta', citation: { cited_text: 'x' } },
      ]),
      ...block(2, { type: 'tool_use', id: 'a', name: 'read', input: {} }, jsonPieces('{"pa', 'th":"b"}')),
      ...block(3, { type: 'tool_use', id: 'b', name: 'now', input: {} }),
      ...block(4, { type: 'redacted_thinking', data: 'sealed' }),
      ...end,
    ]);
    expect(reply).toEqual({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'signed' },
        { type: 'text', text: 'So.', citations: [{ cited_text: 'x' }] },
        { type: 'tool_use', id: 'a', name: 'read', input: { path: 'b' } },
        { type: 'tool_use', id: 'b', name: 'now', input: {} },
        { type: 'redacted_thinking', data: 'sealed' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 9 },
    });
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'h' },
      { type: 'reasoning', text: 'm' },
      { type: 'text', text: 'So' },
      { type: 'text', text: '.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'now' },
    ]);
  });

  it('keeps an input that is cut or no JSON as it came, so that nothing of it is run', async () => {
    const cut = block(0, { type: 'tool_use', id: 'a', name: 'read', input: {} }, jsonPieces('{"path": "b'));
    const { reply } = await read([start, ...cut, ...end]);
    expect(reply.content).toEqual([{ type: 'tool_use', id: 'a', name: 'read', input: '{"path": "b' }]);
  });

  it('puts blocks that come interleaved in their order', async () => {
    const [first, second] = [block(1, { type: 'text', text: 'b' }), block(0, { type: 'text', text: 'a' })];
    const { reply } = await read([start, ...first, ...second, ...end]);
    expect(reply.content).toMatchObject([{ text: 'a' }, { text: 'b' }]);
  });

  it('is no answer when it was cut anywhere before its end', async () => {
    const events = [start, ...block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'So' }])];
    for (let length = 0; length <= events.length; length += 1) {
      await expect(read(events.slice(0, length))).rejects.toMatchObject({
        code: 'VARVE_MODEL_FAILED',
        details: { kind: 'network', retryable: true },
      });
    }
  });

  it('fails with what the provider reports within it', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    await expect(read([start, error, ...end])).rejects.toThrow('Overloaded');
  });
});
