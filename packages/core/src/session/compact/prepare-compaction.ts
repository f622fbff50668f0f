import type { CompactRequest } from '../../compaction/compaction.ts';
import { messageOfError } from '../../errors.ts';
import type { Ulid } from '../../units.ts';
import { runHook, type SessionRuntime, turnIdOf } from '../session-runtime.ts';
import { type CompactJob, compactFacts } from './compact-outcome.ts';

/**
 * Lets plugins save what is about to leave the prompt. A background or manual compaction waits for them; one that stands
 * in front of a model call does not: they go on beside it, with the request as it was.
 *
 * @returns True when another compaction was committed while this one waited: then what was asked for has been done.
 */
export async function prepareCompaction(
  runtime: SessionRuntime,
  request: CompactRequest,
  options: CompactJob,
): Promise<boolean> {
  const { hooks, turns, detached, activity, events } = runtime;
  if (!hooks.isUsed('beforeCompact')) return false;
  const { trigger, draft } = request;
  if (trigger === 'background' || trigger === 'manual') {
    const before = newestCompaction(runtime);
    await runHook(runtime, { hook: 'beforeCompact', value: request }, compactFacts(options, draft));
    return trigger === 'background' && newestCompaction(runtime) !== before;
  }
  const turn = { id: turnIdOf(runtime), kind: turns.current()?.kind ?? ('user' as const) };
  detached.begin(
    (signal) =>
      activity.during('what plugins save before a compaction', () =>
        runHook(runtime, { hook: 'beforeCompact', value: request }, compactFacts({ ...options, turn, signal }, draft)),
      ),
    {
      onError: (error) =>
        events.emit('warning', { text: `What plugins save before a compaction failed: ${messageOfError(error)}` }),
    },
  );
  return false;
}

function newestCompaction({ journal }: SessionRuntime): Ulid | null {
  return journal.folded().compaction?.id ?? null;
}
