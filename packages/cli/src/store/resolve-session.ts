import { canonicalKey, formatKey, type SessionRecord, VarveError } from '@varve/core';
import { sessionNames } from './list-sessions.ts';
import type { OpenedSessions } from './open-sessions.ts';

/** What records are looked for in. */
type Lookup = Pick<OpenedSessions, 'root' | 'host' | 'sessions'>;

/** Shorter beginnings of an id are not taken for it. */
const shortestBeginning = 4;

/** Of so many sessions a beginning of an id is compared with, the ones that were updated last. */
const mostCompared = 1_000;

/**
 * The session that somebody names: by its id, or the beginning of one that no other has, or by the key of its
 * conversation, also in the forms of other systems; of a conversation it is the current generation, else the last one.
 *
 * @throws VARVE_STORE_MISSING  when there is none of that name.
 */
export async function resolveSession(lookup: Lookup, name: string): Promise<SessionRecord> {
  const { host, root } = lookup;
  const found =
    (await host.sessions.get(name)) ??
    (await byKey(lookup, name)) ??
    (await byKey(lookup, canonicalText(name))) ??
    (await byBeginning(lookup, name));
  if (found !== null) return found;
  const names = await sessionNames(root);
  const fix = names === null ? `There is none in "${root}".` : `Name one of the sessions that are there: ${names}.`;
  throw new VarveError('VARVE_STORE_MISSING', `There is no session "${name}" in "${root}".`, { fix });
}

async function byKey({ sessions }: Lookup, key: string | null): Promise<SessionRecord | null> {
  if (key === null) return null;
  const current = await sessions.current(key);
  if (current !== null) return current;
  const [last = null] = await sessions.generations(key);
  return last;
}

function canonicalText(name: string): string | null {
  try {
    return formatKey(canonicalKey(name));
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}

async function byBeginning({ host }: Lookup, name: string): Promise<SessionRecord | null> {
  if (name.length < shortestBeginning) return null;
  const records = await host.sessions.list({ text: name, limit: mostCompared });
  const [only = null, ...others] = records.filter(({ sessionId }) => sessionId.startsWith(name));
  return others.length === 0 ? only : null;
}
