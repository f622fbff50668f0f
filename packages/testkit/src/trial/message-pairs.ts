import { type Message, toolCallsOfMessage } from '@varve/core';

/** What is wrong with the calls and results of messages that are to be sent; `null` for nothing. */
export function problemWithPairs(messages: readonly Message[]): string | null {
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const results = message.role === 'tool' ? message.content : [];
    for (const { toolCallId } of results) {
      if (!open.delete(toolCallId)) return `message ${index} has a result for "${toolCallId}", which nobody called`;
    }
    if (message.role !== 'tool' && open.size > 0)
      return `message ${index} comes before the result of "${[...open][0]}"`;
    for (const { toolCallId } of toolCallsOfMessage(message)) open.add(toolCallId);
  }
  return open.size === 0 ? null : `the call "${[...open][0]}" has no result`;
}
