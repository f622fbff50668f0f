import { closeSync, ftruncateSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from '@varve/testkit';

/** A rename that a loss of power may take back. */
interface UnsyncedRename {
  readonly from: string;
  readonly to: string;
  /** A second name of the file that was at `to`. */
  readonly backup: string;
}

/** A file, by the name that it goes by now: it may be renamed while it is open. */
export interface PoweredFile {
  path: string;
  /** So many of its bytes survive. */
  durable: number;
}

/** Most zeros in the place of bytes that a file system had made room for, and not written. */
const mostZeros = 4_096;

/** Knows what was not synced, and takes it back as a loss of power does. */
export class PowerLoss {
  readonly #folder: string;
  readonly #random: Random;
  readonly #files = new Map<string, PoweredFile>();
  #created: readonly string[] = [];
  #renames: readonly UnsyncedRename[] = [];
  #count = 0;

  /** @param folder  Where files are kept that may come back. It is outside of the store. */
  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
  }

  /** What is in a file that is opened is durable, or as good as. */
  opened(path: string, size: number): PoweredFile {
    const file = this.#files.get(path) ?? { path, durable: size };
    this.#files.set(path, file);
    return file;
  }

  created(path: string): PoweredFile {
    this.#created = [...this.#created, path];
    const file = { path, durable: 0 };
    this.#files.set(path, file);
    return file;
  }

  synced(file: PoweredFile, size: number): void {
    file.durable = Math.max(file.durable, size);
    const isInside = (other: string): boolean => dirname(other) === file.path;
    for (const { to, backup } of this.#renames) if (isInside(to)) rmSync(backup, { force: true });
    this.#renames = this.#renames.filter(({ to }) => !isInside(to));
    this.#created = this.#created.filter((created) => !isInside(created));
  }

  truncated(file: PoweredFile, size: number): void {
    file.durable = Math.min(file.durable, size);
  }

  /** Called before a file is renamed. */
  renaming(from: string, to: string): void {
    this.#count += 1;
    const backup = join(this.#folder, `${process.pid}-${this.#count}-${basename(to)}`);
    if (exists(to)) {
      linkSync(to, backup);
      this.#renames = [...this.#renames, { from, to, backup }];
    }
    const file = this.#files.get(from) ?? { path: from, durable: 0 };
    file.path = to;
    this.#files.set(to, file);
    this.#files.delete(from);
    this.#created = this.#created.filter((path) => path !== from);
  }

  removed(path: string): void {
    this.#files.delete(path);
    this.#created = this.#created.filter((created) => created !== path);
  }

  /** Takes back what was not synced: each rename and each new name or not, of each file a part of its end. */
  strike(): void {
    for (const { path, durable } of this.#files.values())
      if (exists(path)) shorten(path, { durable, random: this.#random });
    for (const { from, to, backup } of this.#renames.toReversed()) {
      if (this.#random.chance(0.5)) continue;
      rmSync(from, { force: true });
      renameSync(to, from);
      renameSync(backup, to);
    }
    for (const path of this.#created) if (this.#random.chance(0.5)) rmSync(path, { force: true });
  }
}

function shorten(path: string, { durable, random }: { readonly durable: number; readonly random: Random }): void {
  const { size } = statSync(path);
  if (size <= durable) return;
  const left = random.integer(durable, size);
  const file = openSync(path, 'r+');
  ftruncateSync(file, left);
  const zeros = random.chance(0.25) ? Math.min(size - left, mostZeros) : 0;
  if (zeros > 0) writeSync(file, Buffer.alloc(zeros), 0, zeros, left);
  closeSync(file);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
