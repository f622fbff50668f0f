import type { SessionRecord } from '@varve/core';
import type { Child } from './child.ts';
import type { SpawnedRecord } from './child-records.ts';
import { type ChildJournal, readChild } from './child-records.ts';
import type { Spawned } from './spawn-options.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** A sub-agent as its journal has it. */
export interface FoundChild extends ChildJournal {
  readonly spawned: SpawnedRecord;
  readonly record: SessionRecord;
}

/** What a caller is given of a sub-agent that this process has. Waits until it has begun. */
export async function spawnedOf(child: Child): Promise<Spawned> {
  await child.begun.promise;
  const { childKey, spawnId } = child.record;
  return { childKey, sessionId: child.sessionId ?? '', spawnId, ended: child.ended.promise };
}

/** Reads the journal of a session as that of a sub-agent. Takes no lock. */
export async function readJournal({ host }: Pick<SubagentWorld, 'host'>, sessionId: string): Promise<ChildJournal> {
  const session = await host.open(sessionId, { readOnly: true });
  try {
    return readChild(session);
  } finally {
    await session.close();
  }
}

/** Finds the generation of a key that is a sub-agent: whichever, and whether or not it is open. `null` for none. */
export async function findJournal(world: SubagentWorld, childKey: string): Promise<FoundChild | null> {
  for (const record of await world.generations.all(childKey)) {
    const { spawned, ...journal } = await readJournal(world, record.sessionId);
    if (spawned !== null) return { ...journal, spawned, record };
  }
  return null;
}
