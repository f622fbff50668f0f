import { type Conversation, generateConversation, type Utterance } from './generate-conversation.ts';
import type { Trait } from './trait.ts';

/** Conversations that together have every trait but 1 MB results. @default 3 of 4 exchanges */
export function sampleConversations({
  count = 3,
  length = 4,
  without = [],
}: {
  count?: number;
  length?: number;
  without?: readonly Trait[];
} = {}): readonly Conversation[] {
  return Array.from({ length: count }, (_, index) =>
    generateConversation({ seed: 101 + index, length, largeShare: 0, without }),
  );
}

/** One turn that goes on: a question, and rounds of calls with a result each, the last one unread. */
export function longTurn(rounds: number): readonly Utterance[] {
  const calls = Array.from({ length: rounds }, (_, round): readonly Utterance[] => {
    const id = { toolCallId: `turn-${round}`, toolName: 'read' };
    const value = `${round}: ${'clay and silt, '.repeat(200)}`;
    return [
      { exchange: 0, message: { role: 'assistant', content: [{ type: 'tool-call', ...id, input: { round } }] } },
      {
        exchange: 0,
        message: { role: 'tool', content: [{ type: 'tool-result', ...id, output: { type: 'text', value } }] },
      },
    ];
  });
  return [{ exchange: 0, message: { role: 'user', content: 'Read all of it.' } }, ...calls.flat()];
}

/** Results of calls that nobody made, and nothing else. */
export function onlyToolMessages(count = 5): readonly Utterance[] {
  return Array.from({ length: count }, (_, index): Utterance => {
    const output = { type: 'text', value: `${index}: ${'silt '.repeat(300)}` } as const;
    const part = { type: 'tool-result', toolCallId: `nobody-${index}`, toolName: 'read', output } as const;
    return { exchange: index, message: { role: 'tool', content: [part] } };
  });
}
