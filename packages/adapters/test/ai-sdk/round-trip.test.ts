import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { fromAiSdk, fromAiSdkReply, toAiSdk } from '@varve/adapters/ai-sdk';
import type { Message } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const text = fc.string({ minLength: 1, maxLength: 12 });
const options = fc.constantFrom(
  undefined,
  { anthropic: { signature: 'signed' } },
  { openai: { itemId: 'i1', n: [1] } },
);
const base64 = fc.constantFrom('iVBORw0KGgoAAA', 'aGVsbG8=');

/** A part with options, or without the field. */
function part<Fields extends object>(fields: fc.Arbitrary<Fields>): fc.Arbitrary<Fields> {
  return fc
    .tuple(fields, options)
    .map(([one, providerOptions]) => (providerOptions === undefined ? one : { ...one, providerOptions }));
}

const textPart = part(fc.record({ type: fc.constant('text' as const), text }));
const filePart = part(
  fc.record(
    {
      type: fc.constant('file' as const),
      data: fc.oneof(base64, fc.constant(new URL('https://example.org/a.pdf'))),
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'text/plain'),
      filename: text,
    },
    { requiredKeys: ['type', 'data', 'mediaType'] },
  ),
);
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as never);
const output = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: text }),
  fc.record({ type: fc.constantFrom('json' as const, 'error-json' as const), value: json }),
  fc.constantFrom({ type: 'execution-denied' as const, reason: 'no' }, { type: 'execution-denied' as const }),
  fc.record({ type: fc.constant('text' as const), value: text, providerOptions: fc.constant({ a: { b: 1 } }) }),
  fc.record({
    type: fc.constant('content' as const),
    value: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text' as const), text }),
        fc.record({ type: fc.constant('image-data' as const), data: base64, mediaType: fc.constant('image/png') }),
        fc.record({ type: fc.constant('file-data' as const), data: base64, mediaType: fc.constant('text/plain') }),
        fc.record({ type: fc.constant('image-url' as const), url: fc.constant('https://example.org/a.png') }),
        fc.record({ type: fc.constant('file-id' as const), fileId: text }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
const toolId = fc.constantFrom('c1', 'c2');
const resultPart = part(
  fc.record({ type: fc.constant('tool-result' as const), toolCallId: toolId, toolName: text, output }),
);
const object = fc.dictionary(fc.constantFrom('a', 'b'), json);
const callPart = part(
  fc.record({ type: fc.constant('tool-call' as const), toolCallId: toolId, toolName: text, input: object }),
);
const reasoningPart = part(fc.record({ type: fc.constant('reasoning' as const), text }));
const executedCall = callPart.map((call) => ({ ...call, providerExecuted: true }));
const unknownPart = fc.constant({ type: 'hologram', beams: [1, 2] } as never);
const approval = fc.constant({ type: 'tool-approval-response' as const, approvalId: 'a1', approved: true });
const spoken = fc.oneof(textPart, reasoningPart, filePart, callPart, executedCall, resultPart, unknownPart);
const messageOptions = fc.constantFrom({}, { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } });

const message = fc
  .tuple(
    fc.oneof(
      fc.record({
        role: fc.constant('user' as const),
        content: fc.array(fc.oneof(textPart, filePart, unknownPart), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ role: fc.constant('assistant' as const), content: fc.array(spoken, { minLength: 1, maxLength: 4 }) }),
    ),
    messageOptions,
  )
  .map(([one, kept]) => ({ ...one, ...kept }));
const toolMessage = fc.oneof(
  fc.record({ role: fc.constant('tool' as const), content: fc.array(resultPart, { minLength: 1, maxLength: 2 }) }),
  fc.record({ role: fc.constant('tool' as const), content: fc.tuple(approval) }),
);
const prompts = fc.array(fc.oneof(message, toolMessage), {
  maxLength: 4,
}) as unknown as fc.Arbitrary<LanguageModelV3Prompt>;

/** As the session would hand them out again, if it changed nothing. */
function sentAgain(messages: readonly Message[]): unknown {
  const stored = JSON.parse(JSON.stringify(messages)) as Message[];
  return toAiSdk({ system: [], messages: stored, marks: { afterSystem: 0, afterStable: 0 } });
}

describe('messages of the AI SDK', () => {
  it('come back as they were, with all that is in them', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        expect(sentAgain(fromAiSdk(prompt))).toEqual(prompt);
      }),
      { numRuns: 300 },
    );
  });

  it('may be plain texts, images and bytes', () => {
    const messages = fromAiSdk([
      { role: 'user', content: 'hello' },
      {
        role: 'user',
        content: [{ type: 'image', image: new Uint8Array([104, 105]), mediaType: 'image/png' } as never],
      },
      { role: 'assistant', content: 'hi' },
    ]);
    expect(sentAgain(messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'user', content: [{ type: 'file', data: 'aGk=', mediaType: 'image/png' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
    ]);
  });

  it('show what an edit has put in the place of a denied or a kept result', () => {
    const [message] = fromAiSdk([
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'rm',
            output: { type: 'execution-denied', reason: 'no' },
          } as never,
        ],
      },
    ]) as [Extract<Message, { role: 'tool' }>];
    const [result] = message.content;
    const edited = {
      ...message,
      content: [{ ...result, output: { type: 'error-text', value: '[cleared]' } }],
    } as Message;
    expect(JSON.stringify(sentAgain([edited]))).toContain('[cleared]');
  });

  it('show what an edit has put in the place of a part that is not known', () => {
    const [message] = fromAiSdk([{ role: 'user', content: [{ type: 'hologram' }] }]);
    const [part] = (message?.content ?? []) as readonly object[];
    const edited = { ...message, content: [{ ...part, text: '[left out]' }] } as unknown as Message;
    expect(sentAgain([edited])).toEqual([{ role: 'user', content: [{ type: 'text', text: '[left out]' }] }]);
  });

  it('carry marks for the cache of Anthropic where a prompt has them', () => {
    const prompt = toAiSdk(
      {
        system: [{ layer: 'a', text: 'Be brief.' }],
        messages: [
          { role: 'user', content: 'stable' },
          { role: 'user', content: 'new' },
        ],
        marks: { afterSystem: 1, afterStable: 1 },
      },
      { cache: '1h' },
    );
    const cacheControl = { type: 'ephemeral', ttl: '1h' };
    expect(prompt.map(({ providerOptions }) => providerOptions)).toEqual([
      { anthropic: { cacheControl } },
      { anthropic: { cacheControl } },
      undefined,
    ]);
  });

  it.each([
    ['no list', 'x'],
    ['an unknown role', [{ role: 'robot', content: 'x' }]],
    ['no content', [{ role: 'user', content: 3 }]],
    ['a part without a type', [{ role: 'assistant', content: [{ text: 'x' }] }]],
    ['a file without data', [{ role: 'user', content: [{ type: 'file', mediaType: 'text/plain' }] }]],
    [
      'arguments that are no JSON',
      [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: { n: 1n } }] }],
    ],
  ])('are refused for %s', (_what, messages) => {
    expect(() => fromAiSdk(messages as never)).toThrow(expect.objectContaining({ code: 'VARVE_MESSAGE_INVALID' }));
  });
});

