import type { ModelMessage } from 'ai';
import { bodyOf, type JudgedMessage } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import { choosingRun, fitTail, withBody } from './choose-messages.ts';
import type { Strategy } from './strategy.ts';

const keptMessages = 10;

/** The AI SDK's `pruneMessages`, then the newest messages that fit: it has no budget of its own. */
export async function aiSdkStrategies(): Promise<readonly Strategy[]> {
  const { pruneMessages } = await import('ai');
  const made = new WeakMap<Turn, ModelMessage>();
  const messageOf = (turn: Turn): ModelMessage => {
    const message = made.get(turn) ?? modelMessage(turn);
    made.set(turn, message);
    return message;
  };
  const prune = (turns: readonly Turn[]): readonly JudgedMessage[] => {
    const messages = turns.map((turn, index) => ({ ...messageOf(turn), index }));
    const kept = pruneMessages({
      messages,
      toolCalls: `before-last-${keptMessages}-messages`,
      emptyMessages: 'remove',
    });
    return kept.flatMap((message) => {
      const turn = turns[(message as { readonly index?: number }).index ?? -1];
      return turn === undefined ? [] : [withCallsOf(turn, message)];
    });
  };
  return [
    {
      name: `AI SDK pruneMessages (${keptMessages})`,
      family: 'peer',
      source: 'ai 6.0.326; then a sliding window',
      open: async (budget) => choosingRun((turns) => fitTail(prune(turns), budget)),
    },
  ];
}

function modelMessage(turn: Turn): ModelMessage {
  if (turn.role === 'user') return { role: 'user', content: turn.text };
  if (turn.role === 'tool') {
    const output = { type: 'text', value: turn.text } as const;
    const { callId = '', toolName } = turn;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName, output }] };
  }
  const calls = turn.calls.map(
    ({ id, name }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: {} }) as const,
  );
  return {
    role: 'assistant',
    content: [...(turn.text === '' ? [] : [{ type: 'text', text: turn.text } as const]), ...calls],
  };
}

/** The turn without the calls that were pruned from it. */
function withCallsOf(turn: Turn, { content }: ModelMessage): JudgedMessage {
  if (turn.calls.length === 0) return turn;
  const parts = typeof content === 'string' ? [] : content;
  const ids = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  const calls = turn.calls.filter(({ id }) => ids.has(id));
  if (calls.length === turn.calls.length) return turn;
  return { ...withBody(turn, bodyOf(turn.text, calls)), calls };
}
