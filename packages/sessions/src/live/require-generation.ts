import { type Host, type SessionRecord, VarveError } from '@varve/core';

/** The record of a generation of a key. @throws VARVE_SESSION_UNKNOWN */
export async function requireGeneration(
  { host }: { readonly host: Host },
  { keyText, sessionId }: { readonly keyText: string; readonly sessionId: string },
): Promise<SessionRecord> {
  const record = await host.sessions.get(sessionId);
  if (record?.key !== keyText) throw unknownGeneration(keyText, sessionId);
  return record;
}

/** Says that a key has no such generation. @param sessionId  `null` for the current one */
export function unknownGeneration(keyText: string, sessionId: string | null): VarveError {
  const what = sessionId === null ? 'current generation' : `generation "${sessionId}"`;
  return new VarveError('VARVE_SESSION_UNKNOWN', `The conversation "${keyText}" has no ${what}.`, {
    fix: 'List the generations of the key, and name one of them.',
    details: { keyText, sessionId },
  });
}
