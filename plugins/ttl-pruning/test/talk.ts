import {
  type BudgetOptions,
  createHost,
  type Host,
  type JsonValue,
  type Message,
  memoryStore,
  type Prompt,
  partsOfMessage,
  type Session,
  type Store,
  type ToolOutput,
} from '@varve/core';
import { type TtlPruningOptions, ttlPruning } from '@varve/plugin-ttl-pruning';

const model = { provider: 'test', model: 'test-1' };

/** A conversation with a clock of its own. */
export interface Talk {
  readonly session: Session;
  say(...messages: readonly Message[]): Promise<void>;
  /** Lets time pass. */
  wait(ms: number): void;
  ask(): Promise<Prompt>;
}

export interface TalkOptions {
  /** `null`: a host without the plugin. */
  readonly pruning?: TtlPruningOptions | null;
  readonly budget?: BudgetOptions;
  readonly store?: Store;
  /** When the clock starts. */
  readonly now?: number;
}

/** Begins a conversation, by default in a window of 30 000 tokens (120 000 characters) and without other limits. */
export async function talk({ pruning = {}, budget, store = memoryStore(), now = 0 }: TalkOptions = {}): Promise<Talk> {
  let time = now;
  const host: Host = await createHost({
    store,
    clock: { now: () => time, after: () => () => undefined },
    random: () => 0.5,
    budget: budget ?? { contextTokens: 30_000, inputTokens: null },
    plugins: [pruning !== null && ttlPruning(pruning)],
  });
  const session = await host.open('s');
  return {
    session,
    say: async (...messages) => {
      for (const message of messages) await session.ingest(message);
    },
    wait: (ms) => {
      time += ms;
    },
    ask: () => session.assemble({ model }),
  };
}

/** What the plugin recorded under a kind, oldest first. */
export async function recordsOf({ session }: Talk, kind: string): Promise<readonly JsonValue[]> {
  const records: JsonValue[] = [];
  for await (const entry of session.read())
    if (entry.type === `ttl-pruning:${kind}` && 'data' in entry) records.push(entry.data);
  return records;
}

/** A message of the user. */
export function user(content = 'Go on.'): Message {
  return { role: 'user', content };
}

/** A last word of the assistant. */
export function done(content = 'Done.'): Message {
  return { role: 'assistant', content };
}

let calls = 0;

/** A tool call and its result. */
export function tool(output: string | ToolOutput, toolName = 'read', input: JsonValue = {}): [Message, Message] {
  calls += 1;
  const toolCallId = `call-${calls}`;
  const value: ToolOutput = typeof output === 'string' ? { type: 'text', value: output } : output;
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: value }] },
  ];
}

/** A call of a tool that brings back what was said before, and its result, as core stores it. */
export function lookBack(output: string, input: JsonValue = {}): [Message, Message] {
  const [call, result] = tool(output, 'look_back', input);
  const content = partsOfMessage(result).map((part) => ({ ...part, providerOptions: { varve: { recovered: true } } }));
  return [call, { role: 'tool', content } as Message];
}

/** The texts of the tool results of a prompt, in order; images and files by their type. */
export function resultsOf(prompt: Prompt): readonly string[] {
  return prompt.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => textOf(part.output)) : [],
  );
}

function textOf(output: ToolOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type !== 'content') return JSON.stringify(output.value);
  return output.value.map((part) => (part.type === 'text' ? part.text : part.type)).join('|');
}

/** A text of that many characters, different from its neighbours. */
export function chars(length: number, fill = 'x'): string {
  return fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
}
