import { type OpenAIChatChunk, readOpenAIChatStream } from '@varve/adapters/openai';
import type { ModelDelta } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../fake-client.ts';

async function read(chunks: readonly OpenAIChatChunk[]) {
  const deltas: ModelDelta[] = [];
  const reply = await readOpenAIChatStream(streamOf(chunks), (delta) => deltas.push(delta));
  return { reply, deltas };
}

type Delta = NonNullable<NonNullable<OpenAIChatChunk['choices']>[number]['delta']>;
const piece = (delta: Delta): OpenAIChatChunk => ({ choices: [{ delta, finish_reason: null }] });
const finish = (finish_reason: string): OpenAIChatChunk => ({ choices: [{ delta: {}, finish_reason }] });
const call = (fields: object, id?: string, index?: number): OpenAIChatChunk =>
  piece({
    tool_calls: [{ ...(id === undefined ? {} : { id }), ...(index === undefined ? {} : { index }), ...fields }],
  });

describe('a streamed answer of the Chat Completions API', () => {
  it('is put together, and told piece by piece', async () => {
    const { reply, deltas } = await read([
      piece({ content: '', reasoning_content: 'hm' }),
      piece({ content: 'I ' }),
      piece({ content: 'look.' }),
      call({ function: { name: 'read', arguments: '' } }, 'a', 0),
      call({ function: { name: 'now', arguments: '{' } }, 'b', 1),
      call({ function: { arguments: '{"path":' } }, undefined, 0),
      call({ function: { arguments: '"x"}' } }, undefined, 0),
      call({ function: { arguments: '}' } }, undefined, 1),
      finish('tool_calls'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
    ]);
    expect(reply).toEqual({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: 'I look.',
            refusal: null,
            reasoning_content: 'hm',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } },
              { id: 'b', type: 'function', function: { name: 'now', arguments: '{}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'look.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'now' },
    ]);
  });

  it.each([
    ['leaves the index out', undefined, undefined],
    ['gives all calls one index', 0, 0],
  ])('keeps two calls apart when the server %s', async (_, first, second) => {
    const { reply } = await read([
      call({ function: { name: 'read', arguments: '{"path"' } }, 'a', first),
      call({ function: { arguments: ':1}' } }, undefined, first),
      call({ function: { name: 'read', arguments: '{}' } }, 'b', second),
      finish('tool_calls'),
    ]);
    expect(reply.choices[0]?.message.tool_calls?.map(({ id, function: called }) => [id, called?.arguments])).toEqual([
      ['a', '{"path":1}'],
      ['b', '{}'],
    ]);
  });

  it('is a refusal when it refuses', async () => {
    const { reply, deltas } = await read([piece({ refusal: 'No.' }), finish('stop')]);
    expect(reply.choices[0]?.message).toEqual({ content: null, refusal: 'No.' });
    expect(deltas).toEqual([{ type: 'text', text: 'No.' }]);
  });

  it('takes usage from a choice, as a few servers have it', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const { reply } = await read([{ choices: [{ delta: { content: 'a' }, finish_reason: 'stop', usage }] }]);
    expect(reply.usage).toEqual(usage);
  });

  it('is no answer when it was cut anywhere before its end', async () => {
    const chunks = [piece({ content: 'I' }), call({ function: { name: 'read', arguments: '{' } }, 'a', 0)];
    for (let length = 0; length <= chunks.length; length += 1) {
      await expect(read(chunks.slice(0, length))).rejects.toMatchObject({
        code: 'VARVE_MODEL_FAILED',
        details: { kind: 'network', retryable: true },
      });
    }
  });

  it('fails with what a proxy reports within it', async () => {
    await expect(read([piece({ content: 'I' }), { error: { message: 'Upstream is gone' } }])).rejects.toThrow(
      'Upstream is gone',
    );
  });
});
