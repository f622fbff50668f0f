import type { Host, SessionRecord } from '@varve/core';
import type { Generations } from '../generation/generations.ts';
import { type ChildJournal, readChild, type SpawnedRecord } from './child-records.ts';

/** A sub-agent as its journal has it. */
export interface FoundChild extends ChildJournal {
  readonly spawned: SpawnedRecord;
  readonly record: SessionRecord;
}

/** What journals of sub-agents are looked for with. */
export interface FindParts {
  readonly host: Host;
  readonly generations: Generations;
}

/** Reads the journal of a session as that of a sub-agent. Takes no lock. */
export async function readJournal({ host }: Pick<FindParts, 'host'>, sessionId: string): Promise<ChildJournal> {
  await using session = await host.open(sessionId, { readOnly: true });
  return readChild(session);
}

/** Finds the generation of a key that is a sub-agent: whichever, and whether or not it is open. `null` for none. */
export async function findJournal(parts: FindParts, childKey: string): Promise<FoundChild | null> {
  for (const record of await parts.generations.all(childKey)) {
    const { spawned, ...journal } = await readJournal(parts, record.sessionId);
    if (spawned !== null) return { ...journal, spawned, record };
  }
  return null;
}
