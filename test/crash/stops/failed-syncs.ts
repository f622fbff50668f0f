import { jsonlStore } from '@varve/stores/jsonl';
import { messageEntry, seededRandom } from '@varve/testkit';
import { memoryFileSystem } from '@varve/testkit/file-system';
import type { Fault } from '../oracle/fault.ts';
import { judgeStop } from '../oracle/judge-stop.ts';
import { recover } from './recover.ts';
import type { StopResult } from './run-stops.ts';

const sessionId = 'one';

/** Appends of one store, of which each is tried until it is acknowledged. */
const appends = 20;

/** Lets every fourth sync fail, and the power go in the end: what had been acknowledged is there. */
export async function runFailedSyncs({
  count,
  seed,
}: {
  readonly count: number;
  readonly seed: number;
}): Promise<StopResult> {
  const faults: (Fault & { readonly point: string })[] = [];
  let failed = 0;
  for (let number = 0; number < count; number += 1) {
    const found = await tryStore(seed + number);
    if (found.length > 0) failed += 1;
    faults.push(...found.map((fault) => ({ ...fault, point: `seed ${seed + number}` })));
  }
  return { points: count, failed, faults };
}

async function tryStore(seed: number): Promise<readonly Fault[]> {
  const random = seededRandom(seed);
  let isReady = false;
  const fileSystem = memoryFileSystem({ mount: `/failing-${seed}`, failsSync: () => isReady && random.chance(0.25) });
  const place = { root: `${fileSystem.mount}/store`, fileSystem };
  const store = jsonlStore({ ...place, durability: 'fsync' });
  const journal = await store.open(sessionId, { create: { v: 1, sessionId, createdAt: 0 } });
  isReady = true;
  const texts: string[] = [];
  for (let seq = 1; seq <= appends; ) {
    const entry = messageEntry(seq, `try ${random.integer(1, 1_000)}`);
    try {
      await journal.append([entry], { expectedSeq: seq - 1 });
      texts.push(JSON.stringify(entry));
      seq += 1;
    } catch {
      // It was not appended; the next one has the same seq.
    }
  }
  // Copied while the process still runs: closing is not what keeps it.
  const disk = fileSystem.disk.copy();
  isReady = false;
  await journal.close();
  await store[Symbol.asyncDispose]();
  disk.losePower();
  disk.age(60_000);
  const left = memoryFileSystem({ disk, mount: `/failed-${seed}` });
  const seen = await recover(
    { root: `${left.mount}/store`, fileSystem: left },
    { sessionIds: new Set([sessionId]), looksAt: 'journals' },
  );
  return judgeStop([{ kind: 'append', sessionId, texts, askedAt: 0, doneAt: 0 }], { at: 0, seen });
}
