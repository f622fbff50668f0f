import { systemClock } from '@varve/core';
import type { OpenedSessions } from '../../store/open-sessions.ts';

/**
 * Gives an imported session its place among the generations of its key: it is the current one where there was none here
 * before, else an earlier one, in the archive. So what was forbidden in a conversation stays forbidden: whoever wants the
 * imported one back restores it, and that keeps it.
 */
export async function placeSession(
  { host, sessions }: OpenedSessions,
  { sessionId, key }: { readonly sessionId: string; readonly key: string | null },
): Promise<void> {
  const record = key === null ? null : await host.sessions.get(sessionId);
  if (record === null || key === null) return;
  const others = (await sessions.generations(key)).filter((other) => other.sessionId !== sessionId);
  const [last] = others;
  if (last === undefined) {
    await host.sessions.patch(sessionId, { currentSince: record.createdAt });
    return;
  }
  const before = (last.currentSince ?? last.createdAt) - 1;
  await host.sessions.patch(sessionId, { state: 'archived', currentSince: Math.min(record.createdAt, before) });
}

/**
 * Notes that a session came into the archive now, where it is in it: whatever time the conversation had, it was put away
 * today, and what is old enough to be deleted is counted from there. Called when the session is closed.
 */
export async function noteArchived({ store }: OpenedSessions, sessionId: string): Promise<void> {
  const record = await store.sessions.get(sessionId);
  if (record?.state !== 'archived') return;
  await store.sessions.put(sessionId, { updatedAt: systemClock.now() }, { expectedRev: record.rev });
}
