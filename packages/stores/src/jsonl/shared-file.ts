import type { OpenFile } from './file-system.ts';
import { createSeqIndex, type SeqIndex } from './seq-index.ts';

/** An open file that several readers use. Once it is retired, nobody new may, and the last one who leaves closes it. */
export class SharedFile {
  readonly file: OpenFile;
  /** Where lines begin in this file, and in no other that takes its place. */
  readonly index: SeqIndex;
  #readers = 0;
  #isRetired = false;

  constructor(file: OpenFile, index: SeqIndex = createSeqIndex()) {
    this.file = file;
    this.index = index;
  }

  /** Begins a use; false when the file was retired meanwhile. */
  enter(): boolean {
    if (this.#isRetired) return false;
    this.#readers += 1;
    return true;
  }

  /** Ends a use. Never rejects. */
  async leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#isRetired && this.#readers === 0) await this.#close();
  }

  /** Closes the file as soon as nobody reads it; resolves at once when somebody does. Never rejects. */
  async retire(): Promise<void> {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#readers === 0) await this.#close();
  }

  async #close(): Promise<void> {
    // The file is let go of in any case; what its close has to say changes nothing.
    await this.file.close().catch(() => {});
  }
}
