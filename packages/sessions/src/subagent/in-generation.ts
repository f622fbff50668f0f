import type { Session } from '@varve/core';
import type { SubagentWorld } from './subagent-parts.ts';

/**
 * Works with one generation of a conversation, whether or not it is the current one: a sub-agent whose conversation was
 * reset or archived still has an end to be told.
 */
export async function inGeneration<Result>(
  { live, generations, host }: Pick<SubagentWorld, 'live' | 'generations' | 'host'>,
  { keyText, sessionId }: { readonly keyText: string; readonly sessionId: string },
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const current = await generations.current(keyText);
  if (current?.sessionId === sessionId) {
    const done = await live.use(keyText, async (session) =>
      session.sessionId === sessionId ? { result: await work(session) } : null,
    );
    if (done !== null) return done.result;
  }
  return live.alone(keyText, async () => {
    const session = await host.open(sessionId);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  });
}
