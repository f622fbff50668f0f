import { type Milliseconds, type Session, VarveError } from '@varve/core';
import type { EndedRecord } from '../child-journal/child-records.ts';
import { removeRunning } from '../child-journal/running-slot.ts';
import type { Child } from './child.ts';
import { endText } from './child-texts.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** Which generations of a parent can hold the end of a sub-agent: what was last written to a day before its beginning cannot. */
const slackMs: Milliseconds = 24 * 3_600_000;

/** The end of a sub-agent, on its way to the parent. */
export interface Delivery {
  readonly child: Child;
  readonly ended: EndedRecord;
  /** It may have been delivered before: the parent's journals are looked through. */
  readonly looksBack: boolean;
}

/**
 * Puts the end of a sub-agent into the parent's current generation, and takes the sub-agent out of the slot of those that
 * run. The key of the message is the completion id, which a journal takes once; what an earlier generation holds, or what
 * was rewound, is not delivered again.
 *
 * @returns the generation that has it, and whether it has it from here; `null` for a parent that has none at present: its
 *   end waits.
 */
export async function deliverEnd(
  world: SubagentWorld,
  delivery: Delivery,
): Promise<{ readonly sessionId: string; readonly isNew: boolean } | null> {
  const { parentKey, childKey } = delivery.child.record;
  // A parent that was archived is not begun anew for this.
  if ((await world.generations.current(parentKey)) === null) return null;
  // A parent that works itself waits for this within a use of its key.
  const enter = world.children.get(parentKey) === null ? world.live.use : world.live.join;
  return enter(parentKey, async (session) => {
    const known = delivery.looksBack ? await generationWith(world, delivery) : null;
    if (known === null) await tell(session, delivery);
    await removeRunning(session, childKey);
    return { sessionId: known ?? session.sessionId, isNew: known === null };
  });
}

async function tell(session: Session, { child, ended }: Delivery): Promise<void> {
  const { record } = child;
  const { completionId } = ended;
  const provenance = { kind: 'subagent', completionId, sessionKey: record.childKey } as const;
  const ingest = (shown: EndedRecord) =>
    session.ingest({ role: 'user', content: endText(record, shown) }, { key: completionId, provenance });
  try {
    await ingest(ended);
  } catch (error) {
    // A plugin may refuse the words; that the sub-agent has ended is not its to decide.
    if (!VarveError.is(error, 'VARVE_INGEST_REFUSED')) throw error;
    await ingest({ ...ended, text: `Its words are not shown: ${error.message}` });
  }
}

/** The generation of the parent that was told already, on whatever branch; `null` for none. */
async function generationWith(
  { host, generations }: SubagentWorld,
  { child, ended }: Delivery,
): Promise<string | null> {
  const { parentKey, at } = child.record;
  for (const { sessionId, updatedAt } of await generations.all(parentKey)) {
    if (updatedAt < at - slackMs) continue;
    const session = await host.open(sessionId, { readOnly: true });
    try {
      for await (const entry of session.read()) {
        if (entry.type === 'message' && entry.key === ended.completionId) return sessionId;
      }
    } finally {
      await session.close();
    }
  }
  return null;
}
