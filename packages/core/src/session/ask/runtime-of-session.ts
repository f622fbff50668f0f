import { VarveError } from '../../errors.ts';
import type { Session } from '../session.ts';
import type { SessionRuntime } from '../session-runtime.ts';

const runtimes = new WeakMap<object, SessionRuntime>();

/** Remembers what a session works with, for what runs hooks around it. */
export function rememberRuntime(session: Session, runtime: SessionRuntime): void {
  runtimes.set(session, runtime);
}

/**
 * What a session works with.
 *
 * @throws VARVE_OPTION_INVALID  for something that no host of this copy of core has opened.
 */
export function runtimeOfSession(session: Session): SessionRuntime {
  const runtime = typeof session === 'object' && session !== null ? runtimes.get(session) : undefined;
  if (runtime !== undefined) return runtime;
  throw new VarveError('VARVE_OPTION_INVALID', 'That is no session of a host of this copy of @varve/core.', {
    fix: 'Give what host.open returned; npm ls @varve/core shows whether there are two copies.',
  });
}
