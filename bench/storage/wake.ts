import { createHost } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { PartlyMeasured } from '../interleave.ts';
import { type History, historySession } from './data/histories.ts';
import { createCountingFileSystem } from './limits/counting-file-system.ts';

const model = { provider: 'bench', model: 'bench-1' } as const;

/** How a session is woken. */
export interface WakeOptions {
  /** Whether its next prompt is made, too. @default false */
  readonly withPrompt?: boolean | undefined;
}

/**
 * Wakes the session of a history in a store that knows nothing yet, and closes it again. The time is that of waking alone:
 * the host is there before, and closing comes after.
 */
export async function wake(root: string, { withPrompt = false }: WakeOptions = {}): Promise<PartlyMeasured> {
  const store = jsonlStore({ root });
  const host = await createHost({ store, budget: { inputTokens: 200_000 } });
  const startedAt = performance.now();
  const session = await host.open(historySession);
  if (withPrompt) await session.assemble({ model, dryRun: true });
  const ms = performance.now() - startedAt;
  await host.close();
  await store[Symbol.asyncDispose]();
  return new PartlyMeasured(ms);
}

/** How many messages the next prompt of the session of a history holds. */
export async function messagesInPrompt(root: string): Promise<number> {
  const store = jsonlStore({ root });
  const host = await createHost({ store, budget: { inputTokens: 200_000 } });
  const session = await host.open(historySession);
  const { messages } = await session.assemble({ model, dryRun: true });
  await host.close();
  await store[Symbol.asyncDispose]();
  return messages.length;
}

/** Reads what a prompt may be made of, below the session: the tail of the journal. */
export async function readTail(root: string): Promise<number> {
  const store = jsonlStore({ root });
  const journal = await store.open(historySession, { readOnly: true });
  const { entries } = await journal.tail();
  await store[Symbol.asyncDispose]();
  return entries.length;
}

/** How many bytes of its files waking a session reads. */
export async function bytesToWake({ root }: Pick<History, 'root'>): Promise<number> {
  const { fileSystem, counts } = createCountingFileSystem();
  const store = jsonlStore({ root, fileSystem });
  const host = await createHost({ store });
  await host.open(historySession);
  await host.close();
  await store[Symbol.asyncDispose]();
  return counts.bytesRead;
}
