import { emitEvent } from '@varve/core/host';
import { childRecords, type EndedRecord, readChild } from '../child-journal/child-records.ts';
import { putAway } from '../generation/begin-generation.ts';
import { announceEnd } from './announce-end.ts';
import type { Child } from './child.ts';
import { baseOfChild, warnOf } from './child-events.ts';
import { deliverEnd } from './deliver-end.ts';
import { inGeneration } from './in-generation.ts';
import { placeOf } from './run-child.ts';
import type { SubagentWorld } from './subagent-parts.ts';
import { tryUntilDone } from './try-until-done.ts';

/** The end of a sub-agent, durable, and whether this process made it so. */
interface Settling {
  readonly ended: EndedRecord;
  /** Found after a restart: the parent may have been told. */
  readonly isFound: boolean;
}

/**
 * Brings the end of a sub-agent home: to the parent, from there to people when the parent is idle, and then notes that it
 * is done. A crash between any two of these is repaired by doing all of them again: the first and the second find that
 * they were done.
 *
 * @throws VARVE_ABORTED, VARVE_SESSION_CLOSED  when the sessions are closed first.
 */
export async function settleChild(world: SubagentWorld, child: Child, { ended, isFound }: Settling): Promise<void> {
  const { clock, closing, host } = world;
  const { completionId } = ended;
  const told = await tryUntilDone(
    (failures) => deliverEnd(world, { child, ended, looksBack: isFound || failures > 0 }),
    {
      ...{ clock, signal: closing },
      onFailure: (error) => {
        warnOf(world, child, 'Its end could not be delivered')(error);
        child.tried.resolve();
      },
    },
  );
  child.isDelivered = true;
  child.delivered.resolve(told === null ? 'waiting' : 'delivered');
  child.tried.resolve();
  if (told === null) return;
  if (told.isNew) {
    emitEvent(host, 'subagent-delivered', { ...baseOfChild(child), completionId, toSessionId: told.sessionId });
  }
  await announceEnd(world, child);
  await finish(world, child);
}

/** Notes that nothing is left to do, and puts the conversation away where that was asked for. */
export async function finish(world: SubagentWorld, child: Child): Promise<void> {
  const { clock, closing, host } = world;
  const { childKey, cleanup } = child.record;
  const place = placeOf(child);
  await tryUntilDone(
    async () => {
      await inGeneration(world, place, async (session) => {
        if (!readChild(session).isDelivered) await session.record(childRecords.delivered, { childKey });
      });
      if (cleanup !== 'delete') return;
      await world.live.alone(childKey, async () => {
        await putAway(world, await host.sessions.get(place.sessionId), 'subagent-done');
      });
    },
    { clock, signal: closing, onFailure: warnOf(world, child, 'It could not be put away') },
  );
}
