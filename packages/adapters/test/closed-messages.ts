import type { Message, MessagePart, ToolOutput } from '@varve/core';
import fc from 'fast-check';

/** Texts with everything that a provider may refuse: nothing, white space, halves of surrogate pairs. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', ' ', '\n\t', 'done. ', '\uD800', 'a\uDC00b', '😀'),
);

const textPart = fc.record({ type: fc.constant('text' as const), text });
const imagePart = fc.record({
  type: fc.constant('image' as const),
  image: fc.constantFrom('iVBORw0KGgoAAA', '', 'https://example.org/a.png', 'data:image/gif;base64,R0lGOD', 'AAAA'),
  mediaType: fc.constantFrom('image/png', 'image/bmp', undefined),
});
const filePart = fc.record({
  type: fc.constant('file' as const),
  data: fc.constantFrom('aGVsbG8=', '', 'not base64!', 'https://example.org/a.pdf'),
  mediaType: fc.constantFrom('application/pdf', 'text/plain', 'audio/wav', 'image/jpeg'),
});
const reasoningPart = fc.record({
  type: fc.constant('reasoning' as const),
  text,
  providerOptions: fc.constantFrom(
    undefined,
    { anthropic: { signature: 'signed' } },
    { anthropic: { redactedData: 'sealed' } },
    { openai: { signature: 'other' } },
  ),
});
const visiblePart = fc.oneof(textPart, imagePart, filePart);

const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>;
const output: fc.Arbitrary<ToolOutput> = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: text }),
  fc.record({ type: fc.constantFrom('json' as const, 'error-json' as const), value: json }),
  fc.record({ type: fc.constant('content' as const), value: fc.array(visiblePart, { maxLength: 3 }) }),
);

const system: fc.Arbitrary<Message[]> = text.map((content) => [{ role: 'system', content }]);
const user: fc.Arbitrary<Message[]> = fc
  .oneof(text, fc.array(visiblePart, { maxLength: 3 }))
  .map((content) => [{ role: 'user', content }]);

/** An assistant message and the results of all its calls, in one message or one for each. */
const group: fc.Arbitrary<Message[]> = fc
  .record({
    parts: fc.array(fc.oneof(textPart, reasoningPart, filePart), { maxLength: 3 }),
    calls: fc.array(
      fc.record({ toolCallId: fc.string({ unit: 'binary', maxLength: 5 }), toolName: text, input: json, output }),
      {
        maxLength: 3,
      },
    ),
    together: fc.boolean(),
  })
  .map(({ parts, calls, together }) => {
    const content = [...parts, ...calls.map(({ output: _, ...call }) => ({ type: 'tool-call' as const, ...call }))];
    const results = calls.map(({ input: _, ...result }) => ({ type: 'tool-result' as const, ...result }));
    const answers = together && results.length > 0 ? [results] : results.map((result) => [result]);
    return [{ role: 'assistant', content }, ...answers.map((one): Message => ({ role: 'tool', content: one }))];
  });

/** Messages as core lines them up: every call has its result right behind it, and no id is used twice. */
export const closedMessages: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof(user, group, { arbitrary: system, weight: 1 }), { maxLength: 8 })
  .map((groups) => withOwnIds(groups));

/** Core tells ids that are used twice apart; here a number does it. */
function withOwnIds(groups: readonly Message[][]): Message[] {
  return groups.flatMap((messages, index) => {
    const seen = { 'tool-call': 0, 'tool-result': 0 };
    const rename = (part: MessagePart): MessagePart => {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
      seen[part.type] += 1;
      return { ...part, toolCallId: `${part.toolCallId}${index === 0 ? '' : `.${index}`}~${seen[part.type]}` };
    };
    return messages.map((message) =>
      typeof message.content === 'string' ? message : ({ ...message, content: message.content.map(rename) } as Message),
    );
  });
}
