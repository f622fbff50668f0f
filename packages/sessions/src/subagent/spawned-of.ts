import type { Child } from './child.ts';
import type { Spawned } from './spawn-options.ts';

/** What a caller is given of a sub-agent that this process has. Waits until it has begun. */
export async function spawnedOf(child: Child): Promise<Spawned> {
  await child.begun.promise;
  const { childKey, spawnId } = child.record;
  return { childKey, sessionId: child.sessionId ?? '', spawnId, ended: child.ended.promise };
}
