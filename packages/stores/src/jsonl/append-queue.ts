import { type AppendOptions, type Entry, type Seq, VarveError } from '@varve/core';
import { type EncodedAppend, encodeAppend, placeLines } from './encoded-append.ts';
import type { JournalFile } from './journal-file.ts';
import { locateSeq } from './seq-locator.ts';
import { storeError } from './store-error.ts';

/** What an append resolves to. */
type Appended = { readonly seq: Seq };

/** An append that waits to be written. */
interface Queued {
  readonly append: EncodedAppend;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: VarveError) => void;
}

/**
 * Lines up the appends of one journal and writes all that wait in one go: while a batch is being synced, the next one
 * gathers. There is no timer; an append that comes alone goes out at once.
 */
export class AppendQueue {
  readonly #file: JournalFile;
  #waiting: Queued[] = [];
  /** Seq of the last entry that was queued; `null` when the file must be opened again to know. */
  #queuedSeq: Seq | null;
  #recovering: Promise<Seq> | null = null;
  /** Appends that wait for that. */
  #arriving = 0;
  #running: Promise<void> | null = null;

  /** @param lastSeq  Seq of the last entry in the file, which has just been opened for writing. */
  constructor(file: JournalFile, lastSeq: Seq) {
    this.#file = file;
    this.#queuedSeq = lastSeq;
  }

  /**
   * Queues an append. What the entries hold is taken at the call, before anything is awaited.
   *
   * @throws VARVE_ENTRY_INVALID, VARVE_STORE_CONFLICT, VARVE_STORE_IO, VARVE_STORE_LOCKED  see `Journal.append`.
   */
  append(entries: readonly Entry[], options: AppendOptions): Promise<Appended> {
    // Not async, and no promise more than needed: they would cost as much as writing a line does.
    try {
      const append = encodeAppend(entries, options);
      return this.#queuedSeq === null ? this.#recoverAndQueue(append) : this.#queue(append);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Resolves when nothing waits to be written any more. */
  async idle(): Promise<void> {
    while (this.#running !== null || this.#arriving > 0) await (this.#running ?? this.#recovering);
  }

  #queue(append: EncodedAppend): Promise<Appended> {
    const expectedSeq = append.firstSeq - 1;
    if (expectedSeq !== this.#queuedSeq) throw conflictError(expectedSeq, this.#queuedSeq);
    if (append.lastSeq === expectedSeq) return Promise.resolve({ seq: expectedSeq });
    this.#queuedSeq = append.lastSeq;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Finds out where the journal ends, and goes on from there. */
  async #recoverAndQueue(append: EncodedAppend): Promise<Appended> {
    this.#recovering ??= this.#endOfFile().finally(() => {
      this.#recovering = null;
    });
    this.#arriving += 1;
    try {
      const seq = await this.#recovering;
      // Of several that waited, the first one's append has already moved it on.
      this.#queuedSeq ??= seq;
    } finally {
      this.#arriving -= 1;
    }
    return this.#queue(append);
  }

  async #endOfFile(): Promise<Seq> {
    try {
      await this.#file.openForWriting();
      return (await this.#file.view()).lastSeq;
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #errorOf(error: unknown): VarveError {
    return storeError(error, { doing: 'append to', file: this.#file.options.path.file });
  }

  async #run(): Promise<void> {
    // Everything that is appended in the same turn of the event loop belongs to the first batch.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const start = this.#file.end ?? (await this.#file.view()).end;
        const appends = batch.map(({ append }) => append);
        const earlier = earlierSeqsOf(appends);
        const keeps = earlier.length === 0 ? none : await this.#offsetsOf(earlier);
        const placed = placeLines(appends, { start, keepOf: (seq) => keeps.get(seq) ?? 0 });
        const written = this.#file.append(placed);
        if (written !== undefined) await written;
      } catch (error) {
        await this.#fail(batch, error);
        continue;
      }
      for (const { resolve, append } of batch) resolve({ seq: append.lastSeq });
    }
    this.#running = null;
  }

  /** Where entries begin that were written before. What cannot be found out now is left out: it is no more than a hint. */
  async #offsetsOf(seqs: readonly Seq[]): Promise<ReadonlyMap<Seq, number>> {
    const offsets = new Map<Seq, number>();
    const { index, options } = this.#file;
    try {
      const { file, end } = await this.#file.view();
      for (const seq of seqs) offsets.set(seq, await locateSeq(file, seq, { end, index, report: options.report }));
    } catch {
      // The write will say what is wrong with the file.
    }
    return offsets;
  }

  /** Rejects the batch and all that waits: the first with what happened, the others because it is not there. */
  async #fail(batch: readonly Queued[], error: unknown): Promise<void> {
    const failed = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#queuedSeq = null;
    const closing = VarveError.is(error, 'VARVE_STORE_CONFLICT') ? this.#file.forget() : this.#file.withdraw();
    const first = this.#errorOf(error);
    for (const [index, { reject }] of failed.entries()) reject(index === 0 ? first : behindError(first));
    await closing;
  }
}

const none: ReadonlyMap<Seq, number> = new Map();

/** Seqs that checkpoints of the batch name and that were written before it. */
function earlierSeqsOf(appends: readonly EncodedAppend[]): readonly Seq[] {
  const firstSeq = appends[0]?.firstSeq ?? 0;
  const seqs: Seq[] = [];
  for (const { checkpoint } of appends) {
    if (checkpoint !== null && checkpoint.visibleFromSeq < firstSeq) seqs.push(checkpoint.visibleFromSeq);
  }
  return seqs;
}

function conflictError(expectedSeq: Seq, lastSeq: Seq | null): VarveError {
  const message = `The append expected seq ${expectedSeq} to be the last; it is ${lastSeq}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read what was appended meanwhile, number the entries anew, and append again.',
    details: { expectedSeq, lastSeq },
  });
}

function behindError(cause: VarveError): VarveError {
  return new VarveError(
    'VARVE_STORE_CONFLICT',
    'An append before this one failed, so the entries would not follow it.',
    {
      fix: 'Read the journal again, number the entries anew, and append again.',
      cause,
    },
  );
}
