import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';

type Reply = Awaited<ReturnType<LanguageModelV3['doGenerate']>>;

/** What a fake model is: how it answers the call of that number, from 1. */
export interface FakeModelOptions {
  readonly reply?: (number: number) => Partial<Reply> | Error;
  readonly parts?: (number: number) => readonly LanguageModelV3StreamPart[] | Error;
}

/** A language model without a provider, which notes what it is called with. */
export function fakeLanguageModel({ reply, parts }: FakeModelOptions = {}): {
  readonly model: LanguageModelV3;
  readonly calls: LanguageModelV3CallOptions[];
} {
  const calls: LanguageModelV3CallOptions[] = [];
  const answer = <Outcome>(
    call: LanguageModelV3CallOptions,
    how: ((number: number) => Outcome | Error) | undefined,
  ) => {
    calls.push(call);
    const outcome = how?.(calls.length);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const model: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'fake.chat',
    modelId: 'fake-1',
    supportedUrls: {},
    doGenerate: async (call) => ({
      content: [{ type: 'text', text: 'hi' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: usageOf(3),
      warnings: [],
      ...answer(call, reply),
    }),
    doStream: async (call) => ({ stream: streamOf(answer(call, parts) ?? saying('hi')) }),
  };
  return { model, calls };
}

/** A report of so many tokens in, and one out. */
export function usageOf(total: number): Reply['usage'] {
  return {
    inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
}

/** A whole streamed answer. */
export function saying(text: string): LanguageModelV3StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...[...text].map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: usageOf(3) },
  ];
}

function streamOf(parts: readonly LanguageModelV3StreamPart[]): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
