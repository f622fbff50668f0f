import type { OpenedSessions } from '../../store/open-sessions.ts';

/**
 * Gives an imported session its place among the generations of its key: it is the current one where the conversation
 * does not go on here already, else an earlier one, in the archive.
 */
export async function placeSession(
  { host, sessions }: OpenedSessions,
  { sessionId, key }: { readonly sessionId: string; readonly key: string | null },
): Promise<void> {
  const record = key === null ? null : await host.sessions.get(sessionId);
  if (record === null || key === null) return;
  const others = (await sessions.generations(key)).filter((other) => other.sessionId !== sessionId);
  const current = others.find(({ state, currentSince, counters }) => {
    return state === 'open' && (currentSince !== null || counters.messages > 0);
  });
  if (current === undefined) {
    await host.sessions.patch(sessionId, { currentSince: record.createdAt });
    return;
  }
  const before = (current.currentSince ?? current.createdAt) - 1;
  await host.sessions.patch(sessionId, { state: 'archived', currentSince: Math.min(record.createdAt, before) });
}
