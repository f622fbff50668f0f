import {
  type BudgetOptions,
  type Clock,
  type CompactionEntry,
  type CompactOutcome,
  type CompactTrigger,
  createHost,
  createTokenCounter,
  type Entry,
  type Message,
  type MessageEntry,
  memoryStore,
  type PluginList,
  type Prompt,
  type Session,
  type Store,
  type TokenCounter,
  tableCounter,
} from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';

/** The model of all tests. */
export const model = { provider: 'test', model: 'test-1' };

/** A conversation in a store of its own, at a time that stands still. */
export interface Talk {
  readonly session: Session;
  say(...messages: readonly Message[]): Promise<readonly MessageEntry[]>;
  ask(): Promise<Prompt>;
  compact(trigger?: CompactTrigger, instructions?: string): Promise<CompactOutcome>;
  /** Compacts, which must succeed. */
  compacted(trigger?: CompactTrigger, instructions?: string): Promise<CompactionEntry>;
  entries(): Promise<readonly Entry[]>;
}

const stillClock: Clock = { now: () => 1_000_000, after: () => () => undefined };

/** Begins, or goes on with, a conversation. */
export async function talk(
  options: {
    readonly budget?: BudgetOptions;
    readonly plugins?: PluginList;
    readonly store?: Store;
    readonly tokens?: TokenCounter;
    readonly clock?: Clock;
  } = {},
): Promise<Talk> {
  const { budget = {}, plugins = [summaryCompaction()], store = memoryStore(), tokens = tableCounter } = options;
  const { clock = stillClock } = options;
  const host = await createHost({ store, clock, budget, plugins, tokens });
  const session = await host.open('s');
  const compact = (trigger: CompactTrigger = 'manual', instructions?: string): Promise<CompactOutcome> =>
    session.compact(trigger, { model, instructions });
  return {
    session,
    compact,
    say: async (...messages) => {
      const said: MessageEntry[] = [];
      for (const message of messages) said.push(await session.ingest(message));
      return said;
    },
    ask: () => session.assemble({ model }),
    compacted: async (trigger, instructions) => {
      const { entry, status, why } = await compact(trigger, instructions);
      if (entry === null) throw new Error(`${status}: ${why}`);
      return entry;
    },
    entries: () => collect(session.read()),
  };
}

/** All of a stream. */
export async function collect<Value>(stream: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

/** Counts words, so that sizes in tests are exact: a message has 4 more. */
export const wordCounter: TokenCounter = createTokenCounter('words-1', (text) => text.match(/\S+/g)?.length ?? 0);

/** A message of the user. */
export function user(content: string): Message {
  return { role: 'user', content };
}

/** An answer. */
export function assistant(content: string): Message {
  return { role: 'assistant', content };
}

/** A call of one tool with each id. */
export function calls(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { id: toolCallId } })),
  };
}

/** The result of a call. */
export function result(toolCallId: string, value: string): Message {
  const output = { type: 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
}

/** A text of that many words, which begins with a name. */
export function long(name: string, words: number): string {
  return `${name} ${'clay '.repeat(words - 1)}`.trim();
}
