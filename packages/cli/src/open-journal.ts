import { createHost, type Host, type Session, type Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';

/** A session that is only read. */
export interface ReadSession extends AsyncDisposable {
  readonly session: Session;
}

/** Opens a journal for reading: nothing is locked, nothing is made. @throws VARVE_STORE_MISSING */
export async function openJournal(root: string, sessionId: string): Promise<ReadSession> {
  const host: Host = await createHost({ store: readOnly(jsonlStore({ root })) });
  try {
    const session = await host.open(sessionId);
    return { session, [Symbol.asyncDispose]: () => host.close() };
  } catch (error) {
    await host.close();
    throw error;
  }
}

function readOnly(store: Store): Store {
  return {
    supports: store.supports,
    open: (sessionId) => store.open(sessionId, { readOnly: true }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
