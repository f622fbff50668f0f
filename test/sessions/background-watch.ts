import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Events } from '@varve/core';

/** Rounds of the event loop after which a compaction that begins with the end of a turn has begun. */
const loops = 20;

/** Lets what has been begun go on for a while. */
export async function someLoops(): Promise<void> {
  for (let loop = 0; loop < loops; loop += 1) await nextLoop();
}

/** Knows whether a background compaction runs. */
export interface BackgroundWatch {
  /** Resolves when none does. */
  settle(): Promise<void>;
}

/** Watches the background compactions of a host. */
export function backgroundWatch(events: Events): BackgroundWatch {
  let running = 0;
  let tell: () => void = () => undefined;
  const ended = ({ reason }: { readonly reason: string }): void => {
    if (reason !== 'background') return;
    running -= 1;
    if (running === 0) tell();
  };
  events.on('compaction-started', ({ reason }) => {
    if (reason === 'background') running += 1;
  });
  events.on('compaction-committed', ended);
  events.on('compaction-refused', ended);
  return {
    settle: async () => {
      await someLoops();
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    },
  };
}
