import { canonicalKey, formatKey, type Host, type SessionRecord, VarveError } from '@varve/core';
import type { Sessions } from '@varve/sessions';

/** Where sessions are looked for. */
interface Lookup {
  readonly host: Pick<Host, 'sessions'>;
  readonly sessions: Pick<Sessions, 'current' | 'generations'>;
}

/**
 * The session that a path names: by its id, or by the key of its conversation, also in the forms of other systems; of a
 * conversation it is the current generation, else the last one.
 *
 * @throws VARVE_SESSION_UNKNOWN  when there is none.
 */
export async function resolveSession({ host, sessions }: Lookup, name: string): Promise<SessionRecord> {
  const record = await host.sessions.get(name);
  if (record !== null) return record;
  const key = keyNamed(name);
  if (key !== null) {
    const current = await sessions.current(key);
    if (current !== null) return current;
    const [last] = await sessions.generations(key);
    if (last !== undefined) return last;
  }
  throw new VarveError('VARVE_SESSION_UNKNOWN', 'There is no session of that id or key.', {
    fix: 'Ask for one that GET /v1/sessions lists.',
  });
}

/**
 * The key of a conversation that a path names, whether or not it has begun: the key itself, or the id of one of its
 * generations.
 *
 * @throws VARVE_KEY_INVALID  for what is neither.
 */
export async function resolveKey({ host }: Pick<Lookup, 'host'>, name: string): Promise<string> {
  const record = await host.sessions.get(name);
  const key = record === null ? keyNamed(name) : record.key;
  if (key !== null) return key;
  throw new VarveError('VARVE_KEY_INVALID', 'That names no conversation.', {
    fix: 'Give a key such as agent:main:main, percent-encoded.',
  });
}

function keyNamed(name: string): string | null {
  try {
    return formatKey(canonicalKey(name));
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}
