import type { JudgedMessage } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import { choosingRun, tailStart } from './choose-messages.ts';
import type { Strategy } from './strategy.ts';

const packageName = '@langchain/core 1.4.0';
/** trimMessages looks at every message for every one it drops: older ones than could fit are not given to it. */
const spareTokens = 3_000;

/** LangChain's `trimMessages({ strategy: 'last' })`, as it is: nothing of its result is repaired. */
export async function langchainStrategies(): Promise<readonly Strategy[]> {
  const { trimMessages, HumanMessage, AIMessage, ToolMessage } = await import('@langchain/core/messages');
  const made = new Map<Turn, InstanceType<typeof HumanMessage | typeof AIMessage | typeof ToolMessage>>();
  const messageOf = (turn: Turn, index: number) => {
    const known = made.get(turn);
    if (known !== undefined) return known;
    const id = String(index);
    const calls = turn.calls.map((call) => ({ id: call.id, name: call.name, args: {}, type: 'tool_call' as const }));
    const message =
      turn.role === 'user'
        ? new HumanMessage({ content: turn.text, id })
        : turn.role === 'assistant'
          ? new AIMessage({ content: turn.text, tool_calls: calls, id })
          : new ToolMessage({ content: turn.text, tool_call_id: turn.callId ?? '', id });
    made.set(turn, message);
    return message;
  };
  const trim = async (turns: readonly Turn[], options: { budget: number; startOn?: 'human' }) => {
    const { budget, startOn } = options;
    const start = tailStart(turns, budget * 1.2 + spareTokens);
    const given = turns.slice(start).map((turn, index) => messageOf(turn, start + index));
    const kept = await trimMessages(given, {
      maxTokens: budget,
      strategy: 'last',
      ...(startOn === undefined ? {} : { startOn }),
      tokenCounter: (messages) => messages.reduce((sum, { id }) => sum + (turns[Number(id)]?.tokens ?? 0), 0),
    });
    return kept.map(({ id }) => turns[Number(id)] as JudgedMessage);
  };
  return [
    {
      name: 'LangChain trimMessages',
      family: 'peer',
      source: packageName,
      open: async (budget) => choosingRun((turns) => trim(turns, { budget })),
    },
    {
      name: 'LangChain trimMessages, startOn human',
      family: 'peer',
      source: packageName,
      open: async (budget) => choosingRun((turns) => trim(turns, { budget, startOn: 'human' })),
    },
  ];
}
