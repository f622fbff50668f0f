import { canonicalKey, formatKey, type SessionRecord, VarveError } from '@varve/core';
import type { OpenedSessions } from './open-sessions.ts';
import { shortId } from './short-id.ts';

/** What records are looked for in. */
type Lookup = Pick<OpenedSessions, 'root' | 'host' | 'sessions'>;

/** Shorter beginnings of an id are not taken for it. */
const shortestBeginning = 4;

/** More names than this would only fill the screen. */
const mostNames = 20;

/** Of so many sessions a beginning of an id is compared with, the ones that were updated last. */
const mostCompared = 1_000;

/**
 * The session that somebody names: by its id, or the beginning of one that no other has, or by the key of its
 * conversation, also in the forms of other systems, or by its name in `varve chat`; of a conversation it is the current
 * generation, else the last one.
 *
 * @throws VARVE_STORE_MISSING  when there is none of that name.
 */
export async function resolveSession(lookup: Lookup, name: string): Promise<SessionRecord> {
  const { host, root } = lookup;
  const found =
    (await host.sessions.get(name)) ??
    (await byKey(lookup, name)) ??
    (await byKey(lookup, canonicalText(name))) ??
    (await byChatName(lookup, name)) ??
    (await byBeginning(lookup, name));
  if (found !== null) return found;
  const names = await namesThere(lookup);
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

/** What `varve chat <name>` talks in, of whichever agent; `null` where several have one of that name. */
async function byChatName(lookup: Lookup, name: string): Promise<SessionRecord | null> {
  if (name === '' || name.includes(':')) return null;
  const ending = `:terminal:direct:${name.toLowerCase()}`;
  const records = await lookup.host.sessions.list({ text: ending, limit: mostCompared });
  const keys = new Set(records.flatMap(({ key }) => (key?.toLowerCase().endsWith(ending) === true ? [key] : [])));
  const [only = null, ...others] = keys;
  return others.length === 0 ? byKey(lookup, only) : null;
}

/** Keys of conversations, and ids of what has none: `"a", "b" and more`; `null` when there are none. */
async function namesThere({ host }: Lookup): Promise<string | null> {
  const records = await host.sessions.list({ limit: mostCompared });
  const names = [...new Set(records.map(({ key, sessionId }) => key ?? shortId(sessionId)))].sort();
  if (names.length === 0) return null;
  const shown = names.slice(0, mostNames).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return `${shown.join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
}

async function byBeginning({ host }: Lookup, name: string): Promise<SessionRecord | null> {
  if (name.length < shortestBeginning) return null;
  const records = await host.sessions.list({ text: name, limit: mostCompared });
  const [only = null, ...others] = records.filter(({ sessionId }) => sessionId.startsWith(name));
  return others.length === 0 ? only : null;
}
