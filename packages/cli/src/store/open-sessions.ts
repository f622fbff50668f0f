import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, type Host, type HostOptions, type Store, VarveError } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { sessionsOptionsOf } from '@varve/sessions/config';
import { jsonlStore } from '@varve/stores/jsonl';
import type { OpenedConfig } from '../config/open-config.ts';

/** The sessions of a folder, ready to be worked with. Disposing of it closes what was opened. */
export interface OpenedSessions extends AsyncDisposable {
  readonly root: string;
  readonly store: Store;
  readonly host: Host;
  readonly sessions: Sessions;
}

/** Whether a store was ever made in a folder. */
export function hasStore(root: string): boolean {
  return existsSync(join(root, 'agents'));
}

/**
 * Opens the sessions of the store that a command works on, as its configuration says: what a reset carries over, how
 * deep sub-agents go. Nothing is locked, read or made before it is asked for.
 *
 * @throws VARVE_STORE_MISSING  when there is no store, unless one is to be made.
 */
export async function openSessions(
  { root, loaded }: OpenedConfig,
  options: Omit<HostOptions, 'store'> & { readonly make?: boolean } = {},
): Promise<OpenedSessions> {
  const { make = false, ...hostOptions } = options;
  if (!make && !hasStore(root)) {
    throw new VarveError('VARVE_STORE_MISSING', `There is no store in "${root}".`, {
      fix: 'Give the folder of a store with --root, or in VARVE_HOME.',
      details: { root },
    });
  }
  const store = jsonlStore({ root });
  const host = await createHost({ ...hostOptions, store });
  const sessions = createSessions({ ...sessionsOptionsOf(loaded?.config ?? {}), host });
  const close = async (): Promise<void> => {
    await sessions.close();
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  return { root, store, host, sessions, [Symbol.asyncDispose]: close };
}
