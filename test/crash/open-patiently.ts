import { setTimeout } from 'node:timers/promises';
import { VarveError } from '@varve/core';

/** How often a lock is asked for, and how long it is waited in between: more than the ten seconds that one may last. */
const patience = { times: 200, ms: 100 } as const;

/** Opens what a process may have locked that was killed while it took another one's lock over. */
export async function openPatiently<Opened>(
  open: () => Promise<Opened>,
): Promise<{ readonly opened: Opened; readonly waits: number }> {
  for (let waits = 0; ; waits += 1) {
    try {
      return { opened: await open(), waits };
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_STORE_LOCKED') || waits === patience.times) throw error;
    }
    await setTimeout(patience.ms);
  }
}
