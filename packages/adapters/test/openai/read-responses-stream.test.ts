import { type OpenAIResponsesEvent, readOpenAIResponsesStream } from '@varve/adapters/openai';
import type { ModelDelta } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../fake-client.ts';

async function read(events: readonly object[]) {
  const deltas: ModelDelta[] = [];
  const reply = await readOpenAIResponsesStream(streamOf(events as readonly OpenAIResponsesEvent[]), (delta) =>
    deltas.push(delta),
  );
  return { reply, deltas };
}

const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '' };
const events = [
  { type: 'response.created', response: { status: 'in_progress', output: [] } },
  { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
  { type: 'response.output_text.delta', delta: 'So' },
  { type: 'response.output_text.delta', delta: '.' },
  { type: 'response.output_item.added', item: call, output_index: 1 },
  { type: 'response.function_call_arguments.delta', delta: '{}' },
];
const done = { type: 'response.completed', response: { status: 'completed', output: [said, call], error: null } };

describe('a streamed answer of the Responses API', () => {
  it('is what its last event says, and is told piece by piece', async () => {
    const { reply, deltas } = await read([...events, done]);
    expect(reply).toEqual({ status: 'completed', output: [said, call], error: null });
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'So' },
      { type: 'text', text: '.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read' },
    ]);
  });

  it('is put together from its items when the last event leaves them out', async () => {
    const { reply } = await read([
      { type: 'response.output_item.done', item: call, output_index: 1 },
      { type: 'response.output_item.done', item: said, output_index: 0 },
      { ...done, response: { status: 'completed', output: [] } },
    ]);
    expect(reply.output).toEqual([said, call]);
  });

  it('says that it is incomplete', async () => {
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [said] };
    const { reply } = await read([...events, { type: 'response.incomplete', response }]);
    expect(reply).toEqual(response);
  });

  it('is no answer when it was cut anywhere before its end', async () => {
    for (let length = 0; length <= events.length; length += 1) {
      await expect(read(events.slice(0, length))).rejects.toMatchObject({
        code: 'VARVE_MODEL_FAILED',
        details: { kind: 'network', retryable: true },
      });
    }
  });

  it.each([
    [{ type: 'error', code: 'server_error', message: 'Upstream is gone' }],
    [{ type: 'response.failed', response: { status: 'failed', output: [], error: { message: 'Upstream is gone' } } }],
  ])('fails with what the provider reports within it: %j', async (event) => {
    await expect(read([...events, event])).rejects.toThrow('Upstream is gone');
  });
});
