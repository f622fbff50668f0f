import { toAnthropic } from '@varve/adapters/anthropic';
import { toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import {
  checkAnthropicRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
} from '@varve/adapters/provider-rules';
import { createHost, type Message, type ToolDefinition } from '@varve/core';
import { anyConversation } from '@varve/testkit/fast-check';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedMessages } from './closed-messages.ts';

const model = 'm';

/** Tools with names and schemas as careless people write them. */
const tools: fc.Arbitrary<ToolDefinition[]> = fc.uniqueArray(
  fc.record({
    name: fc.oneof(fc.string({ unit: 'binary', maxLength: 90 }), fc.constantFrom('read', 'fs.read', 'fs_read')),
    description: fc.constantFrom('', ' ', 'Reads.', '\uD800'),
    inputSchema: fc.constantFrom({}, { type: 'object' }, { type: 'object', properties: { path: { type: 'string' } } }),
  }),
  { maxLength: 4, selector: ({ name }) => name },
);

const choices = fc.constantFrom('auto' as const, 'required' as const, 'none' as const, undefined);
const systems = fc.array(
  fc.constantFrom('Be brief.', '', ' ', 'x\uDC00').map((text) => ({ layer: 'system', text })),
  {
    maxLength: 3,
  },
);

const requests = fc.record({ messages: closedMessages, system: systems, tools, choice: choices, stable: fc.nat(9) });

function promptOf({ messages, system, stable }: Pick<FcValue, 'messages' | 'system' | 'stable'>) {
  return { system, messages, marks: { afterSystem: system.length, afterStable: Math.min(stable, messages.length) } };
}

type FcValue = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

/** The same messages as if each provider's own model had said them. */
function withItems(messages: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    const content = message.content.map((part, at) => {
      const id = `${index}_${at}`;
      if (part.type === 'reasoning') {
        const item = {
          type: 'reasoning',
          id: `rs_${id}`,
          summary: [],
          encrypted_content: at % 2 === 0 ? 'sealed' : '',
        };
        return { ...part, providerOptions: { openai: { item } } };
      }
      const itemId = part.type === 'text' ? `msg_${id}` : `fc_${id}`;
      return part.type === 'file' ? part : { ...part, providerOptions: { openai: { itemId } } };
    });
    return { ...message, content };
  });
}

describe('a body for any messages that core makes, and any tools, is taken by', () => {
  it('the Messages API of Anthropic', () => {
    const caches = fc.constantFrom('5m' as const, '1h' as const, 'none' as const);
    const thoughts = fc.constantFrom(
      undefined,
      { type: 'enabled' as const, budget_tokens: 1024 },
      { type: 'adaptive' as const },
    );
    fc.assert(
      fc.property(requests, caches, thoughts, (request, cache, thinking) => {
        const options = { tools: request.tools, ...(request.choice ? { toolChoice: request.choice } : {}) };
        const more = { cache, ...(thinking ? { thinking } : {}) };
        const body = toAnthropic(promptOf(request), { model, ...options, ...more });
        expect(checkAnthropicRequest(body)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('the Chat Completions API', () => {
    fc.assert(
      fc.property(requests, fc.boolean(), (request, sendReasoning) => {
        const options = { tools: request.tools, ...(request.choice ? { toolChoice: request.choice } : {}) };
        const body = toOpenAIChat(promptOf(request), { model, sendReasoning, ...options });
        expect(checkOpenAIChatRequest(body)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('the Responses API', () => {
    fc.assert(
      fc.property(requests, fc.boolean(), fc.boolean(), (request, store, own) => {
        const options = { tools: request.tools, ...(request.choice ? { toolChoice: request.choice } : {}) };
        const messages = own ? withItems(request.messages) : request.messages;
        const body = toOpenAIResponses(promptOf({ ...request, messages }), { model, store, ...options });
        expect(checkOpenAIResponsesRequest(body)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a prompt of a session is taken by all of them', () => {
  it('at any point of any conversation', async () => {
    await fc.assert(
      fc.asyncProperty(anyConversation({ maxLength: 6, without: ['large-result'] }), async ({ utterances }) => {
        await using host = await createHost();
        const session = await host.open('s');
        for (const { message, key } of utterances) {
          await session.ingest(message, { key });
          const prompt = await session.assemble({ model: { provider: 'test', model } });
          expect(checkAnthropicRequest(toAnthropic(prompt, { model }))).toEqual([]);
          expect(checkOpenAIChatRequest(toOpenAIChat(prompt, { model }))).toEqual([]);
          expect(checkOpenAIResponsesRequest(toOpenAIResponses(prompt, { model }))).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
  });
});
