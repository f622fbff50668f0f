import { type JournalBatch, type JournalHeader, type Seq, VarveError } from '@varve/core';
import { type EncodedAppend, encodeAppend, placeLines } from './encoded-append.ts';
import { appendTo, type FileSystem, modes, type OpenFile, openFlags } from './file-system.ts';
import { encodeHeader } from './journal-line.ts';
import type { ReportRepair } from './repair-report.ts';
import { createSeqIndex, type SeqIndex } from './seq-index.ts';
import { locateSeq } from './seq-locator.ts';
import { storeError } from './store-error.ts';

/** A whole new file, durable, that waits beside the journal to take its place. */
export interface Replacement {
  readonly path: string;
  readonly file: OpenFile;
  readonly index: SeqIndex;
  readonly end: number;
  readonly lastSeq: Seq;
}

/** What is replaced. */
export interface ReplacementOptions {
  readonly fileSystem: FileSystem;
  /** The journal's file. */
  readonly file: string;
  readonly header: JournalHeader;
  readonly report: ReportRepair;
}

/** So many bytes are gathered before they are written. */
const writeSize = 1_048_576;

/** Where a new file is written before it takes the place of the one it is named after. */
export function replacementFileOf(file: string): string {
  return `${file}.new`;
}

/**
 * Writes the new file of a journal beside the old one, and syncs it.
 *
 * @throws VARVE_STORE_CONFLICT  when the batches do not give seqs 1 to `lastSeq`; VARVE_STORE_IO; what `batches` throws.
 */
export async function writeReplacement(
  options: ReplacementOptions,
  { batches, lastSeq }: { readonly batches: AsyncIterable<JournalBatch>; readonly lastSeq: Seq },
): Promise<Replacement> {
  const { fileSystem, file: journal } = options;
  const path = replacementFileOf(journal);
  const tried = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (error) {
      throw storeError(error, { doing: 'replace', file: journal });
    }
  };
  // One that a crash left behind: the journal was not replaced by it.
  await tried(fileSystem.rm(path, { force: true }));
  const file = await tried(fileSystem.open(path, openFlags.createNew, modes.file));
  const index = createSeqIndex();
  try {
    const writer = new ReplacementWriter({ file, index, options });
    for await (const batch of batches) await tried(writer.add(batch, lastSeq));
    if (writer.lastSeq !== lastSeq) throw countError(writer.lastSeq, lastSeq);
    await tried(writer.flush());
    // Not the application's choice: what it replaces may be all there is.
    await tried(file.datasync());
    return { path, file, index, end: writer.end, lastSeq };
  } catch (error) {
    await discardReplacement(fileSystem, { path, file });
    throw error;
  }
}

/** Removes a new file that does not take the journal's place. Never rejects. */
export async function discardReplacement(
  fileSystem: FileSystem,
  { path, file }: Pick<Replacement, 'path' | 'file'>,
): Promise<void> {
  await file.close().catch(() => {});
  await fileSystem.rm(path, { force: true }).catch(() => {});
}

class ReplacementWriter {
  readonly #file: OpenFile;
  readonly #index: SeqIndex;
  readonly #options: ReplacementOptions;
  #buffers: Buffer[];
  #buffered: number;
  end: number;
  lastSeq: Seq = 0;

  constructor(parts: { readonly file: OpenFile; readonly index: SeqIndex; readonly options: ReplacementOptions }) {
    this.#file = parts.file;
    this.#index = parts.index;
    this.#options = parts.options;
    const header = encodeHeader(parts.options.header);
    this.#buffers = [header];
    this.#buffered = header.length;
    this.end = header.length;
  }

  async add(batch: JournalBatch, mostSeq: Seq): Promise<void> {
    const append = encodeBatch(batch, this.lastSeq);
    if (append.lastSeq > mostSeq) throw countError(append.lastSeq, mostSeq);
    const keep = await this.#keepOf(append);
    const placed = placeLines([append], { start: this.end, keepOf: () => keep });
    for (const [at, offset] of placed.offsets.entries()) this.#index.note({ seq: append.firstSeq + at, offset });
    this.#buffers.push(...placed.lines);
    this.#buffered += placed.end - placed.start;
    this.end = placed.end;
    this.lastSeq = append.lastSeq;
    if (this.#buffered >= writeSize) await this.flush();
  }

  async flush(): Promise<void> {
    const buffers = this.#buffers;
    this.#buffers = [];
    this.#buffered = 0;
    await appendTo(this.#file, buffers);
  }

  /** Where the entry begins that the checkpoint of an append names, when that is one before it. */
  async #keepOf({ checkpoint, firstSeq }: EncodedAppend): Promise<number> {
    if (checkpoint === null || checkpoint.visibleFromSeq >= firstSeq) return 0;
    await this.flush();
    const search = { end: this.end, index: this.#index, report: this.#options.report };
    return locateSeq(this.#file, checkpoint.visibleFromSeq, search);
  }
}

function encodeBatch({ entries, checkpoint }: JournalBatch, lastSeq: Seq): EncodedAppend {
  for (const [index, entry] of entries.entries()) {
    const next = lastSeq + index + 1;
    if (entry.seq !== next) throw replaceError(`It has seq ${entry.seq} where ${next} belongs`);
  }
  return encodeAppend(entries, { expectedSeq: lastSeq, checkpoint });
}

function countError(count: number, lastSeq: Seq): VarveError {
  return replaceError(`It goes to seq ${count}, and the journal to ${lastSeq}`);
}

function replaceError(reason: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `The new journal is not of the old one’s entries. ${reason}.`, {
    fix: 'Give an entry for each seq of the journal, from 1 on and in order.',
  });
}
