import {
  type Clock,
  createHost,
  type Host,
  type Message,
  memoryStore,
  type PluginList,
  type Session,
  type Store,
} from '@varve/core';
import { recall } from '@varve/plugin-recall';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { type BenchDocument, makeDocuments } from './documents.ts';
import { type Spread, spreadOf } from './engine-rows.ts';
import { processorTime } from './processor-time.ts';

/** What recall adds to the making of a prompt, at one length of a session. */
export interface AssembleRow {
  readonly entries: number;
  /** Milliseconds of the processor for a prompt, without recall and with it. */
  readonly without: Spread;
  readonly withRecall: Spread;
  /** With, against without: one figure for each prompt that both have made of the same entries. */
  readonly ratio: Spread;
  /** The same for the first prompt with recall, which reads the whole session. */
  readonly firstMs: number;
}

const model = { provider: 'bench', model: 'bench-1' } as const;

/** Tokens of the budget, and prompts that are measured. */
const inputTokens = 32_000;
const prompts = 41;

/** Messages between two compactions while the sessions are made. */
const messagesPerCompaction = 1_000;

/** Stands still, so that no deadline ever comes: a slow machine must not change what is measured. */
const clock: Clock = { now: () => 1_767_225_600_000, after: () => () => undefined };

/**
 * Two sessions of the same entries, in the same process and in turn: one with `summary-compaction`, and one with `recall`
 * beside it. What is measured is the making of prompts alone.
 */
export async function assembleCost(entries: number, seed: number): Promise<AssembleRow> {
  const documents = makeDocuments(entries + prompts, seed);
  const stores = await sameHistory(documents.slice(0, entries));
  const plain = await open(stores.first, [summaryCompaction()]);
  const recalling = await open(stores.second, [summaryCompaction(), recall()]);
  const firstMs = await processorTime(() => recalling.session.assemble({ model }));
  await plain.session.assemble({ model });
  const times: { readonly without: number; readonly withRecall: number }[] = [];
  for (const [at, document] of documents.slice(entries).entries()) {
    const measure = async ({ session }: Opened): Promise<number> => {
      await say(session, { document, at });
      if (session.pressure({ model }).level !== 'none') await session.compact('background', { model });
      return processorTime(() => session.assemble({ model, query: document.question }));
    };
    // Who comes first changes, so that nobody always finds the other's rubbish to be collected.
    const order = at % 2 === 0 ? [plain, recalling] : [recalling, plain];
    const measured = new Map<Opened, number>();
    for (const one of order) measured.set(one, await measure(one));
    times.push({ without: measured.get(plain) ?? 0, withRecall: measured.get(recalling) ?? 0 });
  }
  for (const { host } of [plain, recalling]) await host.close();
  return {
    entries,
    without: spreadOf(times.map(({ without }) => without)),
    withRecall: spreadOf(times.map(({ withRecall }) => withRecall)),
    ratio: spreadOf(times.map(({ without, withRecall }) => withRecall / without)),
    firstMs,
  };
}

interface Opened {
  readonly host: Host;
  readonly session: Session;
}

async function open(store: Store, plugins: PluginList): Promise<Opened> {
  const host = await createHost({ store, clock, budget: { inputTokens }, random: () => 0.5, plugins });
  return { host, session: await host.open('session') };
}

/** Two stores with the same session of these messages, compacted again and again, the last time at its end. */
async function sameHistory(
  documents: readonly BenchDocument[],
): Promise<{ readonly first: Store; readonly second: Store }> {
  const [first, second] = [memoryStore(), memoryStore()];
  const { host, session } = await open(mirrored(first, second), [summaryCompaction()]);
  for (const [at, document] of documents.entries()) {
    await say(session, { document, at });
    const isDue = (at + 1) % messagesPerCompaction === 0 || at === documents.length - 1;
    if (isDue) await session.compact('manual', { model });
  }
  await host.close();
  return { first, second };
}

/** A store whose journals are written to another one, too, in the same appends. */
function mirrored(store: Store, mirror: Store): Store {
  return {
    ...store,
    open: async (sessionId, options) => {
      const journal = await store.open(sessionId, options);
      const copy = await mirror.open(sessionId, options);
      return {
        ...journal,
        append: async (entries, conditions) => {
          await copy.append(entries, conditions);
          return journal.append(entries, conditions);
        },
      };
    },
  };
}

/** User and assistant in turn. */
async function say(
  session: Session,
  { document, at }: { readonly document: BenchDocument; readonly at: number },
): Promise<void> {
  const message: Message =
    at % 2 === 0 ? { role: 'user', content: document.text } : { role: 'assistant', content: document.text };
  await session.ingest(message);
}
