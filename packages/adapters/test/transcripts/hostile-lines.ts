import fc from 'fast-check';

/** A word that means something in some format, or any other value. */
export const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    'user',
    'assistant',
    'toolResult',
    'tool',
    'text',
    'tool_use',
    'toolCall',
    'tool_result',
    'image',
    null,
    7,
    '',
    true,
  ),
);
const block = fc.record(
  {
    type: value,
    text: value,
    id: value,
    name: value,
    input: value,
    tool_use_id: value,
    content: fc.oneof(value, fc.array(value)),
    source: value,
    thinking: value,
  },
  { requiredKeys: [] },
);
/** Something like a message. */
export const message = fc.record(
  {
    role: value,
    content: fc.oneof(value, fc.array(fc.oneof(block, value), { maxLength: 3 })),
    id: value,
    model: value,
    usage: value,
    tool_calls: value,
    toolCallId: value,
    stopReason: value,
    stop_reason: value,
  },
  { requiredKeys: [] },
);
/** Something like a line of pi or Claude Code. */
export const line = fc.record(
  {
    type: fc.constantFrom<unknown>(
      'user',
      'assistant',
      'system',
      'message',
      'compaction',
      'model_change',
      'session',
      'summary',
      7,
      null,
    ),
    subtype: fc.oneof(value, fc.constant('compact_boundary')),
    message: fc.oneof(message, value),
    timestamp: value,
    isSidechain: value,
    isMeta: value,
    isCompactSummary: value,
    uuid: value,
    summary: value,
    compactMetadata: value,
    provider: value,
    modelId: value,
    version: value,
  },
  { requiredKeys: [] },
);

/** Something like a line that holds a call and its result. */
export const flatLine = fc.record({
  role: fc.constant('tool'),
  name: value,
  input: value,
  output: value,
  timestamp: value,
});
/** Something like an entry of a tree of messages, calls and results. */
export const typedLine = fc.record(
  {
    type: fc.constantFrom('user', 'assistant', 'tool_use', 'tool_result', 'compaction', 'note'),
    id: fc.constantFrom<unknown>('a', 'b', 'c', 7, null),
    parentId: fc.constantFrom<unknown>('a', 'b', 'c', null, 7),
    content: fc.oneof(value, fc.array(block, { maxLength: 3 })),
    tool_use_id: fc.constantFrom<unknown>('a', 'b', 7),
    name: value,
    input: value,
    output: value,
    error: value,
    message: fc.oneof(message, value),
  },
  { requiredKeys: ['type'] },
);
