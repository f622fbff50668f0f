import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createHost,
  type Entry,
  type ModelPort,
  type ModelReply,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { readableResult } from './readable-result.ts';
import { type Sample, words } from './sample.ts';

/** The session of every sample. */
const sessionId = 'lake';
const createdAt = 1_780_300_000_000;

/** Runs a sample on the journal of its folder, and gives what `expected.json` has to hold. */
export async function runSample(sample: Sample, folder: string): Promise<unknown> {
  const journal = readJournal(join(folder, 'journal.jsonl'));
  const store = await storeWith(journal);
  const clock = manualClock((journal.at(-1)?.at ?? createdAt) + 60_000);
  const { plugins = [], engine, budget = { inputTokens: null }, counter = words, answers = [] } = sample;
  const host = await createHost({ store, clock, plugins, engine, budget, tokens: counter, random: () => 0 });
  try {
    const session = await host.open(sessionId, sample.opening);
    const model = scriptedModel(answers);
    const id = (seq: number): string => idOf(journal, seq);
    const returned = await sample.run({ session, host, model, clock, id });
    const entries = await entriesOf(session);
    return readableResult({ appended: entries.slice(journal.length), ...returned }, { entries });
  } finally {
    await host.close();
    await store[Symbol.asyncDispose]();
  }
}

/** One entry a line; an empty file is a session that has yet to begin. */
function readJournal(path: string): readonly Entry[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): Entry => JSON.parse(line));
}

async function storeWith(entries: readonly Entry[]): Promise<Store> {
  const store = memoryStore();
  if (entries.length === 0) return store;
  const journal = await store.open(sessionId, { create: { v: 1, sessionId, createdAt } });
  await journal.append(entries, { expectedSeq: 0 });
  await journal.close();
  return store;
}

function idOf(journal: readonly Entry[], seq: number): string {
  const entry = journal[seq - 1];
  if (entry === undefined) throw new Error(`The journal of the sample has no entry ${seq}.`);
  return entry.id;
}

function scriptedModel(answers: NonNullable<Sample['answers']>): ModelPort {
  let calls = 0;
  return {
    ref: { provider: 'harbour', model: 'pilot' },
    generate: async (): Promise<ModelReply> => {
      const answer = answers[calls] ?? 'Aye.';
      calls += 1;
      if (answer instanceof Error) throw answer;
      const message =
        typeof answer === 'string' ? ({ role: 'assistant', content: answer, stop: 'stop' } as const) : answer;
      return { message, usage: null };
    },
  };
}

/** All entries, also those that wait for the next append. */
async function entriesOf(session: Session): Promise<readonly Entry[]> {
  await session.explain().catch(() => undefined);
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}
