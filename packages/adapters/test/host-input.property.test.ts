import { type AiSdkReply, varveMiddleware as aroundModel, fromAiSdk, fromAiSdkReply } from '@varve/adapters/ai-sdk';
import { fromGemini } from '@varve/adapters/gemini';
import { varveMiddleware as aroundAgent, fromLangChain } from '@varve/adapters/langchain';
import { followMessageList } from '@varve/adapters/message-list';
import { VarveError } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTalk } from './message-list/talk.ts';

/** Something near a message, as code without types hands it over. */
const nearly = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'robot', null),
    type: fc.constantFrom('human', 'ai', 'tool', 'generic', 7, undefined),
    content: fc.oneof(
      fc.anything(),
      fc.array(
        fc.record(
          {
            type: fc.constantFrom(
              'text',
              'file',
              'image',
              'tool-call',
              'tool-result',
              'reasoning',
              'thinking',
              'image_url',
              null,
            ),
            text: fc.anything(),
            data: fc.anything(),
            image_url: fc.anything(),
            output: fc.anything(),
            input: fc.anything(),
            toolCallId: fc.constantFrom('c1', 3),
            toolName: fc.constantFrom('read', undefined),
            providerOptions: fc.anything(),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    tool_calls: fc.anything(),
    tool_call_id: fc.anything(),
    additional_kwargs: fc.anything(),
    response_metadata: fc.anything(),
    usage_metadata: fc.anything(),
    providerOptions: fc.anything(),
  },
  { requiredKeys: [] },
);
const messages = fc.oneof(fc.anything(), fc.array(fc.oneof(nearly, fc.anything()), { maxLength: 4 }));

/** What is refused has a code; nothing else is thrown. */
function isRefusal(error: unknown): boolean {
  return VarveError.is(error);
}

describe('whatever a host hands over', () => {
  it.each([
    ['fromAiSdk', fromAiSdk],
    ['fromLangChain', fromLangChain],
    ['fromGemini', fromGemini],
    ['fromAiSdkReply', (given: never) => fromAiSdkReply({ content: given } as AiSdkReply)],
  ])('is read, or refused with a code, by %s', (_name, read) => {
    fc.assert(
      fc.property(messages, (given) => {
        try {
          read(given as never);
        } catch (error) {
          expect(error).toSatisfy(isRefusal);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is followed, or refused with a code, by sessions', async () => {
    await using talk = await openTalk();
    const model = {
      specificationVersion: 'v3',
      provider: 'p',
      modelId: 'm',
      doGenerate: async () => ({ content: [] }),
    };
    await fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const { session } = talk;
        const attempts = [
          followMessageList(session, (Array.isArray(given) ? given.map((message) => ({ message })) : given) as never),
          aroundModel({ session }).wrapGenerate({ params: { prompt: given }, model } as never),
          aroundAgent({ session }).wrapModelCall({ messages: given, model } as never, () => null),
        ];
        for (const result of await Promise.allSettled(attempts)) {
          if (result.status === 'rejected') expect(result.reason).toSatisfy(isRefusal);
        }
      }),
      { numRuns: 150 },
    );
  });
});
