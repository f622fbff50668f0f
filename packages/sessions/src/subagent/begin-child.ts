import { type JsonValue, type Session, type Ulid, VarveError } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { childRecords, readChild, type SpawnedRecord } from '../child-journal/child-records.ts';
import { runningSlot } from '../child-journal/running-slot.ts';
import { archiveGeneration } from '../generation/archive-generation.ts';
import { type GenerationNames, makeCurrent } from '../generation/begin-generation.ts';
import { eventBaseOf } from '../generation/session-events.ts';
import type { Child } from './child.ts';
import { giveTask } from './run-child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** What a sub-agent begins with beside its record. */
export interface ChildBeginning {
  readonly parent: Session;
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** The last entry of the parent that a fork has; `undefined` for all that is stored. */
  readonly at: Ulid | undefined;
}

/**
 * Begins the conversation of a sub-agent: what it is for stands in its journal before its first message. Gives the record
 * as it is, which may say `isolated` for a fork that was too large.
 *
 * @throws VARVE_FORK_TOO_LARGE, VARVE_INGEST_REFUSED, VARVE_STORE_IO; what there is of it is to be taken back then.
 */
export async function beginChild(
  world: SubagentWorld,
  child: Child,
  beginning: ChildBeginning,
): Promise<SpawnedRecord> {
  const record = child.record.mode === 'fork' ? await tryFork(world, child, beginning) : null;
  if (record !== null) return record;
  const isolated: SpawnedRecord = { ...child.record, mode: 'isolated' };
  const names = { ...namesOf(child), settings: beginning.settings };
  await world.live.use(isolated.childKey, (session) => told(session, { world, child, record: isolated }), names);
  return isolated;
}

/** Begins it with the parent's history; `null` when that is too large and it is to begin without. */
async function tryFork(world: SubagentWorld, child: Child, beginning: ChildBeginning): Promise<SpawnedRecord | null> {
  const { live, host, rules, randomId, clock } = world;
  const { parent, settings, at } = beginning;
  const { record } = child;
  try {
    return await live.change(record.childKey, async (hands) => {
      const known = await hands.current();
      if (known !== null) return told(known, { world, child, record });
      const session = await host.fork(parent.sessionId, {
        ...namesOf(child),
        key: record.childKey,
        newSessionId: randomId(),
        mostTokens: rules.forkTokens,
        settings,
        state: { [runningSlot]: null },
        ...(at === undefined ? {} : { at }),
      });
      hands.keep(session);
      await told(session, { world, child, record });
      await makeCurrent(world, { sessionId: session.sessionId, previous: null, now: clock.now() });
      return record;
    });
  } catch (error) {
    if (rules.whenForkTooLarge === 'isolate' && VarveError.is(error, 'VARVE_FORK_TOO_LARGE')) return null;
    throw error;
  }
}

function namesOf({ record, agentId }: Child): GenerationNames {
  return { agentId, parentSessionKey: record.parentKey, label: record.label };
}

async function told(
  session: Session,
  { world, child, record }: { readonly world: SubagentWorld; readonly child: Child; readonly record: SpawnedRecord },
): Promise<SpawnedRecord> {
  child.sessionId = session.sessionId;
  const { returnTo } = record;
  const spawned = { ...record, returnTo: returnTo === null ? null : { ...returnTo } };
  if (readChild(session).spawned === null) await session.record(childRecords.spawned, spawned);
  await giveTask(session, { record });
  const { spawnId, mode } = record;
  emitEvent(world.host, 'subagent-spawned', { ...eventBaseOf(session.info()), spawnId, mode });
  return record;
}

/** Takes back what there is of a sub-agent that did not begin: it is in no list of what is open. */
export async function takeBackChild({ live, host, generations }: SubagentWorld, childKey: string): Promise<void> {
  await live.alone(childKey, async () => {
    for (const record of await generations.all(childKey)) {
      await archiveGeneration({ host }, record, { reason: 'subagent-taken-back', wasNever: true });
    }
  });
}
