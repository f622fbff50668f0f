import { type AppendOptions, type Entry, type JournalBatch, type Seq, VarveError } from '@varve/core';
import { type EncodedAppend, encodeAppend, placeLines } from './encoded-append.ts';
import type { JournalFile } from './journal-file.ts';
import { discardReplacement, type Replacement, writeReplacement } from './journal-replacement.ts';
import { locateSeq } from './seq-locator.ts';
import { storeError } from './store-error.ts';

/** What an append resolves to. */
type Appended = { readonly seq: Seq };

/** An append that waits to be written. */
interface QueuedAppend {
  readonly append: EncodedAppend;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: VarveError) => void;
}

/** A new file that waits to take the place of the journal's. */
interface QueuedReplacement {
  readonly replacement: Replacement;
  readonly resolve: () => void;
  readonly reject: (error: VarveError) => void;
}

type Queued = QueuedAppend | QueuedReplacement;

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
  #replacements = 0;
  /** The highest fence of an append. No other process can have written one: it would hold the lock. */
  #fence = 0;
  /** The last replacement that is being written: they go one after the other, as each has the same name. */
  #replacing: Promise<unknown> = Promise.resolve();

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

  /**
   * Replaces the whole journal. The new file is written beside the old one, while appends go on; one of those makes the
   * replacement fail, as it does not have it.
   *
   * @returns The generation that it begins.
   * @throws VARVE_STORE_CONFLICT, VARVE_STORE_IO, VARVE_STORE_LOCKED  see `Journal.replace`; what `batches` throws.
   */
  async replace(batches: AsyncIterable<JournalBatch>, { expectedSeq }: AppendOptions): Promise<number> {
    const replaced = this.#replacing.then(() => this.#replace(batches, expectedSeq));
    this.#replacing = replaced.catch(() => {});
    this.#arriving += 1;
    try {
      return await replaced;
    } finally {
      this.#arriving -= 1;
    }
  }

  async #replace(batches: AsyncIterable<JournalBatch>, expectedSeq: Seq): Promise<number> {
    if (this.#queuedSeq === null) {
      const seq = await this.#recovered();
      this.#queuedSeq ??= seq;
    }
    if (expectedSeq !== this.#queuedSeq) throw conflictError(expectedSeq, this.#queuedSeq);
    const { header, options } = this.#file;
    const { fileSystem, report } = options;
    const parts = { fileSystem, file: options.path.file, header, report };
    const replacement = await writeReplacement(parts, { batches, lastSeq: expectedSeq });
    if (expectedSeq !== this.#queuedSeq) {
      await discardReplacement(fileSystem, replacement);
      throw conflictError(expectedSeq, this.#queuedSeq);
    }
    // Counted before it is done: what is appended from now on stands behind it.
    this.#replacements += 1;
    const generation = this.#replacements;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ replacement, resolve, reject });
      this.#running ??= this.#run();
    });
    return generation;
  }

  /** How often the journal was replaced: what was made from an earlier one must not be appended to this one. */
  get generation(): number {
    return this.#replacements;
  }

  /** Resolves when nothing waits to be written any more; what failed meanwhile has told its own caller. */
  async idle(): Promise<void> {
    while (this.#running !== null || this.#arriving > 0) {
      await (this.#running ?? this.#recovering?.catch(() => {}) ?? this.#replacing);
    }
  }

  #queue(append: EncodedAppend): Promise<Appended> {
    const expectedSeq = append.firstSeq - 1;
    const { fence = this.#fence } = append;
    if (fence < this.#fence) throw leaseError({ fence, highest: this.#fence });
    if (expectedSeq !== this.#queuedSeq) throw conflictError(expectedSeq, this.#queuedSeq);
    this.#fence = fence;
    if (append.lastSeq === expectedSeq) return Promise.resolve({ seq: expectedSeq });
    this.#queuedSeq = append.lastSeq;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Finds out where the journal ends, and goes on from there. */
  async #recoverAndQueue(append: EncodedAppend): Promise<Appended> {
    this.#arriving += 1;
    try {
      const seq = await this.#recovered();
      // Of several that waited, the first one's append has already moved it on.
      this.#queuedSeq ??= seq;
    } finally {
      this.#arriving -= 1;
    }
    return this.#queue(append);
  }

  #recovered(): Promise<Seq> {
    this.#recovering ??= this.#endOfFile().finally(() => {
      this.#recovering = null;
    });
    return this.#recovering;
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
      const batch = this.#nextBatch();
      try {
        await (isAppends(batch) ? this.#write(batch) : this.#file.replaceBy(batch[0].replacement));
      } catch (error) {
        await this.#fail(batch, error);
        continue;
      }
      if (isAppends(batch)) for (const { resolve, append } of batch) resolve({ seq: append.lastSeq });
      else batch[0].resolve();
    }
    this.#running = null;
  }

  /** All appends that wait, up to a replacement; or that, when it is the first. */
  #nextBatch(): Batch {
    const [first] = this.#waiting;
    if (first !== undefined && 'replacement' in first) {
      this.#waiting.shift();
      return [first];
    }
    const at = this.#waiting.findIndex((queued) => 'replacement' in queued);
    return this.#waiting.splice(0, at === -1 ? this.#waiting.length : at) as QueuedAppend[];
  }

  async #write(batch: readonly QueuedAppend[]): Promise<void> {
    const start = this.#file.end ?? (await this.#file.view()).end;
    const appends = batch.map(({ append }) => append);
    const earlier = earlierSeqsOf(appends);
    const keeps = earlier.length === 0 ? none : await this.#offsetsOf(earlier);
    const written = this.#file.append(placeLines(appends, { start, keepOf: (seq) => keeps.get(seq) ?? 0 }));
    if (written !== undefined) await written;
  }

  /** Where entries begin that were written before. What cannot be found out now is left out: it is no more than a hint. */
  async #offsetsOf(seqs: readonly Seq[]): Promise<ReadonlyMap<Seq, number>> {
    const offsets = new Map<Seq, number>();
    try {
      await this.#file.read(async (file, options) => {
        for (const seq of seqs) offsets.set(seq, await locateSeq(file, seq, options));
      });
    } catch {
      // The write will say what is wrong with the file.
    }
    return offsets;
  }

  /** Rejects the batch and all that waits: the first with what happened, the others because it is not there. */
  async #fail(batch: readonly Queued[], error: unknown): Promise<void> {
    const failed = [...batch, ...this.#waiting];
    const { fileSystem } = this.#file.options;
    const discarded = this.#waiting.map(async (queued) => {
      if ('replacement' in queued) await discardReplacement(fileSystem, queued.replacement);
    });
    this.#waiting = [];
    this.#queuedSeq = null;
    const closing = VarveError.is(error, 'VARVE_STORE_CONFLICT') ? this.#file.forget() : this.#file.withdraw();
    const first = this.#errorOf(error);
    for (const [index, { reject }] of failed.entries()) reject(index === 0 ? first : behindError(first));
    await Promise.all([closing, ...discarded]);
  }
}

type Batch = readonly QueuedAppend[] | readonly [QueuedReplacement];

function isAppends(batch: Batch): batch is readonly QueuedAppend[] {
  return !('replacement' in (batch[0] ?? {}));
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

function leaseError(fences: { readonly fence: number; readonly highest: number }): VarveError {
  const message = `The append has fence ${fences.fence}; one with ${fences.highest} came before it.`;
  return new VarveError('VARVE_LEASE_LOST', message, {
    fix: 'Let whoever has taken over answer, or take the lease anew.',
    details: fences,
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
