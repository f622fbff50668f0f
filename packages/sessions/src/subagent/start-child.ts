import { VarveError } from '@varve/core';
import type { EndedRecord } from '../child-journal/child-records.ts';
import type { Child } from './child.ts';
import { warnOf } from './child-events.ts';
import { type Outcome, runChild } from './run-child.ts';
import { settleChild } from './settle-child.ts';
import { stopChild, stopChildrenOf } from './stop-children.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** What is known of a sub-agent that is started. */
export interface StartOptions {
  /** Ends it. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The end that was found; it does not work any more then. @default it works */
  readonly found?: EndedRecord | undefined;
  /** How it went, for one that is not to go on. @default it goes on */
  readonly outcome?: Outcome | undefined;
}

/** Lets a sub-agent work, and brings its end home, beside everything else. It is among the children until that is done. */
export function startChild(world: SubagentWorld, child: Child, options: StartOptions = {}): void {
  const { children, closing } = world;
  const unlink = linkTo(options.signal, () => stopChild(world, child));
  const end = (): void => child.controller.abort(closing.reason);
  closing.addEventListener('abort', end, { once: true });
  if (closing.aborted) end();
  child.work = workAndSettle(world, child, options)
    .catch((error: unknown) => {
      child.ended.reject(closedError(error));
      if (closing.aborted || VarveError.is(error, 'VARVE_SESSION_CLOSED')) return;
      warnOf(world, child, 'Nobody goes on with it')(error);
    })
    .finally(() => {
      unlink();
      closing.removeEventListener('abort', end);
      children.remove(child);
      child.delivered.resolve('waiting');
      child.tried.resolve();
    });
}

async function workAndSettle(world: SubagentWorld, child: Child, { found, outcome }: StartOptions): Promise<void> {
  const ended = found ?? (await runChild(world, child, outcome));
  child.hasEnded = true;
  const { childKey, completionId, status, text } = ended;
  child.ended.resolve({ childKey, completionId, status, text });
  // Nobody waits for what its own sub-agents find out now.
  stopChildrenOf(world, childKey);
  await settleChild(world, child, { ended, isFound: found !== undefined });
}

function linkTo(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted === true) listener();
  signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
}

function closedError(cause: unknown): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The sessions were closed before the sub-agent had ended.', {
    fix: 'Call recover() after the next start: it goes on with it.',
    cause,
  });
}
