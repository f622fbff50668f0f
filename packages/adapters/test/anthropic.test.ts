import { type AnthropicBlock, toAnthropic } from '@varve/adapters/anthropic';
import type { Message, Prompt, ToolOutput } from '@varve/core';
import { describe, expect, it } from 'vitest';

const model = 'claude-test';
const hello: Message = { role: 'user', content: 'hello' };

function body(messages: readonly Message[], options: Partial<Pick<Prompt, 'system' | 'marks'>> = {}) {
  const prompt = { system: [], marks: { afterSystem: 0, afterStable: 0 }, ...options, messages };
  return toAnthropic(prompt, { model });
}

function answered(output: ToolOutput, toolCallId = 'a'): readonly Message[] {
  return [
    hello,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: { path: 'x' } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] },
  ];
}

function blocksOf(messages: readonly Message[]): AnthropicBlock[] {
  return body(messages).messages.flatMap(({ content }) => content);
}

describe('a body', () => {
  it('names the model, 4096 tokens unless told otherwise, and no system prompt when there is none', () => {
    const text = { type: 'text', text: 'hello' };
    expect(body([hello])).toEqual({ model, max_tokens: 4096, messages: [{ role: 'user', content: [text] }] });
    const prompt = { system: [], messages: [hello], marks: { afterSystem: 0, afterStable: 0 } };
    expect(toAnthropic(prompt, { model, maxTokens: 7 }).max_tokens).toBe(7);
  });

  it('has one text a system block, and none for a blank one', () => {
    const system = ['one', ' ', 'two'].map((text, index) => ({ layer: `${index}`, text }));
    expect(body([hello], { system }).system).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]);
  });

  it('begins with the user even when the messages do not', () => {
    expect(body([{ role: 'assistant', content: 'hi' }]).messages[0]?.role).toBe('user');
    expect(body([]).messages).toHaveLength(1);
  });

  it('drops blank texts, then messages without blocks, and joins what meets then', () => {
    const messages: Message[] = [hello, { role: 'assistant', content: ' ' }, { role: 'user', content: 'again' }];
    expect(body(messages).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'text', text: 'again' },
        ],
      },
    ]);
  });

  it('says what a system message in the middle says as the user', () => {
    expect(blocksOf([hello, { role: 'system', content: 'Be brief.' }])).toContainEqual({
      type: 'text',
      text: 'Be brief.',
    });
  });

  it('puts results before the text of the user who speaks after them', () => {
    const messages = [...answered({ type: 'text', value: 'ok' }), { role: 'user', content: 'go on' } as const];
    expect(body(messages).messages[2]?.content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
  });

  it('trims the end of what the model said, wherever it stands', () => {
    const talk: Message[] = [hello, { role: 'assistant', content: 'one \n' }];
    expect(blocksOf(talk).at(-1)).toEqual({ type: 'text', text: 'one' });
    expect(blocksOf([...talk, hello])[1]).toEqual({ type: 'text', text: 'one' });
  });

  it('replaces halves of surrogate pairs everywhere, keys of inputs included', () => {
    const input = JSON.parse('{"k\\ud800":["v\\udfff"],"__proto__":{"deep":"\\ud83d"}}');
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input } as const;
    const answer = answered({ type: 'text', value: '\uD800!' })[2] as Message;
    const text = JSON.stringify(blocksOf([hello, { role: 'assistant', content: [call] }, answer]));
    expect(text).toContain('{"k\uFFFD":["v\uFFFD"],"__proto__":{"deep":"\uFFFD"}}');
    expect(text).toContain('\uFFFD!');
  });
});

