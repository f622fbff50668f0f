import {
  createHost,
  type Entry,
  type Host,
  type IngestOptions,
  type Message,
  type MessageEntry,
  memoryStore,
  type Prompt,
  partsOfMessage,
  type Session,
  type Store,
  textsOfMessage,
} from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';

const model = { provider: 'test', model: 'test-1' };

/** 2026-03-02, a Monday. */
const start = Date.UTC(2026, 2, 2, 9);

/** A conversation with a clock of its own. */
export interface Talk {
  readonly host: Host;
  readonly session: Session;
  readonly store: Store;
  say(message: Message, options?: IngestOptions): Promise<MessageEntry>;
  /** Lets time pass. */
  wait(ms: number): void;
  ask(query?: string, options?: { readonly dryRun?: boolean }): Promise<Prompt>;
  compact(): Promise<void>;
  entries(): Promise<readonly Entry[]>;
  /** Calls one of the tools of the session. */
  call(name: string, input: unknown): Promise<string>;
}

/** How a conversation is held. */
export interface TalkOptions {
  /** `null`: a host without the plugin. */
  readonly options?: RecallOptions | null;
  readonly inputTokens?: number | null;
  readonly store?: Store;
  readonly now?: number;
  readonly sessionId?: string;
}

/** Begins or goes on with a conversation, by default with prompts of at most 2 000 tokens. */
export async function talk(given: TalkOptions = {}): Promise<Talk> {
  const { options = {}, inputTokens = 2_000, store = memoryStore(), now = start, sessionId = 's' } = given;
  let time = now;
  const host = await createHost({
    store,
    clock: { now: () => time, after: () => () => undefined },
    random: () => 0.5,
    budget: { inputTokens },
    plugins: [options !== null && recall(options)],
  });
  return talkIn({ host, store, sessionId, wait: (ms) => (time += ms) });
}

/** A conversation in a host that is there already. */
export async function talkIn(parts: {
  readonly host: Host;
  readonly store: Store;
  readonly sessionId: string;
  readonly wait: (ms: number) => void;
}): Promise<Talk> {
  const { host, store, sessionId, wait } = parts;
  const session = await host.open(sessionId);
  return {
    host,
    session,
    store,
    wait,
    say: (message, ingestOptions) => session.ingest(message, ingestOptions),
    ask: (query, { dryRun = false } = {}) => session.assemble({ model, query, dryRun }),
    compact: async () => {
      const outcome = await session.compact('manual', { model });
      if (outcome.status !== 'compacted') throw new Error(`The compaction ended as ${outcome.status}.`);
    },
    entries: async () => {
      const entries: Entry[] = [];
      for await (const entry of session.read()) entries.push(entry);
      return entries;
    },
    call: async (name, input) => {
      const tool = session.tools().find((one) => one.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const output = await tool.execute(input as never, { toolCallId: 'c', signal: new AbortController().signal });
      return typeof output === 'string' ? output : String((output as { value: unknown }).value);
    },
  };
}

/** A message of the user. */
export function user(content: string): Message {
  return { role: 'user', content };
}

/** A message of the assistant. */
export function assistant(content: string): Message {
  return { role: 'assistant', content };
}

/** A tool call and its result. */
export function tool(id: string, output: string, input: Record<string, string> = {}): readonly [Message, Message] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'read', input }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value: output } }],
    },
  ];
}

const subjects = 'lake river bridge harbour meadow quarry orchard lighthouse mill chapel tower gate'.split(' ');

/** Small talk that no question of a test asks for, a different one for each number. */
export function chatter(number: number): string {
  const subject = subjects[number % subjects.length];
  return `Entry ${number} of the diary is about a walk to the old ${subject}, with weather that was neither good nor bad.`;
}

/** Holds so many exchanges of small talk. */
export async function fill({ say }: Pick<Talk, 'say'>, { from = 0, count = 60 } = {}): Promise<void> {
  for (let number = from; number < from + count; number += 1) {
    await say(user(chatter(number)));
    await say(assistant(`Noted as ${number}.`));
  }
}

/** All that a model can read of a prompt. */
export function textOf({ system, messages }: Pick<Prompt, 'system' | 'messages'>): string {
  return [...system.map(({ text }) => text), ...messages.flatMap(textsOfMessage)].join('\n');
}

/** The texts of recall in a prompt, layer or notes, in order. */
export function recalledIn({ messages }: Prompt): readonly string[] {
  return messages
    .flatMap((message) => partsOfMessage(message))
    .flatMap((part) => (part.type === 'text' && part.text.startsWith('# Recalled') ? [part.text] : []));
}
