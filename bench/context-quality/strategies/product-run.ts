import {
  type Clock,
  createHost,
  createTokenCounter,
  type Message,
  type ModelRef,
  memoryStore,
  type PluginList,
  type Prompt,
  partsOfMessage,
  type Session,
  tableCounter,
  textOfOutput,
  VarveError,
} from '@varve/core';
import { messageTokens, tokensOf } from '../judge/count-tokens.ts';
import { argumentText, bodyOf, type JudgedMessage, type JudgedPrompt } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import type { Ask, StrategyRun } from './strategy.ts';

/** Who counts tokens in the product: its own estimator, or the judge's counter. */
export type CounterName = 'estimate' | 'exact';

const model: ModelRef = { provider: 'bench', model: 'bench-1' };
const exactCounter = createTokenCounter('bench-o200k', tokensOf);

/**
 * A conversation in a real session of a real host. Before each request it is compacted when that is due, and when a turn
 * has ended with a large prompt, as `session.turn` does it.
 */
export async function productRun(
  plugins: PluginList,
  { budget, counter }: { readonly budget: number; readonly counter: CounterName },
): Promise<StrategyRun> {
  const clock = createClock();
  const store = memoryStore();
  const tokens = counter === 'exact' ? exactCounter : tableCounter;
  const host = await createHost({ store, plugins, clock, tokens, budget: { inputTokens: budget }, random: () => 0.5 });
  const session = await host.open('trajectory');
  return {
    take: async (turn) => {
      clock.moveTo(turn.at);
      await session.ingest(messageOf(turn), { provenance: { kind: kinds[turn.role], ...senderOf(turn) } });
      const endsTurn = turn.role === 'assistant' && turn.calls.length === 0;
      if (endsTurn && session.pressure({ model }).level !== 'none') await session.compact('background', { model });
    },
    request: async (ask) => {
      clock.moveTo(ask.at);
      const prompt = await makePrompt(session, ask);
      return prompt === null ? null : judgedPrompt(prompt);
    },
    lookUp: lookUpWith(session),
    close: async () => {
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

const kinds = { user: 'user', assistant: 'model', tool: 'tool' } as const;

function senderOf({ speaker }: Turn): { readonly senderId?: string } {
  return speaker === undefined ? {} : { senderId: speaker };
}

/** Stands still between turns. Deadlines never come: a slow machine must not change what is measured. */
function createClock(): Clock & { moveTo(moment: number): void } {
  let now = 0;
  return {
    now: () => now,
    after: () => () => undefined,
    moveTo: (moment) => {
      now = Math.max(now, moment);
    },
  };
}

/** As an agent's loop does it: compact when due, assemble, and when it does not fit compact at once and try again. */
async function makePrompt(session: Session, { query, isTrial }: Ask): Promise<Prompt | null> {
  const options = { model, query, dryRun: isTrial };
  for (const trigger of ['threshold', 'overflow'] as const) {
    try {
      if (!isTrial) await session.compact(trigger, { model });
      return await session.assemble(options);
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    }
  }
  return null;
}

/** The message that an adapter would hand to the session. */
export function messageOf({ role, text, calls, callId = '', toolName, isError }: Turn): Message {
  if (role === 'user') return { role, content: text };
  if (role === 'tool') {
    const output = { type: isError ? 'error-text' : 'text', value: text } as const;
    return { role, content: [{ type: 'tool-result', toolCallId: callId, toolName, output }] };
  }
  const called = calls.map(
    ({ id, name, input }) =>
      ({ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.parse(JSON.stringify(input ?? {})) }) as const,
  );
  return { role, content: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...called] };
}

/** What a model could read of a prompt. */
function judgedPrompt({ system, messages, marks }: Prompt): JudgedPrompt {
  const front = system.map(({ text }) => judged('system', { text }));
  const stable = messages.slice(0, marks.afterStable).flatMap(judgedMessages);
  const rest = messages.slice(marks.afterStable).flatMap(judgedMessages);
  return { messages: [...front, ...stable, ...rest], stable: front.length + stable.length };
}

function judgedMessages(message: Message): readonly JudgedMessage[] {
  if (message.role === 'tool') {
    return message.content.map(({ toolCallId: callId, output }) =>
      judged('tool', { text: textOfOutput(output), callId }),
    );
  }
  const parts = partsOfMessage(message);
  const text = parts
    .flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? [part.text] : []))
    .join('\n');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, text: argumentText(part.input) }] : [],
  );
  return [judged(message.role, { text, calls })];
}

function judged(
  role: JudgedMessage['role'],
  { text, calls = [], callId }: { text: string; calls?: Parameters<typeof bodyOf>[1]; callId?: string },
): JudgedMessage {
  const body = bodyOf(text, calls);
  return { role, body, calls, callId, tokens: tokensOf(body) + messageTokens };
}

const searchTool = 'recall_grep';

/** The first hits of the product's search tool, where a plugin brings it. */
function lookUpWith(session: Session): StrategyRun['lookUp'] {
  const tool = session.tools().find(({ name }) => name === searchTool);
  if (tool === undefined) return undefined;
  return async (identifier) => {
    const signal = new AbortController().signal;
    const output = await tool.execute({ query: identifier, limit: 5 }, { toolCallId: 'look-up', signal });
    return [typeof output === 'string' ? output : JSON.stringify(output)];
  };
}
