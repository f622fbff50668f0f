import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Contender, PartlyMeasured } from '../interleave.ts';

/** How a session is woken: ours, ours with a prompt, the tail of ours, the least that takes, and what peers do. */
export type WayToWake = 'open' | 'prompt' | 'tail' | 'limit' | 'loader' | 'pi';

/** The files of one session. */
export interface WakeFiles {
  readonly root: string;
  readonly journalFile: string;
  readonly piFile: string;
  /** How long the tail is. */
  readonly tailBytes: number;
  /** Where pi may write. */
  readonly folder: string;
}

/** What a process is told to do: to run for so many milliseconds, or once. */
export interface WakeOrder {
  readonly leastMs: number;
}

/** What is woken, and how often. */
export interface WakeContenderOptions {
  readonly how: WayToWake;
  readonly files: WakeFiles;
  /** A short session, to get warm with. */
  readonly short: WakeFiles;
  /** Milliseconds that one round runs for; the time is that of one run in the mean. @default 100 */
  readonly leastMs?: number | undefined;
  readonly before?: (() => unknown) | undefined;
}

/**
 * A contender that has a process of its own, as it has in use. In one process for all, who comes behind a peer that reads
 * 100 MB finds its memory and its compiled code thrown away.
 */
export async function wakeContender(
  name: string,
  { how, files, short, leastMs = 100, before }: WakeContenderOptions,
): Promise<{ readonly contender: Contender; close(): void }> {
  const child = fork(join(import.meta.dirname, 'wake-process.ts'), [how, JSON.stringify({ files, short })]);
  await answerOf(child);
  const order: WakeOrder = { leastMs };
  const run = async (): Promise<PartlyMeasured> => {
    child.send(order);
    const { ms } = await answerOf(child);
    return new PartlyMeasured(ms);
  };
  return { contender: { name, before, run }, close: () => child.disconnect() };
}

async function answerOf(child: ChildProcess): Promise<{ readonly ms: number }> {
  const ended = new AbortController();
  const onExit = (code: number | null): void => ended.abort(new Error(`A process that wakes ended with code ${code}.`));
  child.once('exit', onExit);
  try {
    const [answer] = await once(child, 'message', { signal: ended.signal });
    return answer as { readonly ms: number };
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    child.off('exit', onExit);
  }
}
