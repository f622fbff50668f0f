import { agentOf, parseKey, VarveError } from '@varve/core';

/** The agent that a key names, whose journals its generations are kept with; `undefined` for a key that names none. */
export function agentOfKey(keyText: string): string | undefined {
  try {
    return agentOf(parseKey(keyText)) ?? undefined;
  } catch (error) {
    // A host may name conversations as it likes.
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return undefined;
    throw error;
  }
}
