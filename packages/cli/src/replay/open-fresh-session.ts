import { type Host, type Session, type Store, VarveError } from '@varve/core';

/**
 * Begins a session of that name, with a number behind it when the store holds one of that name, or when another process
 * begins it at this moment: nothing is ever replayed into a journal of somebody else.
 */
export async function openFreshSession(
  { host, store }: { readonly host: Host; readonly store: Store },
  name: string,
): Promise<Session> {
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? name : `${name}~${copy}`;
    if (await holds(store, candidate)) continue;
    const session = await openUnlocked(host, candidate);
    if (session === null) continue;
    // Another process may have begun and ended it since it was looked for.
    if (await isEmpty(session)) return session;
    await session.close();
  }
}

async function holds(store: Store, sessionId: string): Promise<boolean> {
  try {
    const journal = await store.open(sessionId, { readOnly: true });
    await journal.close();
    return true;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return false;
    throw error;
  }
}

/** `null` while another process writes to it. */
async function openUnlocked(host: Host, name: string): Promise<Session | null> {
  try {
    return await host.open(name);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_LOCKED')) return null;
    throw error;
  }
}

async function isEmpty(session: Session): Promise<boolean> {
  for await (const _ of session.read()) return false;
  return true;
}
