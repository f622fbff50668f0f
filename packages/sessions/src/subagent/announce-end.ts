import { parseKey, VarveError } from '@varve/core';
import { completionIdOf } from '../child-journal/child-records.ts';
import { lastAddressOf } from '../egress/return-address.ts';
import type { Child } from './child.ts';
import { warnOf } from './child-events.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/**
 * Lets a parent answer what its sub-agent said, unless a turn that ran has seen it, and lets the answer leave as an
 * announcement, if the policies allow it. A parent that is a sub-agent answers by itself.
 *
 * @throws VARVE_ABORTED, VARVE_SESSION_CLOSED  when the sessions are closed first. Whatever else fails is told, and left:
 *   the end stands in the conversation, and its next turn answers it.
 */
export async function announceEnd(world: SubagentWorld, child: Child): Promise<void> {
  const { rules, models, closing } = world;
  if (!rules.announces || !child.isAnnounced || models === null) return;
  if (parseKey(child.record.parentKey).kind === 'subagent') return;
  const warn = warnOf(world, child, 'Its end could not be announced');
  try {
    await answerAndLeave(world, child);
  } catch (error) {
    if (closing.aborted || VarveError.is(error, 'VARVE_SESSION_CLOSED')) throw error;
    warn(error);
  }
}

async function answerAndLeave(world: SubagentWorld, child: Child): Promise<void> {
  const { live, generations, egress, closing } = world;
  const { parentKey, childKey, returnTo } = child.record;
  if ((await generations.current(parentKey)) === null) return;
  await world.sayUnasked(parentKey, (latest) =>
    live.use(parentKey, async (session) => {
      const { turn } = await world.turns.take(session, { kind: 'internal', signal: closing });
      if (turn.status === 'aborted' && closing.aborted) throw closedError();
      if (turn.steps.length === 0 || turn.text.trim() === '') return;
      const provenance = { kind: 'subagent', completionId: completionIdOf(childKey), sessionKey: childKey } as const;
      const { text } = turn;
      // Whoever has written since need not be who asked: several people may share a conversation.
      const to = returnTo ?? lastAddressOf(session.view);
      const leaving = { kind: 'announcement', text, provenance, ...(to === null ? {} : { to }) } as const;
      const left = await egress.leave(session, leaving);
      const atSeq = session.info().counters.countedSeq;
      // A message that came meanwhile may be answered by it, too.
      latest.is({ sessionId: session.sessionId, atSeq, text, left, to: to === null ? [] : [to] });
      if (left.failure !== null) throw left.failure;
    }),
  );
}

function closedError(): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The sessions were closed before an end was announced.', {
    fix: 'Call recover() after the next start.',
  });
}
