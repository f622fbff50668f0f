import { constants, fstatSync, rmdirSync, writeSync, writevSync } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import type { FileSystem, OpenFile } from '@varve/stores/jsonl';
import type { Random } from '@varve/testkit';
import type { KillPlace, SelfKill } from '../said.ts';
import type { PoweredFile, PowerLoss } from './power-loss.ts';

/** Kinds of operations that a process may be killed at. */
type Operation = 'write' | 'sync' | 'rename' | 'truncate' | 'remove' | 'open';

/** Turns of the event loop that an operation may wait before the process dies. */
const mostTurns = 30;

/** What it takes to kill. */
interface KillOptions {
  readonly selfKill: SelfKill | null;
  readonly power: PowerLoss;
  readonly random: Random;
}

/** The file system of the machine, in which the process is killed at the n-th operation of a kind. */
export function killingFileSystem(options: KillOptions): FileSystem {
  const killer = new Killer(options);
  const { power } = options;
  return {
    ...{ lstat, mkdir, readdir, readFile, realpath, rmdir, stat, utimes, writeFile },
    ...{ fstatSync, rmdirSync, writevSync },
    open: (path, flags, mode) =>
      killer.run('open', async () => {
        const isNew = (flags & constants.O_CREAT) !== 0 && (await stat(path).catch(() => null)) === null;
        const file = await open(path, flags, mode);
        const isWritten = (flags & constants.O_RDWR) !== 0;
        const known = isNew ? power.created(path) : isWritten ? power.opened(path, fstatSync(file.fd).size) : null;
        return watched(file, { powered: known ?? { path, durable: Infinity }, killer, power });
      }),
    rename: (from, to) =>
      killer.run('rename', async () => {
        power.renaming(from, to);
        await rename(from, to);
      }),
    rm: (path, given) =>
      killer.run('remove', async () => {
        await rm(path, given);
        power.removed(path);
      }),
  };
}

/** Counts operations, and kills the process when it is time. */
class Killer {
  readonly #options: KillOptions;
  #times = 0;
  #running = 0;
  #isDying = false;

  constructor(options: KillOptions) {
    this.#options = options;
  }

  /** Runs an operation, and does not return from it when the process dies before, at, or after it. */
  async run<Result>(operation: Operation, work: (part: number | null) => Promise<Result>): Promise<Result> {
    if (this.#isDying) return this.#die();
    if (this.#isAt(`before ${operation}`)) {
      // A slow disk: whatever does not wait for it goes on before the end.
      for (let turns = this.#options.random.integer(0, mostTurns); turns > 0; turns -= 1) {
        await new Promise(setImmediate);
      }
      return this.#die();
    }
    const isWithin = operation === 'write' && this.#isAt('within write');
    this.#running += 1;
    const result = await work(isWithin ? this.#options.random.next() : null).finally(() => {
      this.#running -= 1;
    });
    return this.#isDying || isWithin || this.#isAt(`after ${operation}`) ? this.#die() : result;
  }

  #isAt(place: KillPlace): boolean {
    const { selfKill } = this.#options;
    if (selfKill?.place !== place) return false;
    this.#times += 1;
    return this.#times === selfKill.time;
  }

  #strike(): void {
    try {
      this.#options.power.strike();
    } catch (error) {
      // The product must not take it for an error of the disk.
      writeSync(2, `the loss of power failed: ${error instanceof Error ? error.stack : error}`);
      process.exit(3);
    }
  }

  /** Power goes for all files at once: what runs beside comes to its end first, and nobody hears of it. */
  async #die(): Promise<never> {
    const isFirst = !this.#isDying;
    this.#isDying = true;
    if (isFirst && this.#options.selfKill?.losesPower === true) {
      while (this.#running > 0) await new Promise(setImmediate);
      this.#strike();
    }
    if (isFirst) process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  }
}

function watched(
  file: Awaited<ReturnType<typeof open>>,
  { powered, killer, power }: { readonly powered: PoweredFile; readonly killer: Killer; readonly power: PowerLoss },
): OpenFile {
  const sync = (work: () => Promise<void>): Promise<void> =>
    killer.run('sync', async () => {
      // What is written while it is being synced may come too late.
      const { size } = fstatSync(file.fd);
      await work();
      power.synced(powered, size);
    });
  return {
    fd: file.fd,
    read: (buffer, offset, length, position) => file.read(buffer, offset, length, position),
    writev: (buffers) => killer.run('write', (part) => file.writev(part === null ? buffers : beginning(buffers, part))),
    datasync: () => sync(() => file.datasync()),
    sync: () => sync(() => file.sync()),
    truncate: (length) =>
      killer.run('truncate', async () => {
        await file.truncate(length);
        power.truncated(powered, length);
      }),
    close: () => file.close(),
  };
}

/** So much of what is to be written. */
function beginning(buffers: readonly Buffer[], part: number): Buffer[] {
  const bytes = Buffer.concat(buffers);
  return [bytes.subarray(0, 1 + Math.floor((bytes.length - 1) * part))];
}
