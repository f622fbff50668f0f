import { fromAnthropic, toAnthropic } from '@varve/adapters/anthropic';
import { fromOpenAIChat, fromOpenAIResponses, toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import type { AssistantMessage, Message, ToolCallPart } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const model = 'm';
const hello: Message = { role: 'user', content: 'hello' };

const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);
const wellFormed = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(isWellFormed);
const shown = wellFormed.map((text) => `${text}.`);
const textPart = shown.map((text) => ({ type: 'text' as const, text }));
const input = fc.dictionary(
  wellFormed.filter((key) => key !== '__proto__'),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3, noNullPrototype: true },
);
/** Names with characters, and lengths, that no provider takes. */
const toolName = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), fc.string({ minLength: 1, maxLength: 150 }));
const callPart = fc
  .record({ toolCallId: fc.stringMatching(/^[a-zA-Z0-9_-]{1,30}$/), toolName, input })
  .map((call) => ({ type: 'tool-call' as const, ...call }) as ToolCallPart);

function jsonOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** The message, and a result behind each of its calls. */
function closed(message: AssistantMessage): Message[] {
  const calls = (message.content as readonly { type: string }[]).filter(({ type }) => type === 'tool-call');
  const results = (calls as ToolCallPart[]).map(({ toolCallId, toolName: name }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName: name,
    output: { type: 'text' as const, value: 'ok' },
  }));
  return [hello, message, ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : [hello])];
}

function offered(message: AssistantMessage): { name: string; description: string; inputSchema: object }[] {
  const parts = message.content as readonly { type: string; toolName?: string }[];
  return parts.flatMap(({ toolName: name }) =>
    name === undefined ? [] : [{ name, description: 'A tool.', inputSchema: {} }],
  );
}

function messageOf(parts: readonly object[], stop: AssistantMessage['stop'] = 'stop'): AssistantMessage {
  return jsonOf({ role: 'assistant', content: parts, stop }) as AssistantMessage;
}

const uniqueCalls = fc.uniqueArray(callPart, { maxLength: 3, selector: ({ toolCallId }) => toolCallId });

describe('what a model said comes back whole', () => {
  it('from Anthropic', () => {
    const signed = fc.record({
      type: fc.constant('reasoning' as const),
      text: wellFormed,
      providerOptions: fc.record({ anthropic: fc.record({ signature: fc.constant('signed') }) }),
    });
    const sealed = fc.constant({
      type: 'reasoning' as const,
      text: '',
      providerOptions: { anthropic: { redactedData: 'sealed' } },
    });
    const parts = fc.tuple(fc.array(fc.oneof(signed, sealed, textPart), { maxLength: 4 }), textPart, uniqueCalls);
    fc.assert(
      fc.property(parts, ([spoken, last, calls]) => {
        const message = messageOf([...spoken, last, ...calls]);
        const tools = offered(message) as never;
        const prompt = { system: [], messages: closed(message), marks: { afterSystem: 0, afterStable: 0 } };
        const { content = [] } = toAnthropic(prompt, { model, tools, cache: 'none' }).messages[1] ?? {};
        const reply = fromAnthropic({ content: jsonOf(content), stop_reason: 'end_turn' }, { tools });
        expect(reply.message).toEqual(message);
      }),
    );
  });

  it('from the Chat Completions API', () => {
    const reasoning = shown.map((text) => ({
      type: 'reasoning' as const,
      text,
      providerOptions: { openai: { reasoningField: 'reasoning' } },
    }));
    const parts = fc.tuple(fc.option(reasoning, { nil: undefined }), textPart, uniqueCalls);
    fc.assert(
      fc.property(parts, ([thought, said, calls]) => {
        const stop = calls.length > 0 ? 'tool-calls' : 'stop';
        const message = messageOf([...(thought === undefined ? [] : [thought]), said, ...calls], stop);
        const tools = offered(message) as never;
        const body = toOpenAIChat({ system: [], messages: closed(message) }, { model, tools, sendReasoning: true });
        const [, sent] = jsonOf(body.messages);
        const reply = fromOpenAIChat({ choices: [{ finish_reason: 'stop', message: sent as never }] }, { tools });
        expect(reply.message).toEqual(message);
      }),
    );
  });

  it('from the Responses API', () => {
    const reasoned = fc.nat().map((id) => ({
      type: 'reasoning' as const,
      text: 'hm',
      providerOptions: {
        openai: {
          item: {
            type: 'reasoning',
            id: `rs_${id}`,
            summary: [{ type: 'summary_text', text: 'hm' }],
            encrypted_content: 'sealed',
          },
        },
      },
    }));
    const parts = fc.tuple(reasoned, fc.array(textPart, { minLength: 1, maxLength: 3 }), uniqueCalls, fc.boolean());
    fc.assert(
      fc.property(parts, ([thought, texts, calls, apart]) => {
        const own = (itemId: string) => ({ providerOptions: { openai: { itemId } } });
        const content = [
          thought,
          ...texts.map((text, index) => ({ ...text, ...own(apart ? `msg_${index}` : 'msg_1') })),
          ...calls.map((call, index) => ({ ...call, ...own(`fc_${index}`) })),
        ];
        const message = messageOf(content, calls.length > 0 ? 'tool-calls' : 'stop');
        const tools = offered(message) as never;
        const { input: items } = toOpenAIResponses({ system: [], messages: closed(message) }, { model, tools });
        const output = jsonOf(items).slice(1, calls.length > 0 ? -calls.length : -1) as never;
        expect(fromOpenAIResponses({ status: 'completed', output }, { tools }).message).toEqual(message);
      }),
    );
  });
});
