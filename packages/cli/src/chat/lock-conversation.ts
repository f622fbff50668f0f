import { VarveError } from '@varve/core';
import type { OpenTalk } from './open-talk.ts';

/**
 * Takes the conversation before anything is typed that could not be stored: another process may have it. One that is new
 * is begun with its first message.
 *
 * @throws VARVE_STORE_LOCKED
 */
export async function lockConversation({ sessions, keyText }: OpenTalk): Promise<void> {
  if ((await sessions.current(keyText)) === null) return;
  await sessions
    .use(keyText, async () => undefined)
    .catch((error: unknown) => {
      throw lockedError(error, keyText);
    });
}

/** What somebody can do about it at a terminal; any other error as it is. */
export function lockedError(error: unknown, keyText: string): unknown {
  if (!VarveError.is(error, 'VARVE_STORE_LOCKED')) return error;
  return new VarveError('VARVE_STORE_LOCKED', error.message, {
    fix: `Go on there, or watch it from here: varve sessions tail '${keyText}' --follow.`,
    cause: error,
  });
}
