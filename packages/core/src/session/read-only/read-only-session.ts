import type { Session } from '../session.ts';
import { readOnlyError } from './read-only-journal.ts';

/**
 * A session that is only looked at. What would append throws before any plugin runs; a prompt is always a dry run, and
 * the tools of plugins are there to be counted and not to be run. Of commands, core's own that only look are answered. Every way into the session is named here, so that a
 * new one is closed until somebody has said that it only looks.
 *
 * `refresh` reads what others have appended. What is asked for with a promise, or read to its end, is answered from the
 * journal as it is then; `pressure`, `info`, `view` and `follow` answer at once, from what was read last.
 */
export function readOnlySession(session: Session, refresh: () => Promise<void>): Session {
  const refuse = async (): Promise<never> => {
    throw readOnlyError(session.sessionId);
  };
  const afterRefresh = async <Result>(look: () => Promise<Result>): Promise<Result> => {
    await refresh();
    return look();
  };
  const tools = session.tools().map((tool) => Object.freeze({ ...tool, execute: refuse }));
  return {
    sessionId: session.sessionId,
    view: session.view,
    info: session.info,
    pressure: session.pressure,
    read: session.read,
    follow: session.follow,
    health: session.health,
    close: session.close,
    [Symbol.asyncDispose]: session[Symbol.asyncDispose],
    tools: () => tools,
    assemble: (options) => afterRefresh(() => session.assemble({ ...options, dryRun: true })),
    plan: (trigger, options) => afterRefresh(() => session.plan(trigger, options)),
    command: (text, options) => afterRefresh(() => session.command(text, options)),
    explain: (query) => afterRefresh(() => session.explain(query)),
    expand: async function* expand(compactionId) {
      await refresh();
      yield* session.expand(compactionId);
    },
    abort: session.abort,
    ingest: refuse,
    commit: refuse,
    compact: refuse,
    turn: refuse,
    undo: refuse,
    moveHead: refuse,
    forget: refuse,
    set: refuse,
    setState: refuse,
    record: refuse,
  };
}
