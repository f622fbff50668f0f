import {
  fromGemini,
  type GeminiCall,
  type GeminiReply,
  geminiModel,
  readGeminiStream,
  toGemini,
} from '@varve/adapters/gemini';
import { checkGeminiRequest } from '@varve/adapters/provider-rules';
import type { Message, ModelDelta } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedMessages } from './closed-messages.ts';
import { helloPrompt, readTool, streamOf } from './fake-client.ts';

const model = 'gemini-3-pro';
const marks = { afterSystem: 0, afterStable: 0 };

function sent(messages: readonly Message[], options = {}) {
  return toGemini({ system: [], messages, marks }, { model, ...options });
}

const usageMetadata = {
  promptTokenCount: 30,
  cachedContentTokenCount: 10,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
};
const parts = [
  { text: 'Hm.', thought: true, thoughtSignature: 'a' },
  { text: 'Look:' },
  { functionCall: { id: 'own', name: 'read', args: { page: 1 } }, thoughtSignature: 'b' },
  { functionCall: { name: 'read', args: { page: 2 } } },
  { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoAAA' } },
  { executableCode: { language: 'PYTHON', code: '1+1' } },
];
const reply: GeminiReply = {
  responseId: 'r1',
  candidates: [{ content: { parts }, finishReason: 'STOP' }],
  usageMetadata,
};

describe('an answer of Gemini', () => {
  it('is read whole, and goes back as it came', () => {
    const { message, usage } = fromGemini(reply);
    expect(usage).toEqual({ inputTokens: 20, outputTokens: 7, cacheReadTokens: 10 });
    expect(message).toMatchObject({ stop: 'tool-calls' });
    expect(message.content).toContainEqual(expect.objectContaining({ type: 'tool-call', toolCallId: 'r1-3' }));
    const [, said] = sent([{ role: 'user', content: 'hello' }, message]).contents;
    expect(said).toEqual({ role: 'model', parts });
  });

  it.each([
    [{ candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'MAX_TOKENS' }] }, 'length'],
    [{ candidates: [{ finishReason: 'SAFETY' }] }, 'content-filter'],
    [{ promptFeedback: { blockReason: 'OTHER' } }, 'content-filter'],
    [{ candidates: [{ content: { parts: [] }, finishReason: 'NEW_REASON' }] }, 'other'],
  ] as const)('says why it ended: %j', (given, stop) => {
    expect(fromGemini(given)).toMatchObject({ message: { stop }, usage: null });
  });

  it('is refused when it is none', () => {
    expect(() => fromGemini({ error: 'a page of a proxy' } as never)).toThrow(
      expect.objectContaining({ code: 'VARVE_MODEL_FAILED' }),
    );
  });
});

describe('a body for Gemini', () => {
  it('is one that is taken, for any messages that core makes', () => {
    fc.assert(
      fc.property(closedMessages, fc.constantFrom('gemini-3-pro', 'gemini-2.5-flash'), (messages, name) => {
        const tools = [readTool, { name: '1st tool', description: ' ', inputSchema: { type: 'object' } }];
        const body = toGemini({ system: [{ layer: 'a', text: ' ' }], messages, marks }, { model: name, tools });
        expect(checkGeminiRequest(body)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('has the system prompt, tools, choice and bound', () => {
    const body = toGemini(helloPrompt, { model, maxTokens: 9, tools: [readTool], toolChoice: { tool: 'fs.read' } });
    expect(body).toEqual({
      model,
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'fs.read',
              description: 'Reads a file.',
              parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['fs.read'] } },
      generationConfig: { maxOutputTokens: 9 },
    });
  });

  it('has responses right behind their calls, with media and words behind them', () => {
    const call = (id: string) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 'read', input: {} });
    const { contents } = sent([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [call('a'), call('b')] },
      {
        role: 'tool',
        content: [
          {
            ...{ type: 'tool-result', toolCallId: 'a', toolName: 'read' },
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'seen' },
                { type: 'image', image: 'iVBORw0KGgoAAA' },
              ],
            },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'read',
            output: { type: 'error-json', value: { code: 2 } },
          },
        ],
      },
      { role: 'user', content: 'and?' },
    ]);
    expect(contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'read', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
          { functionCall: { name: 'read', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read', response: { output: 'seen' } } },
          { functionResponse: { name: 'read', response: { error: { code: 2 } } } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoAAA' } },
          { text: 'and?' },
        ],
      },
    ]);
  });

  it('names tools so that they are taken, and answers give the names back', () => {
    const name = '1 tool, with a name that nobody takes';
    const tool = { name, description: '', inputSchema: {} };
    const wire = sent([], { tools: [tool] }).tools?.[0]?.functionDeclarations[0]?.name ?? '';
    expect(wire).toMatch(/^_/);
    const given = { candidates: [{ content: { parts: [{ functionCall: { name: wire } }] }, finishReason: 'STOP' }] };
    expect(fromGemini(given, { tools: [tool] }).message.content).toMatchObject([{ toolName: name, input: {} }]);
  });

  it('is refused for what is no prompt', () => {
    expect(() => toGemini({} as never, { model })).toThrow(expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }));
  });
});

