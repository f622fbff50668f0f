import type { LanguageModelV3, LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { aiSdkModel, varveMiddleware } from '@varve/adapters/ai-sdk';
import { createHost, type ModelRef, type Session } from '@varve/core';
import { wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { openTalk, pathOf } from '../message-list/talk.ts';
import { fakeLanguageModel, saying, usageOf } from './fake-language-model.ts';

const tooLong = new Error('prompt is too long: 9000 tokens > 8192 maximum');

function asking(text: string): LanguageModelV3Prompt {
  return [
    { role: 'system', content: 'Be brief.', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
}

function wrap(model: LanguageModelV3, session: Session): LanguageModelV3 {
  return wrapLanguageModel({ model, middleware: varveMiddleware({ session }) });
}

async function partsOf(model: LanguageModelV3, prompt: LanguageModelV3Prompt): Promise<LanguageModelV3StreamPart[]> {
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of (await model.doStream({ prompt })).stream) parts.push(part);
  return parts;
}

describe('a wrapped language model', () => {
  it('is sent what the session assembles, with system messages, tools and settings as they came', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel();
    await talk.session.ingest({ role: 'user', content: 'earlier' }, { provenance: { kind: 'inter-session' } });
    const tools = [{ type: 'function' as const, name: 'read', inputSchema: { type: 'object' as const } }];
    await wrap(model, talk.session).doGenerate({ prompt: asking('hello'), tools, temperature: 0.5 });
    expect(calls).toMatchObject([{ tools, temperature: 0.5 }]);
    expect(calls[0]?.prompt).toEqual([
      asking('')[0],
      { role: 'user', content: [{ type: 'text', text: 'earlier' }] },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ]);
    expect(pathOf(talk.session)).toEqual(['user: earlier', 'user: hello', 'assistant: hi']);
  });

  it('stores the answer with its usage, and what the next list has of it once', async () => {
    await using talk = await openTalk();
    const content = [{ type: 'text' as const, text: 'hi' }, { type: 'hologram' } as never];
    const { model } = fakeLanguageModel({ reply: () => ({ content, usage: usageOf(12) }) });
    const wrapped = wrap(model, talk.session);
    await wrapped.doGenerate({ prompt: asking('hello') });
    const next: LanguageModelV3Prompt = [
      ...asking('hello'),
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ];
    await wrapped.doGenerate({ prompt: next });
    expect(talk.session.view.messages().map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(talk.session.view.messages()[1]).toMatchObject({ usage: { inputTokens: 12, outputTokens: 1 } });
  });

  it('passes a stream on piece by piece, and has stored it when it ends', async () => {
    await using talk = await openTalk();
    const { model } = fakeLanguageModel({ parts: () => saying('hello') });
    expect(await partsOf(wrap(model, talk.session), asking('hi'))).toEqual(saying('hello'));
    expect(pathOf(talk.session)).toEqual(['user: hi', 'assistant: hello']);
  });

  it.each([
    ['breaks off', saying('hello').slice(0, -1)],
    ['reports an error', [...saying('hello').slice(0, 4), { type: 'error' as const, error: new Error('overloaded') }]],
    [
      'reports an error and ends',
      [
        ...saying('hello').slice(0, -1),
        { type: 'error' as const, error: new Error('overloaded') },
        ...saying('x').slice(-1),
      ],
    ],
    ['ends before it begins', []],
  ])('stores nothing of a stream that %s, and passes on what there is', async (_what, parts) => {
    await using talk = await openTalk();
    const { model } = fakeLanguageModel({ parts: () => parts });
    expect(await partsOf(wrap(model, talk.session), asking('hi'))).toEqual(parts);
    expect(pathOf(talk.session)).toEqual(['user: hi']);
  });

  it('cancels the stream of the model when its reader goes', async () => {
    await using talk = await openTalk();
    let reason: unknown;
    const { model } = fakeLanguageModel();
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      pull: (controller) => controller.enqueue({ type: 'text-start', id: 't' }),
      cancel: (given) => {
        reason = given;
      },
    });
    const slow: LanguageModelV3 = { ...model, doStream: async () => ({ stream }) };
    const { stream: passed } = await wrap(slow, talk.session).doStream({ prompt: asking('hi') });
    await passed.cancel('enough');
    expect(reason).toBe('enough');
  });

  it.each(['whole', 'streamed', 'refused within the stream'])(
    'compacts what is too long and asks again: %s',
    async (how) => {
      await using host = await createHost({ budget: { windowTokens: 4_000 } });
      const session = await host.open('long');
      const error: LanguageModelV3StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        { type: 'error', error: tooLong },
      ];
      const { model, calls } = fakeLanguageModel({
        reply: (number) => (number === 1 ? tooLong : {}),
        parts: (number) => (number > 1 ? saying('hi') : how === 'streamed' ? tooLong : error),
      });
      const wrapped = wrap(model, session);
      const words = 'The tide came in and went out again. '.repeat(20);
      const talk = Array.from(
        { length: 8 },
        (_, index): LanguageModelV3Prompt => [
          { role: 'user', content: [{ type: 'text', text: `${index} ${words}` }] },
          { role: 'assistant', content: [{ type: 'text', text: `${index} noted` }] },
        ],
      );
      const prompt = [...talk.flat(), ...asking('and now?').slice(1)];
      if (how === 'whole') await wrapped.doGenerate({ prompt });
      else expect(await partsOf(wrapped, prompt)).toEqual(saying('hi'));
      const sizes = calls.map((call) => JSON.stringify(call.prompt).length);
      expect(sizes).toHaveLength(2);
      expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
      expect(session.view.compaction()?.trigger).toBe('overflow');
    },
  );

  it('gives up with the error of the model where nothing gets shorter', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel({ reply: () => tooLong });
    await expect(wrap(model, talk.session).doGenerate({ prompt: asking('hello') })).rejects.toBe(tooLong);
    expect(calls).toHaveLength(1);
  });

  it('is left alone by a call that says so, and by a port for summaries', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel();
    const wrapped = wrap(model, talk.session);
    await wrapped.doGenerate({ prompt: asking('a title'), providerOptions: { varve: { pass: true } } });
    const request = {
      prompt: {
        system: [],
        messages: [{ role: 'user', content: 'sum up' }],
        marks: { afterSystem: 0, afterStable: 0 },
      },
    } as const;
    const port = aiSdkModel(wrapped as never);
    expect((await port.generate(request)).message.content).toEqual([{ type: 'text', text: 'hi' }]);
    expect((await port.generate(request, { onDelta: () => undefined })).usage).toEqual({
      inputTokens: 3,
      outputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
    expect(calls).toHaveLength(3);
    expect(pathOf(talk.session)).toEqual([]);
  });

  it('has the budget of the model that it is around, or of another one that is named', async () => {
    const asked: ModelRef[] = [];
    const budget = (ref: ModelRef) => {
      asked.push(ref);
      return {};
    };
    await using host = await createHost({ budget });
    const session = await host.open('talk');
    const model = { ...fakeLanguageModel().model, provider: 'anthropic.messages', modelId: 'claude-haiku-4-5' };
    await wrap(model, session).doGenerate({ prompt: asking('hello') });
    expect(asked.at(-1)).toEqual({ provider: 'anthropic', model: 'claude-haiku-4-5' });
    const other = { provider: 'openai', model: 'gpt-5.1' };
    const middleware = varveMiddleware({ session, model: other });
    await wrapLanguageModel({ model, middleware }).doGenerate({ prompt: asking('hello') });
    expect(asked.at(-1)).toEqual(other);
  });

  it('finds the session of a call by a function', async () => {
    await using one = await openTalk();
    await using other = await openTalk();
    const { model } = fakeLanguageModel();
    const session = ({ providerOptions }: { readonly providerOptions?: object | undefined }): Session =>
      JSON.stringify(providerOptions ?? {}).includes('other') ? other.session : one.session;
    const wrapped = wrapLanguageModel({ model, middleware: varveMiddleware({ session }) });
    await wrapped.doGenerate({ prompt: asking('hello'), providerOptions: { app: { talk: 'other' } } });
    expect([pathOf(one.session), pathOf(other.session)]).toEqual([[], ['user: hello', 'assistant: hi']]);
  });

  it('follows one call after the other when a host makes two at once', async () => {
    await using talk = await openTalk();
    const { model } = fakeLanguageModel();
    const wrapped = wrap(model, talk.session);
    await Promise.all([
      wrapped.doGenerate({ prompt: asking('hello') }),
      wrapped.doGenerate({ prompt: asking('hello') }),
    ]);
    await wrapped.doGenerate({
      prompt: [...asking('hello'), { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }],
    });
    expect(pathOf(talk.session).slice(0, 2)).toEqual(['user: hello', 'assistant: hi']);
  });

  it('asks nobody once it is aborted', async () => {
    await using talk = await openTalk();
    const { model, calls } = fakeLanguageModel();
    const call = wrap(model, talk.session).doGenerate({ prompt: asking('hello'), abortSignal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    expect(calls).toEqual([]);
  });

  it.each(['v2', 'v4', undefined])('is refused when it is of the version %s', async (specificationVersion) => {
    await using talk = await openTalk();
    const { model } = fakeLanguageModel();
    const other = { ...model, specificationVersion } as never;
    const code = expect.objectContaining({ code: 'VARVE_OPTION_INVALID' });
    expect(() => wrap(other, talk.session)).toThrow(code);
    expect(() => aiSdkModel(other)).toThrow(code);
  });

  it('needs a session', async () => {
    const code = { code: 'VARVE_OPTION_INVALID' };
    expect(() => varveMiddleware({} as never)).toThrow(expect.objectContaining(code));
    const { model } = fakeLanguageModel();
    const lost = wrapLanguageModel({ model, middleware: varveMiddleware({ session: () => undefined as never }) });
    await expect(lost.doGenerate({ prompt: asking('hello') })).rejects.toMatchObject(code);
  });
});
