import { type AssistantMessage, type Tool, toolCallsOfMessage } from '@varve/core';
import {
  type AnswerBlock,
  answer,
  type ModelScript,
  type ServedRequest,
  summariser,
} from '@varve/testkit/model-server';
import type { PlannedCall, SessionPlan } from './session-plan.ts';
import { toolOutput } from './tool-output.ts';

/** An agent that does what its plan says: its half of the model, and its tools. */
export interface ScriptedAgent {
  readonly script: ModelScript;
  readonly tools: readonly Tool[];
  /** What the tools gave, by the call; each call once, in order of their ends. */
  readonly executed: readonly { readonly toolCallId: string; readonly text: string }[];
  /** Says which turn it is. */
  begin(turn: number): void;
  /** Tells of an answer that the client has got: its calls are those of the round, in their order. */
  note(message: AssistantMessage): void;
}

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
} as const;

/**
 * Makes the agent. Which round it is depends on the tools that ran, not on what the model still sees: what is asked
 * twice is answered alike, and a compaction in the middle of a turn does not send it back.
 */
export function scriptedAgent(plan: SessionPlan): ScriptedAgent {
  const executed: { toolCallId: string; text: string }[] = [];
  const done = new Set<number>();
  const planned = new Map<string, PlannedCall>();
  let turn = 0;
  const roundOf = (): readonly PlannedCall[] | undefined =>
    plan.turns[turn]?.rounds.find((calls) => !calls.every(({ page }) => done.has(page)));
  const run = (toolCallId: string): string => {
    const call = planned.get(toolCallId);
    if (call === undefined) throw new Error(`the agent has not planned the call ${toolCallId}`);
    const text = toolOutput(call.path, { seed: plan.seed * 1_000_003 + call.page, chars: call.chars });
    done.add(call.page);
    executed.push({ toolCallId, text });
    return text;
  };
  return {
    script: () => {
      const { answer: text = '', thinks = false } = plan.turns[turn] ?? {};
      const round = roundOf();
      if (round === undefined) return answer(text, { pieceChars: 200 });
      const thought: AnswerBlock = { type: 'thinking', text: `I need ${round.length} more results.` };
      const calls = round.map(({ tool, path }): AnswerBlock => ({ type: 'tool-call', name: tool, input: { path } }));
      return answer([...(thinks ? [thought] : []), ...calls], { pieceChars: 200 });
    },
    tools: toolNames.map((name) => ({
      name,
      description: `Gives what ${name} finds.`,
      inputSchema,
      execute: async (_, { toolCallId }) => ({ type: 'text', value: run(toolCallId) }),
    })),
    executed,
    begin: (next) => {
      turn = next;
    },
    note: (message) => {
      const round = roundOf() ?? [];
      for (const [index, { toolCallId }] of toolCallsOfMessage(message).entries()) {
        const call = round[index];
        if (call !== undefined) planned.set(toolCallId, call);
      }
    },
  };
}

const toolNames = ['read_file', 'run_tests', 'search_logs'] as const;

/** A summariser that keeps to the number of words that it is asked for. */
export function boundedSummariser(): ModelScript {
  const write = summariser({ keeps: 0.3, sentences: 12 });
  return async (request) => {
    const text = await write(request);
    const most = Number(/Write at most (\d+) words/.exec(request.conversation.system)?.[1] ?? 100);
    const words = typeof text === 'string' ? text.split(' ') : [];
    return answer(words.slice(0, Math.floor(most * 0.5)).join(' '), { pieceChars: 200 });
  };
}

/** The name of the model that a request asks. */
export function modelOf({ body }: Pick<ServedRequest, 'body'>): string {
  const { model } = body;
  return typeof model === 'string' ? model : '';
}

/** Leaves a request to the script of the model that it asks. */
export function byModel(scripts: Readonly<Record<string, ModelScript>>): ModelScript {
  return (request) => {
    const script = scripts[modelOf(request)];
    if (script === undefined) throw new Error(`nobody plays the model "${modelOf(request)}"`);
    return script(request);
  };
}
