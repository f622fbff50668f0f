import { readTranscript } from '@varve/adapters/transcripts';
import { partsOfMessage, VarveError } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { allOf, inFile, kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';

const toolCall = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } };
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'go' },
  { role: 'assistant', content: null, tool_calls: [toolCall] },
  { role: 'tool', tool_call_id: 'a', content: '{"a": 1}' },
  { role: 'assistant', content: 'Done.' },
];

describe('messages in the form of OpenAI', () => {
  const forms: [form: string, content: string, items: number | null, key: string][] = [
    ['a JSON array', JSON.stringify(conversation), 1, 'message:3'],
    ['a JSON array over many lines', JSON.stringify(conversation, null, 2), 1, 'message:3'],
    ['an object with messages', JSON.stringify({ messages: conversation }, null, 2), 1, 'message:3'],
    ['an object with messages on one line', JSON.stringify({ model: 'x', messages: conversation }), 1, 'message:3'],
    ['one message a line', linesOf(...conversation), 1, 'line:3'],
  ];

  it.each(forms)('are read from %s', async (_, content, items, key) => {
    const transcript = await readTranscript(await inFile(content));
    expect(transcript).toMatchObject({ format: 'openai-messages', items });
    const records = await allOf(transcript.records());
    expect(kindsOf(records)).toEqual(['item', 'system', 'user', 'assistant', 'tool', 'assistant']);
    const [, , calling, result, done] = messagesOf(records);
    expect(calling).toMatchObject({
      key,
      message: { content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } }] },
    });
    expect(result?.message.content).toEqual([
      { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: '{"a": 1}' } },
    ]);
    expect([calling, result, done].map((record) => record?.call !== undefined)).toEqual([true, false, true]);
  });

  it.each([
    ['a conversation a line', linesOf({ id: 'first', messages: conversation }, { messages: conversation.slice(0, 2) })],
    [
      'a JSON array of conversations',
      JSON.stringify([{ id: 'first', messages: conversation }, { messages: conversation.slice(0, 2) }]),
    ],
  ])('are several conversations: %s', async (_, content) => {
    const records = await recordsIn(content);
    expect(records.flatMap((record) => (record.kind === 'item' ? [[record.item, record.title]] : []))).toEqual([
      [1, 'first'],
      [2, undefined],
    ]);
    expect(kindsOf(await recordsIn(content, { item: 2 }))).toEqual(['item', 'system', 'user']);
    const third = recordsIn(content, { item: 3 });
    await expect(third).rejects.toSatisfy((error) => VarveError.is(error, 'VARVE_TRANSCRIPT_ITEM'));
    await expect(third).rejects.toThrow('It holds 2.');
  });

  it.each([0, -1, 1.5, Number.NaN, 2])('have no conversation number %d in a file with one', async (item) => {
    const reading = recordsIn(linesOf(...conversation), { item });
    await expect(reading).rejects.toSatisfy((error) => VarveError.is(error, 'VARVE_TRANSCRIPT_ITEM'));
  });

  it('may hold lists of parts', async () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:text/csv;base64,YQ==', filename: 'a.csv' } },
      { type: 'smell' },
    ];
    const records = await recordsIn(
      JSON.stringify([
        { role: 'developer', content: [content[0]] },
        { role: 'user', content },
      ]),
    );
    expect(kindsOf(records)).toEqual(['system', 'user', 'unknown content:smell']);
    expect(messagesOf(records)[1]?.message.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', image: 'https://example.org/a.png' },
      { type: 'file', data: 'AAAA', mediaType: 'audio/mp3' },
      { type: 'file', data: 'data:text/csv;base64,YQ==', mediaType: 'text/csv', filename: 'a.csv' },
    ]);
  });

  it('keep an image of the assistant as unknown, for which there is no part', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
    expect(kindsOf(await recordsIn(JSON.stringify([{ role: 'assistant', content: [image] }])))).toEqual([
      'assistant',
      'unknown content:image_url',
    ]);
  });

  // arguments · input
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['{"a":', '{"a":'],
    ['[1]', [1]],
    [undefined, {}],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, expect.any(String)],
  ])('have arguments in a string', async (text, input) => {
    const call = { ...toolCall, function: { name: 'read', arguments: text } };
    const [message] = messagesOf(
      await recordsIn(JSON.stringify([{ role: 'assistant', tool_calls: [call, 'broken'] }])),
    );
    expect(message?.message.content).toEqual([{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input }]);
  });

  it('pair functions of old by their name, and calls without an id by their place', async () => {
    const old = [
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      { role: 'function', name: 'read', content: 'ok' },
      { role: 'assistant', tool_calls: [{ function: { name: 'a' } }, { function: { name: 'b' } }] },
      { role: 'tool', content: 'nobody asked' },
    ];
    const parts = messagesOf(await recordsIn(JSON.stringify(old))).flatMap(({ message }) => partsOfMessage(message));
    expect(parts).toMatchObject([
      { toolCallId: 'message:1', toolName: 'read' },
      { toolCallId: 'message:1', toolName: 'read', output: { value: 'ok' } },
      { toolCallId: 'message:3:1' },
      { toolCallId: 'message:3:2' },
      { toolCallId: 'unknown', toolName: 'unknown' },
    ]);
  });

  it('keep reasoning and refusals', async () => {
    const spoken = { role: 'assistant', content: '', reasoning_content: 'hm', refusal: 'I will not.', model: 'x' };
    const [message] = messagesOf(await recordsIn(JSON.stringify([spoken])));
    expect(message).toMatchObject({ call: { model: 'x' } });
    expect(message?.message.content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I will not.' },
    ]);
  });

  it('keep what is no message as unknown', async () => {
    const odd = [
      { role: 'user', content: 'go' },
      7,
      null,
      { role: 'narrator', content: 'x' },
      { role: 'user', content: 5 },
    ];
    expect(kindsOf(await recordsIn(JSON.stringify(odd)))).toEqual([
      'user',
      'unknown number',
      'unknown null',
      'unknown object',
      'unknown object',
    ]);
  });
});
