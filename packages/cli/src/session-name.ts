import { basename } from 'node:path';
import { type Store, VarveError } from '@varve/core';

/** Longest name that is taken from a file; more is only hard to type. */
const longestName = 100;

/** The session that a transcript is replayed into: named as its file, with the number of its conversation. */
export function sessionNameOf(file: string, item: number | null): string {
  const name = basename(file).replace(/\.(jsonl|ndjson|json|traj|txt)$/i, '');
  // Control characters would garble what is printed.
  const readable = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '_').slice(0, longestName) || 'transcript';
  return item === null ? readable : `${readable}.${item}`;
}

/** The name, with a number behind it when the store holds a session of that name: nothing is replayed into another. */
export async function freeSessionName(store: Store, name: string): Promise<string> {
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? name : `${name}~${copy}`;
    if (!(await holds(store, candidate))) return candidate;
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
