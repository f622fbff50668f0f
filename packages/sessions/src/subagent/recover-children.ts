import { parseKey, type SessionRecord } from '@varve/core';
import { messageOfError } from '@varve/core/host';
import { type FoundChild, findJournal, readJournal } from '../child-journal/find-journal.ts';
import { beginningMs, removeRunning, runningChildren } from '../child-journal/running-slot.ts';
import { archiveGeneration } from '../generation/archive-generation.ts';
import { walkRecords } from '../listing/walk-records.ts';
import type { Child } from './child.ts';
import { childOf, resumeChild } from './known-child.ts';
import { finish } from './settle-child.ts';
import { startChild } from './start-child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** What became of the sub-agents of before a restart. */
export interface Recovery {
  /** Keys of those whose end was brought to their parent. */
  readonly delivered: readonly string[];
  /** Of those that go on. */
  readonly resumed: readonly string[];
  /** Of those that had not ended and do not go on: they are told as failed. */
  readonly interrupted: readonly string[];
  /** Of those whose beginning was cut short: they are archived. */
  readonly removed: readonly string[];
  /** Of those for which nothing could be done now, with the reason. Their ends are not lost. */
  readonly waiting: readonly { readonly childKey: string; readonly why: string }[];
}

type Found = { -readonly [Name in keyof Recovery]: Recovery[Name][number][] };

/**
 * Looks through all sub-agents that are not archived: brings ends to parents that do not have them, and goes on with what
 * had not ended. Resolves when each was tried; what could not be done then is tried again as long as the process runs.
 */
export async function recoverChildren(world: SubagentWorld): Promise<Recovery> {
  const found: Found = { delivered: [], resumed: [], interrupted: [], removed: [], waiting: [] };
  const tried: Promise<void>[] = [];
  const { host, children } = world;
  for await (const record of walkRecords(host.sessions, { text: ':subagent:', state: 'open' })) {
    const childKey = record.key ?? '';
    if (!isSubagentKey(childKey) || children.get(childKey) !== null) continue;
    try {
      const child = await recoverOne(world, record, found);
      if (child !== null) tried.push(notedWhenTried(child, found));
    } catch (error) {
      found.waiting.push({ childKey, why: messageOfError(error) });
    }
  }
  await Promise.all(tried);
  for (const { keyText } of world.live.states()) await bringHome(world, keyText);
  return found;
}

/** Gives the child when its end is on its way to its parent. */
async function recoverOne(world: SubagentWorld, record: SessionRecord, found: Found): Promise<Child | null> {
  const childKey = record.key ?? '';
  const { spawned, ...journal } = await readJournal(world, record.sessionId);
  if (spawned === null) {
    if (isHalfBegun(record)) {
      await archiveGeneration(world, record, { reason: 'subagent-cut-short' });
      found.removed.push(childKey);
    }
    return null;
  }
  const whole: FoundChild = { ...journal, spawned, record };
  if (journal.isDelivered) {
    if (spawned.cleanup === 'delete') await finish(world, childOf(whole));
    return null;
  }
  if (journal.ended !== null) return settleFound(world, whole);
  const { goesOn } = await resumeChild(world, whole);
  if (goesOn) found.resumed.push(childKey);
  else found.interrupted.push(childKey);
  return null;
}

/** Brings an end home that was found. */
function settleFound(world: SubagentWorld, found: FoundChild): Child {
  const { childKey } = found.spawned;
  const racing = world.children.get(childKey);
  if (racing !== null) return racing;
  const child = childOf(found);
  child.isAnnounced = !found.isDelivered;
  world.children.add(child);
  startChild(world, child, { found: found.ended ?? undefined });
  return child;
}

async function notedWhenTried(child: Child, found: Found): Promise<void> {
  await child.tried.promise;
  const { childKey } = child.record;
  const isThere = child.isDelivered && (await child.delivered.promise) === 'delivered';
  if (isThere) found.delivered.push(childKey);
  else found.waiting.push({ childKey, why: 'Its parent could not be told yet.' });
}

/**
 * Does for a conversation that was just woken what is left to do: ends that wait for it come in, and what is not at work
 * any more is not shown as if it were.
 */
export async function bringHome(world: SubagentWorld, parentKey: string): Promise<void> {
  const session = world.live.awake(parentKey);
  if (session === null) return;
  for (const { key, since } of runningChildren(session)) {
    const here = world.children.get(key);
    if (here?.record.parentKey === parentKey) continue;
    const found = await findJournal(world, key);
    const worksFor = here?.record.parentKey ?? found?.spawned.parentKey ?? parentKey;
    // A copy of the slot, as a fork has it: its end is told elsewhere.
    if (worksFor !== parentKey) await world.live.use(parentKey, (current) => removeRunning(current, key));
    else if (found?.ended != null) await settleFound(world, found).tried.promise;
    else if (found === null && world.children.get(key) === null && world.clock.now() - since > beginningMs) {
      await world.live.use(parentKey, (current) => removeRunning(current, key));
    }
  }
}

function isSubagentKey(keyText: string): boolean {
  try {
    return parseKey(keyText).kind === 'subagent';
  } catch {
    return false;
  }
}

/** Whether a session without a record of its task is one whose beginning was cut short, and not somebody else's. */
function isHalfBegun({ parentSessionKey, counters, forkedFrom, currentSince }: SessionRecord): boolean {
  if (parentSessionKey === null) return false;
  return counters.messages === 0 || (forkedFrom !== null && currentSince === null);
}
