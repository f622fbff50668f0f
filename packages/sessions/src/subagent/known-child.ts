import { childRecords } from '../child-journal/child-records.ts';
import { type FoundChild, findJournal } from '../child-journal/find-journal.ts';
import { type Child, createChild } from './child.ts';
import { inGeneration } from './in-generation.ts';
import type { Outcome } from './run-child.ts';
import type { ChildEnd, Spawned } from './spawn-options.ts';
import { spawnedOf } from './spawned-of.ts';
import { startChild } from './start-child.ts';
import { stopChild } from './stop-children.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** One that goes on so often after a restart is taken for what ends the process. */
const mostResumes = 3;

const interrupted: Outcome = { status: 'failed', text: 'It was interrupted: the process ended while it worked.' };

/** Makes the sub-agent of a journal known to this process. */
export function childOf({ spawned, record }: FoundChild): Child {
  const child = createChild(spawned, record.agentId);
  child.sessionId = record.sessionId;
  child.begun.resolve();
  return child;
}

/**
 * Goes on with a sub-agent of before a restart, or ends it. Its journal is written to first, so that nobody goes on with
 * one that another process has.
 *
 * @throws VARVE_STORE_LOCKED  when another process has it.
 */
export async function resumeChild(world: SubagentWorld, found: FoundChild, given?: Outcome): Promise<Child> {
  const racing = world.children.get(found.spawned.childKey);
  if (racing !== null) return racing;
  const child = childOf(found);
  const { childKey } = found.spawned;
  world.children.add(child);
  const times = found.resumes + 1;
  try {
    await inGeneration(world, { keyText: childKey, sessionId: found.record.sessionId }, (session) =>
      session.record(childRecords.resumed, { childKey, times }),
    );
  } catch (error) {
    world.children.remove(child);
    child.ended.reject(error);
    child.delivered.resolve('waiting');
    throw error;
  }
  const { rules, models } = world;
  const isOver = rules.onRestart === 'fail' || models === null || times > mostResumes;
  const outcome = given ?? (isOver ? interrupted : undefined);
  child.goesOn = outcome === undefined;
  startChild(world, child, { outcome });
  return child;
}

/** The sub-agent of a key, whether or not this process has it: one that had not ended goes on. `null` for none. */
export async function knownChild(world: SubagentWorld, childKey: string): Promise<Spawned | null> {
  const here = world.children.get(childKey);
  if (here !== null) return spawnedOf(here);
  const found = await findJournal(world, childKey);
  if (found === null) return null;
  const { spawned, ended, record } = found;
  if (ended === null) return spawnedOf(await resumeChild(world, found));
  return { childKey, sessionId: record.sessionId, spawnId: spawned.spawnId, ended: Promise.resolve(ended) };
}

/** Ends a sub-agent, wherever it is. Gives its end, which it may have come to before; `null` when there is none of that key. */
export async function stopByKey(world: SubagentWorld, childKey: string): Promise<ChildEnd | null> {
  const here = world.children.get(childKey);
  if (here !== null) {
    stopChild(world, here);
    return here.ended.promise;
  }
  const found = await findJournal(world, childKey);
  if (found === null || found.ended !== null) return found?.ended ?? null;
  const child = await resumeChild(world, found, { status: 'stopped', text: 'It had not answered by then.' });
  return child.ended.promise;
}