describe('a port around a client of Gemini', () => {
  function portOf(answer: () => unknown) {
    const calls: GeminiCall[] = [];
    const respond = async (call: GeminiCall) => {
      calls.push(call);
      return (await answer()) as never;
    };
    const client = { models: { generateContent: respond, generateContentStream: respond } };
    return { port: geminiModel(client, { model, config: { thinkingConfig: { thinkingBudget: 0 } } }), calls };
  }

  it('sends what stands beside the turns as its config, and answers with message and usage', async () => {
    const { port, calls } = portOf(() => reply);
    const { message } = await port.generate({ prompt: helloPrompt, tools: [readTool], maxOutputTokens: 9 });
    expect(message.content).toHaveLength(6);
    expect(port.ref).toEqual({ provider: 'google', model });
    expect(calls).toMatchObject([
      {
        ...{ model, contents: [{ role: 'user' }] },
        config: { maxOutputTokens: 9, thinkingConfig: { thinkingBudget: 0 }, systemInstruction: {}, tools: [{}] },
      },
    ]);
  });

  it('streams when somebody listens, and leaves what is signed as it came', async () => {
    const chunks = [
      { candidates: [{ content: { parts: [{ text: 'Lo' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'ok' }, { functionCall: { name: 'read', args: {} } }] } }] },
      {
        candidates: [{ content: { parts: [{ text: '', thoughtSignature: 's' }] }, finishReason: 'STOP' }],
        usageMetadata,
      },
    ];
    const deltas: ModelDelta[] = [];
    const { port } = portOf(() => streamOf(chunks));
    const { message, usage } = await port.generate({ prompt: helloPrompt }, { onDelta: (delta) => deltas.push(delta) });
    expect(usage).toMatchObject({ inputTokens: 20 });
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'tool-call', toolName: 'read' },
      { type: 'text', text: '', providerOptions: { google: { thoughtSignature: 's' } } },
    ]);
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'text', 'tool-call']);
  });

  it('adds nothing to a part that is signed', async () => {
    const texts = [{ text: 'a' }, { text: 'b', thoughtSignature: 's' }, { text: 'c' }, { text: 'd' }];
    const chunks = texts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
    const { port } = portOf(() => streamOf([...chunks, { candidates: [{ finishReason: 'STOP' }] }]));
    const { message } = await port.generate({ prompt: helloPrompt }, { onDelta: () => undefined });
    expect(message.content).toMatchObject([{ text: 'a' }, { text: 'b' }, { text: 'cd' }]);
  });

  it('throws when the stream is cut, when it reports an error, and when the prompt is too long', async () => {
    const listening = { onDelta: () => undefined };
    const cut = portOf(() => streamOf([{ candidates: [{ content: { parts: [{ text: 'half' }] } }] }]));
    await expect(cut.port.generate({ prompt: helloPrompt }, listening)).rejects.toMatchObject({
      details: { kind: 'network' },
    });
    await expect(
      readGeminiStream(streamOf([{ error: { message: 'overloaded' } } as never]), () => undefined),
    ).rejects.toThrow('overloaded');
    const long = portOf(() => {
      throw new Error('The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).');
    });
    await expect(long.port.generate({ prompt: helloPrompt })).rejects.toMatchObject({ code: 'VARVE_MODEL_OVERFLOW' });
  });

  it('gives back an empty answer for a prompt that is blocked within a stream', async () => {
    const { port } = portOf(() => streamOf([{ promptFeedback: { blockReason: 'SAFETY' } }]));
    const { message } = await port.generate({ prompt: helloPrompt }, { onDelta: () => undefined });
    expect(message).toEqual({ role: 'assistant', content: [], stop: 'content-filter' });
  });
});
