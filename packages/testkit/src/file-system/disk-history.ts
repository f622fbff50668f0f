import type { Random } from '../conversation/seeded-random.ts';
import type { DiskChange } from './disk-change.ts';
import { MemoryDisk } from './memory-disk.ts';

/** How a disk was stopped. */
export interface DiskStop {
  /** So many changes had been carried out. */
  readonly change: number;
  /** So many bytes of the next one, when that is a write. @default 0 */
  readonly bytes?: number | undefined;
  /**
   * `nothing`: a process was killed, and what it had written is there. `unsynced`: power was lost, and all with it that had
   * not been synced. `some`: an arbitrary part of that, by `random`.
   *
   * @default 'nothing'
   */
  readonly loses?: 'nothing' | 'unsynced' | { readonly some: Random } | undefined;
  /** How long it took until the machine ran again, in milliseconds: locks are stale then. @default 60 000 */
  readonly awayMs?: number | undefined;
}

/**
 * Gives the disk as it was left at any point of what was done to it. Points are asked for in order: going back begins anew.
 */
export class DiskHistory {
  readonly #changes: readonly DiskChange[];
  #disk = new MemoryDisk();
  #done = 0;

  /** @param changes  What was done to an empty disk, from the first change on. */
  constructor(changes: readonly DiskChange[]) {
    this.#changes = changes;
  }

  /** A disk as it is found after a stop. */
  stoppedAt({ change, bytes = 0, loses = 'nothing', awayMs = 60_000 }: DiskStop): MemoryDisk {
    this.#goTo(change);
    const disk = this.#disk.copy();
    const next = this.#changes[change];
    if (bytes > 0 && next !== undefined) disk.apply(next, bytes);
    if (loses !== 'nothing') disk.losePower(loses === 'unsynced' ? null : loses.some);
    disk.age(awayMs);
    return disk;
  }

  #goTo(change: number): void {
    if (change < this.#done) {
      this.#disk = new MemoryDisk();
      this.#done = 0;
    }
    for (; this.#done < change; this.#done += 1) {
      const next = this.#changes[this.#done];
      if (next !== undefined) this.#disk.apply(next);
    }
  }
}