describe('an answer of a language model', () => {
  it('is read whole: signatures, files, calls, and what the provider has run itself', () => {
    const { message, usage } = fromAiSdkReply({
      content: [
        { type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 's' } } } as never,
        { type: 'text', text: '' } as never,
        { type: 'text', text: 'Look:' } as never,
        { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' } as never,
        { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: '{"page":1}' } as never,
        { type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: '{}', providerExecuted: true } as never,
        { type: 'tool-result', toolCallId: 'c2', toolName: 'search', result: { hits: 2 } } as never,
        { type: 'hologram', beams: 2 } as never,
      ],
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: { total: 30, cacheRead: 10, cacheWrite: 5 }, outputTokens: { total: 7 } },
    });
    expect(usage).toEqual({ inputTokens: 15, outputTokens: 7, cacheReadTokens: 10, cacheWriteTokens: 5 });
    expect(message).toMatchObject({ stop: 'tool-calls' });
    expect(sentAgain([message])).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'text', text: 'Look:' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { page: 1 } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: {}, providerExecuted: true },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'search', output: { type: 'json', value: { hits: 2 } } },
          { type: 'hologram', beams: 2 },
        ],
      },
    ]);
  });

  it('marks arguments that are no JSON, and reports no usage where there is none', () => {
    const content = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: '{"page":' } as never];
    const { message, usage } = fromAiSdkReply({ content });
    expect(usage).toBeNull();
    expect(message.content).toEqual([
      expect.objectContaining({ input: '{"page":', providerOptions: { varve: { invalidInput: true } } }),
    ]);
  });

  it('is refused when it is none', () => {
    expect(() => fromAiSdkReply({ error: 'a page of a proxy' } as never)).toThrow(
      expect.objectContaining({ code: 'VARVE_MODEL_FAILED' }),
    );
  });
});
