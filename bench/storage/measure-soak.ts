// Many sessions, each used once, few awake: node --expose-gc --import tsx measure-soak.ts ROOT SESSIONS LIVE
import { readdirSync } from 'node:fs';
import { createHost } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { seededRandom } from '../seeded-random.ts';
import { mixedMessage } from './data/agent-mix.ts';
import { keyOf } from './data/session-records.ts';
import { inFlight } from './in-flight.ts';

/** What one process measured. */
export interface SoakFigures {
  /** Bytes of the heap above those of a process that has done nothing, with `live` sessions awake. */
  readonly heap: number;
  /** The same when half of the sessions had been used. */
  readonly heapAtHalf: number;
  /** Most files that were open at once, of those that were looked at. */
  readonly mostFiles: number;
  /** Locks that are left when all is closed. */
  readonly locks: number;
  readonly awake: number;
  readonly seconds: number;
}

const messages = 10;
const width = 16;

const [, , root = '', sessions = '0', live = '0'] = process.argv;
const figures = await soak(Number(sessions), Number(live));
process.send?.(figures);

async function soak(count: number, maxSessions: number): Promise<SoakFigures> {
  const random = seededRandom(5);
  const entries = Array.from({ length: 400 }, (_, at) => mixedMessage(at, { random, toolLength: 3_000 }));
  const store = jsonlStore({ root, durability: 'os' });
  const host = await createHost({ store });
  const conversations = createSessions({ host, live: { maxSessions } });
  const startedAt = performance.now();
  const before = heapNow();
  let mostFiles = 0;
  const useOnce = async (at: number): Promise<void> => {
    await conversations.use(keyOf(at), async (session) => {
      for (let turn = 0; turn < messages; turn += 1) {
        const entry = entries[(at * 4 + turn) % entries.length];
        if (entry !== undefined) await session.ingest(entry.message, { usage: entry.usage });
      }
    });
    if (at % 1_000 === 0) mostFiles = Math.max(mostFiles, readdirSync('/proc/self/fd').length);
  };
  const half = Math.floor(count / 2);
  await inFlight(half, width, useOnce);
  const heapAtHalf = heapNow() - before;
  await inFlight(count - half, width, (at) => useOnce(half + at));
  const awake = conversations.states().length;
  const heap = heapNow() - before;
  const seconds = (performance.now() - startedAt) / 1_000;
  await conversations.close();
  await host.close();
  await store[Symbol.asyncDispose]();
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return { heap, heapAtHalf, mostFiles, locks: names.filter((name) => name.endsWith('.lock')).length, awake, seconds };
}

function heapNow(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