describe('the result of a tool', () => {
  // output · content · is_error
  const outputs: [ToolOutput, unknown, true | undefined][] = [
    [{ type: 'text', value: 'a "b"\n' }, 'a "b"\n', undefined],
    [{ type: 'text', value: '  ' }, '', undefined],
    [{ type: 'json', value: { a: [1, null] } }, '{"a":[1,null]}', undefined],
    [{ type: 'json', value: 'plain' }, 'plain', undefined],
    [{ type: 'error-text', value: 'no' }, 'no', true],
    [{ type: 'error-text', value: '' }, '[The tool failed without a message.]', true],
    [{ type: 'error-json', value: { code: 1 } }, '{"code":1}', true],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'seen' },
          { type: 'text', text: '' },
          { type: 'image', image: '/9j/AA' },
        ],
      },
      [
        { type: 'text', text: 'seen' },
        { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/AA' } },
      ],
      undefined,
    ],
    [{ type: 'content', value: [] }, '', undefined],
  ];

  it.each(outputs)('of %j is %j', (output, content, isError) => {
    const result = { type: 'tool_result', tool_use_id: 'a', content, ...(isError ? { is_error: true } : {}) };
    expect(blocksOf(answered(output)).at(-1)).toStrictEqual(result);
  });

  it.each([[null], ['{"broken'], [[1, 2]], [7]])('answers a call whose input %j is wrapped', (input) => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input } as const;
    const blocks = blocksOf([
      hello,
      { role: 'assistant', content: [call] },
      ...answered({ type: 'text', value: '' }).slice(2),
    ]);
    expect(blocks[1]).toMatchObject({ type: 'tool_use', input: { value: input } });
  });
});

describe('the id of a tool call', () => {
  const idOf = (id: string) => {
    const [call, result] = blocksOf(answered({ type: 'text', value: 'ok' }, id)).slice(1);
    if (call?.type !== 'tool_use' || result?.type !== 'tool_result') throw new Error('no call');
    expect(result.tool_use_id).toBe(call.id);
    return call.id;
  };

  it('stays when it is accepted', () => {
    expect(idOf('toolu_01-aB')).toBe('toolu_01-aB');
  });

  it('is mapped to one of its own when it is not, also where a valid id looks like a mapped one', () => {
    const ids = ['call|1', 'call_1', 'call.1', 'call_7c_1', '', 'é', 'varve-id-call_7c_1', 'varve-id-', '~2'];
    const mapped = ids.map(idOf);
    expect(new Set(mapped).size).toBe(ids.length);
    for (const id of mapped) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(ids.map(idOf)).toEqual(mapped);
  });

  it('does not hold back a name that is not accepted', () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'mcp.read file', input: {} } as const;
    const messages: Message[] = [
      hello,
      { role: 'assistant', content: [call] },
      ...answered({ type: 'text', value: '' }).slice(2),
    ];
    expect(blocksOf(messages)[1]).toMatchObject({ name: expect.stringMatching(/^mcp_read_file_[a-z0-9]{14}$/) });
  });
});

describe('reasoning', () => {
  const thought = (text: string, anthropic: { signature?: string; redactedData?: string } | undefined): Message => ({
    role: 'assistant',
    content: [
      { type: 'reasoning', text, ...(anthropic === undefined ? {} : { providerOptions: { anthropic } }) },
      { type: 'text', text: 'so' },
    ],
  });

  it('is sent with its signature, or sealed', () => {
    expect(blocksOf([hello, thought('hm', { signature: 's' })])[1]).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: 's',
    });
    expect(blocksOf([hello, thought('', { redactedData: 'x' })])[1]).toEqual({ type: 'redacted_thinking', data: 'x' });
    // The provider may keep the text to itself and hand out the signature alone.
    expect(blocksOf([hello, thought('', { signature: 's' })])[1]).toEqual({
      type: 'thinking',
      thinking: '',
      signature: 's',
    });
  });

  it.each([
    ['unsigned', 'hm', undefined],
    ['signed with nothing', 'hm', { signature: '' }],
  ])('is dropped when it is %s', (_, text, anthropic) => {
    expect(blocksOf([hello, thought(text, anthropic)]).map(({ type }) => type)).toEqual(['text', 'text']);
  });

  it('is dropped when nothing follows it in the message', () => {
    const alone = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } } as const;
    expect(blocksOf([hello, { role: 'assistant', content: [alone] }, hello]).map(({ type }) => type)).toEqual([
      'text',
      'text',
    ]);
  });
});

