import { endInTime, endingDeadlineMs } from '../plugins/end-in-time.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** Lets go of the engine, stores what is pending, and ends what follows the session. */
export async function closeSession(runtime: SessionRuntime): Promise<void> {
  try {
    await disposeEngine(runtime);
  } finally {
    await runtime.journal.close().finally(() => runtime.feed.close());
  }
}

/** Aborts turns, compactions and what goes on beside them, and waits for their ends, but not for ever. */
export async function endWork(runtime: SessionRuntime): Promise<void> {
  const { turns, compactions, background, detached, events } = runtime;
  const [areTurnsOver, areCompactionsOver, isCompacted, isSaved] = await Promise.all([
    turns.close(),
    compactions.close(),
    background.close(),
    detached.close(),
  ]);
  const left = [
    ...(areTurnsOver ? [] : ['A turn']),
    // One in the background, or of a turn, is told of as such.
    ...(areCompactionsOver || !areTurnsOver || !isCompacted ? [] : ['A compaction']),
    ...(isCompacted ? [] : ['A background compaction']),
    ...(isSaved ? [] : ['What plugins save before a compaction']),
  ];
  for (const what of left) {
    events.emit('warning', {
      text: `${what} did not end within ${endingDeadlineMs} ms; the session was closed without it.`,
    });
  }
}

/** The session is closed whether or not its engine is done: a late one is left to itself. */
export async function disposeEngine({
  engine,
  clock,
  events,
}: Pick<SessionRuntime, 'engine' | 'clock' | 'events'>): Promise<void> {
  const isDone = await endInTime(async () => engine?.dispose?.(), clock);
  if (isDone) return;
  const name = engine?.info.id ?? '';
  const text = `Engine "${name}" was not disposed of within ${endingDeadlineMs} ms; the session was closed without it.`;
  events.emit('warning', { text });
}
