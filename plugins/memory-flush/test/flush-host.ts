import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BudgetOptions,
  createHost,
  type Entry,
  type Host,
  type Message,
  type ModelPort,
  type OpenOptions,
  type Session,
  type Store,
} from '@varve/core';
import { type FlushRecord, type MemoryFlushOptions, memoryFlush } from '@varve/plugin-memory-flush';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { workspaceLayers } from '@varve/plugin-workspace-layers';
import { type ManualClock, manualClock } from '@varve/testkit';
import { onTestFinished } from 'vitest';

/** The key of the direct chat in most tests. */
export const direct = 'agent:main:telegram:direct:user_123';

/** The model that conversations are held with; it answers with one word. */
export const talker: ModelPort = {
  ref: { provider: 'test', model: 'talker' },
  generate: async () => ({ message: { role: 'assistant', content: 'Noted.', stop: 'stop' }, usage: null }),
};

/** What a model that writes notes answers, to the n-th request from 0. */
export type Answer = (call: { readonly n: number; readonly asked: string }) => string | Promise<string>;

/** A model that writes notes as it is told, and what it was asked. */
export function noteWriter(answer: Answer): ModelPort & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  return {
    ref: { provider: 'test', model: 'writer' },
    asked,
    generate: async ({ prompt }) => {
      const text = [...prompt.system.map((block) => block.text), ...prompt.messages.map(({ content }) => content)].join(
        '\n',
      );
      asked.push(text);
      const content = await answer({ n: asked.length - 1, asked: text });
      return { message: { role: 'assistant', content, stop: 'stop' }, usage: null };
    },
  };
}

/** An answer that comes when the test says so. */
export function deferredAnswer(): { readonly answer: Answer; readonly asked: Promise<void>; give(text: string): void } {
  let give = (_: string): void => undefined;
  let begin = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const given = new Promise<string>((resolve) => {
    give = resolve;
  });
  const answer = (): Promise<string> => {
    begin();
    return given;
  };
  return { answer, asked, give: (text) => give(text) };
}

/** A folder of its own; it is removed when the test is over. */
export function workspace(): string {
  const dir = mkdtempSync(join(tmpdir(), 'varve-flush-'));
  mkdirSync(join(dir, 'memory'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** All that has been written to the notes, by file. */
export function notesIn(dir: string): Readonly<Record<string, string>> {
  const folder = join(dir, 'memory');
  if (!existsSync(folder)) return {};
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** A host that compacts, flushes and remembers, at a time that stands still. */
export interface FlushHost {
  readonly host: Host;
  readonly clock: ManualClock;
  readonly warnings: readonly string[];
  open(id: string, options?: OpenOptions): Promise<Session>;
}

/** Noon of March 2, 2026, in universal time. */
const noon: number = Date.UTC(2026, 2, 2, 12);

/** Makes a host for one workspace. */
export async function flushHost(
  dir: string,
  given: Omit<MemoryFlushOptions, 'dir'> & {
    readonly budget?: BudgetOptions;
    readonly shareWithGroups?: boolean;
    readonly store?: Store;
    readonly at?: number;
  } = {},
): Promise<FlushHost> {
  const { budget = { inputTokens: 6_000 }, shareWithGroups = false, store, at = noon, ...options } = given;
  const clock = manualClock(at);
  const plugins = [
    memoryFlush({ dir, timeZone: 'UTC', ...options }),
    workspaceLayers({ dir, timeZone: 'UTC', shareWithGroups }),
    summaryCompaction(),
  ];
  const host = await createHost({ clock, plugins, budget, store });
  onTestFinished(() => host.close());
  const warnings: string[] = [];
  host.events.on('warning', ({ text }) => warnings.push(text));
  const open: FlushHost['open'] = (id, more = {}) => host.open(id, { key: direct, ...more });
  return { host, clock, warnings, open };
}

/** Something that the user says, of about that many tokens. */
export function said(text: string, tokens = 20): Message {
  return { role: 'user', content: `${text} ${'clay '.repeat(tokens)}`.trim() };
}

/** Puts messages into the session until it is as full as that. */
export async function fillTo(session: Session, level: 'soft' | 'hard'): Promise<void> {
  const isReached = (): boolean => {
    const { level: now } = session.pressure({ model: talker.ref });
    return now === level || now === 'hard' || now === 'overflow';
  };
  for (let n = 1; !isReached(); n += 1) {
    await session.ingest(said(`Message ${n}.`, 150));
    await session.ingest({ role: 'assistant', content: `Answer ${n}.` });
  }
}

/** All entries of a session. */
export async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

/** How the flushes of a session ended, in their order. */
export async function flushesOf(session: Session): Promise<readonly FlushRecord[]> {
  // Stores what is pending.
  await session.set('seen', true);
  const entries = await entriesOf(session);
  return entries.flatMap((entry) =>
    entry.type === 'memory-flush:flush' && 'data' in entry ? [entry.data as unknown as FlushRecord] : [],
  );
}

/** Resolves when the tap of the plugin has ended for the n-th time from now on, however it did. */
export function tapEnded(host: Host, times = 1): Promise<void> {
  let left = times;
  return new Promise((resolve) => {
    const ended = ({ plugin }: { readonly plugin: string }): void => {
      if (plugin !== 'memory-flush') return;
      left -= 1;
      if (left === 0) resolve();
    };
    host.events.on('tap-finished', ended);
    host.events.on('plugin-failed', ended);
  });
}
