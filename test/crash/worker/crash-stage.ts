import { writeSync } from 'node:fs';
import {
  type Clock,
  createHost,
  type Entry,
  type Host,
  type ModelPort,
  type Session,
  type Store,
  systemClock,
  type ToolSet,
  VarveError,
} from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Random, seededRandom } from '@varve/testkit';
import { openPatiently } from '../open-patiently.ts';
import { type Job, type Said, sessionId } from '../said.ts';
import { effectTools } from './effect-tools.ts';
import { killingFileSystem } from './killing-file-system.ts';
import { PowerLoss } from './power-loss.ts';
import { scriptedModel } from './scripted-model.ts';

/** What operations work with. */
export interface CrashStage {
  readonly job: Job;
  readonly host: Host;
  readonly session: Session;
  readonly model: ModelPort;
  readonly tools: ToolSet;
  readonly random: Random;
  /** Lets time pass, so that a prompt cache expires now and then. */
  advance(): void;
}

/** Time that one worker has for its clock. */
const roundMs = 10_000_000;

/** Writes a line for the parent; it is out, whatever happens to this process, when this returns. */
export function tell(said: Said): void {
  const bytes = Buffer.from(`${JSON.stringify(said)}\n`);
  for (let from = 0; from < bytes.length; ) from += writeSome(bytes, from);
}

function writeSome(bytes: Buffer, from: number): number {
  try {
    return writeSync(1, bytes, from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Opens the store on a file system that kills, and tells what is read in it. */
export async function openStage(job: Job): Promise<CrashStage> {
  const random = seededRandom(job.seed);
  const power = new PowerLoss(job.aside, random);
  const fileSystem = killingFileSystem({ selfKill: job.selfKill, power, random });
  const repairs: string[] = [];
  const onRepair = ({ kind }: { readonly kind: string }): void => void repairs.push(kind);
  const inner = jsonlStore({ root: job.root, durability: 'fsync', fileSystem, onRepair });
  const store = telling(inner);
  let operations = 0;
  const now = (): number => 1_700_000_000_000 + job.round * roundMs + operations * 25_000;
  const host = await hostOn(store, { now, after: systemClock.after }, random);
  // As long as nobody has it open; opening it makes it a journal again.
  if (random.chance(0.4)) await openPatiently(() => packExisting(inner));
  const { opened: session, waits } = await openPatiently(() => host.open(sessionId));
  const entries: string[] = [];
  for await (const entry of session.read()) entries.push(JSON.stringify(entry));
  tell({ say: 'opened', entries, repairs, waits });
  return {
    ...{ job, host, session, random },
    model: scriptedModel(random, job.round),
    tools: effectTools(job.effects),
    advance: () => {
      operations += 1;
    },
  };
}

async function packExisting({ archives }: Store): Promise<void> {
  try {
    await archives?.pack(sessionId);
  } catch (error) {
    // The first round begins it.
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
  }
}

/** A store that tells of each append that has resolved. */
function telling(store: Store): Store {
  return {
    sessions: store.sessions,
    supports: store.supports,
    open: async (id, options) => {
      const journal = await store.open(id, options);
      return {
        header: journal.header,
        append: async (entries, given) => {
          // As they are now: what is done to them later is not what was stored.
          const texts = entries.map((entry: Entry) => JSON.stringify(entry));
          const result = await journal.append(entries, given);
          if (texts.length > 0) tell({ say: 'appended', entries: texts });
          return result;
        },
        tail: () => journal.tail(),
        read: (range) => journal.read(range),
        get: (seqsOrIds) => journal.get(seqsOrIds),
        replace: (batches, given) => journal.replace(batches, given),
        close: () => journal.close(),
      };
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Small enough for compactions every few turns, and for results to be pruned. */
function hostOn(store: Store, clock: Clock, random: Random): Promise<Host> {
  const softTrim = { maxChars: 500, headChars: 150, tailChars: 150 };
  return createHost({
    store,
    clock,
    random: random.next,
    plugins: [
      ttlPruning({ ttl: '1m', softTrimRatio: 0.1, hardClearRatio: 0.2, minPrunableToolChars: 0, softTrim }),
      summaryCompaction({ compactAtRatio: 0.5 }),
    ],
    budget: { contextTokens: 6_000 },
  });
}
