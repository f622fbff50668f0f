import {
  type CompactOutcome,
  type CompactTrigger,
  createHost,
  type Entry,
  type Host,
  type HostOptions,
  type Message,
  type MessageEntry,
  type ModelRef,
  type Prompt,
  type Session,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { wordCounter } from './messages.ts';

/** The model that is asked unless another one is named. */
export const model: ModelRef = { provider: 'test', model: 'test-1' };

/** A conversation with what a case does to it. */
export interface Talk extends AsyncDisposable {
  readonly host: Host;
  readonly session: Session;
  say(...messages: readonly Message[]): Promise<readonly MessageEntry[]>;
  ask(): Promise<Prompt>;
  compact(trigger?: CompactTrigger, instructions?: string): Promise<CompactOutcome>;
  entries(): Promise<readonly Entry[]>;
}

/** Begins, or goes on with, a conversation that counts words, at a time that stands still. */
export async function openTalk(options: HostOptions = {}): Promise<Talk> {
  const host = await createHost({ clock: manualClock(), tokens: wordCounter, ...options });
  const session = await host.open('s');
  return {
    host,
    session,
    say: async (...messages) => {
      const said: MessageEntry[] = [];
      for (const message of messages) said.push(await session.ingest(message));
      return said;
    },
    ask: () => session.assemble({ model }),
    compact: (trigger = 'manual', instructions) => session.compact(trigger, { model, instructions }),
    entries: () => collect(session.read()),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

/** The messages that a journal holds. */
export function messagesIn(entries: readonly Entry[]): readonly MessageEntry[] {
  return entries.filter((entry) => entry.type === 'message');
}

async function collect(stream: AsyncIterable<Entry>): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for await (const entry of stream) all.push(entry);
  return all;
}
