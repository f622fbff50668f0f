import type { OpenFile } from './file-system.ts';

/** How many more files may be kept open, in all that share it. */
export interface FreePlaces {
  count: number;
}

/** For so many milliseconds a file is kept open that nobody uses. */
const keptFor = 1_000;

/**
 * A file that stays open from one write to the next: opening it by its name takes as long as writing a line does. Whoever
 * keeps one closes it, at the latest when it is told that nobody has used it for a second. Used by one at a time.
 */
export class KeptFile {
  readonly #places: FreePlaces;
  readonly #onUnused: () => void;
  #file: OpenFile | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** @param options.onUnused  Told of a file that is not used any more. */
  constructor({ places, onUnused }: { readonly places: FreePlaces; readonly onUnused: () => void }) {
    this.#places = places;
    this.#onUnused = onUnused;
  }

  /** The file that is kept, from now on for another while; `null` when there is none. */
  get file(): OpenFile | null {
    this.#timer?.refresh();
    return this.#file;
  }

  /** Keeps a file, where none is kept yet. False when it is the caller's to close, as too many are open. */
  keep(file: OpenFile): boolean {
    if (this.#places.count === 0) return false;
    this.#places.count -= 1;
    this.#file = file;
    this.#timer = setTimeout(this.#onUnused, keptFor);
    this.#timer.unref();
    return true;
  }

  /** Closes the file that is kept, if there is one. Never rejects. */
  async close(): Promise<void> {
    const file = this.#file;
    if (file === null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#file = null;
    this.#places.count += 1;
    await file.close().catch(() => {});
  }
}