describe('what is not text', () => {
  const png = 'iVBORw0KGgoAAAA';

  it.each([
    [
      'base64 of a named kind',
      { image: 'AAAA', mediaType: 'image/png' },
      { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    ],
    ['base64 of a kind that shows', { image: png }, { type: 'base64', media_type: 'image/png', data: png }],
    ['a data URL', { image: `data:image/webp;base64,${png}` }, { type: 'base64', media_type: 'image/webp', data: png }],
    ['a URL', { image: 'https://example.org/a.png' }, { type: 'url', url: 'https://example.org/a.png' }],
    ['jpg', { image: 'AAAA', mediaType: 'image/jpg' }, { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' }],
  ])('is an image: %s', (_, image, source) => {
    expect(blocksOf([{ role: 'user', content: [{ type: 'image', ...image }] }])).toEqual([{ type: 'image', source }]);
  });

  it.each([
    ['application/pdf', 'JVBERi0=', { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }],
    ['application/pdf', 'https://example.org/a.pdf', { type: 'url', url: 'https://example.org/a.pdf' }],
    ['text/markdown', 'aMOp', { type: 'text', media_type: 'text/plain', data: 'hé' }],
  ])('is a document: %s', (mediaType, data, source) => {
    const file = { type: 'file', data, mediaType, filename: 'a' } as const;
    expect(blocksOf([{ role: 'user', content: [file] }])).toEqual([{ type: 'document', source, title: 'a' }]);
  });

  it.each([
    ['audio/wav', 'AAAA'],
    ['text/plain', 'not base64!'],
    ['image/bmp', 'AAAA'],
    ['application/pdf', ''],
  ])('is named in a text when it cannot be sent: %s', (mediaType, data) => {
    const [block] = blocksOf([{ role: 'user', content: [{ type: 'file', data, mediaType }] }]);
    expect(block).toMatchObject({ type: 'text', text: expect.stringContaining(mediaType) });
  });

  it('is named when the assistant made it: the API takes none from it', () => {
    const file = { type: 'file', data: png, mediaType: 'image/png', filename: 'plot.png' } as const;
    expect(blocksOf([hello, { role: 'assistant', content: [file] }])[1]).toEqual({
      type: 'text',
      text: '[file plot.png (image/png) is not shown]',
    });
  });
});

describe('cache marks', () => {
  const system = ['a', 'b', 'c'].map((text) => ({ layer: text, text }));
  const marks = (afterSystem: number, afterStable: number) => ({ afterSystem, afterStable });
  const marked = (blocks: readonly AnthropicBlock[] | undefined) =>
    (blocks ?? []).flatMap((block, index) => ('cache_control' in block ? [index] : []));

  it('stand on the last system block up to the mark, and nowhere for none', () => {
    expect(marked(body([hello], { system, marks: marks(2, 0) }).system)).toEqual([1]);
    expect(marked(body([hello], { system, marks: marks(0, 0) }).system)).toEqual([]);
    const blank = system.with(1, { layer: 'b', text: ' ' });
    expect(marked(body([hello], { system: blank, marks: marks(2, 0) }).system)).toEqual([0]);
  });

  it('stand on the last block of the last stable message, also when it is merged with what follows', () => {
    const messages: Message[] = [hello, { role: 'user', content: 'stable' }, { role: 'user', content: 'volatile' }];
    const { content } = body(messages, { marks: marks(0, 2) }).messages[0] ?? {};
    expect(marked(content)).toEqual([1]);
    expect(content?.[1]).toEqual({ type: 'text', text: 'stable', cache_control: { type: 'ephemeral' } });
  });

  it('live an hour, or are left out, when told so', () => {
    const prompt = { system, messages: [hello], marks: marks(3, 1) };
    expect(JSON.stringify(toAnthropic(prompt, { model, cache: '1h' })).match(/"ttl":"1h"/g)).toHaveLength(2);
    expect(JSON.stringify(toAnthropic(prompt, { model, cache: 'none' }))).not.toContain('cache_control');
  });

  it('never stand on reasoning, but on what is before it', () => {
    const signed = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } } as const;
    const messages: Message[] = [
      hello,
      { role: 'assistant', content: [{ type: 'text', text: 'a' }, signed] },
      { role: 'assistant', content: 'b' },
    ];
    const { messages: sent } = body(messages, { marks: marks(0, 2) });
    expect(sent[1]?.content.map(({ type }) => type)).toEqual(['text', 'thinking', 'text']);
    expect(marked(sent[1]?.content)).toEqual([0]);
  });

  it('stand before a stable message that is not sent', () => {
    const { messages } = body([hello, { role: 'assistant', content: '' }], { marks: marks(0, 2) });
    expect(marked(messages[0]?.content)).toEqual([0]);
  });

  it('stand on a result', () => {
    const { messages } = body(answered({ type: 'text', value: 'ok' }), { marks: marks(0, 3) });
    expect(marked(messages[2]?.content)).toEqual([0]);
  });
});
