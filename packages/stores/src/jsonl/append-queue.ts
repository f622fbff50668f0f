import { type AppendOptions, type Entry, type Seq, VarveError } from '@varve/core';
import type { JournalFile } from './journal-file.ts';
import { encodeCheckpoint, encodeEntry, entryText } from './journal-line.ts';
import type { SeqPlace } from './seq-index.ts';
import { locateSeq } from './seq-locator.ts';
import { storeError } from './store-error.ts';

/** One append, as bytes, waiting to be written. */
interface Queued {
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
  /** One line an entry; without the last one when that has a checkpoint. */
  readonly lines: readonly Buffer[];
  /** The last line, up to what is known when it is written. */
  readonly checkpoint: { readonly text: string; readonly json: string; readonly visibleFromSeq: Seq } | null;
  readonly resolve: (result: { readonly seq: Seq }) => void;
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
  /** Appends that wait for that. */
  #arriving = 0;
  #recovering: Promise<Seq> | null = null;
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
  async append(entries: readonly Entry[], options: AppendOptions): Promise<{ readonly seq: Seq }> {
    const encoded = encodeAppend(entries, options);
    if (this.#queuedSeq === null) {
      this.#arriving += 1;
      try {
        await this.#recover();
      } finally {
        this.#arriving -= 1;
      }
    }
    if (options.expectedSeq !== this.#queuedSeq) throw conflictError(options.expectedSeq, this.#queuedSeq);
    if (entries.length === 0) return { seq: options.expectedSeq };
    this.#queuedSeq = encoded.lastSeq;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...encoded, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits to be written any more. */
  async idle(): Promise<void> {
    while (this.#running !== null || this.#arriving > 0) await (this.#running ?? this.#recovering);
  }

  /** Finds out where the journal ends. */
  async #recover(): Promise<void> {
    this.#recovering ??= this.#endOfFile().finally(() => {
      this.#recovering = null;
    });
    const seq = await this.#recovering;
    // Of several that waited, the first one's append has already moved it on.
    this.#queuedSeq ??= seq;
  }

  async #endOfFile(): Promise<Seq> {
    await this.#file.openForWriting();
    const { lastSeq } = await this.#file.view();
    return lastSeq;
  }

  async #run(): Promise<void> {
    // Everything that is appended in the same turn of the event loop belongs to the first batch.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch);
      } catch (error) {
        await this.#fail(batch, error);
        continue;
      }
      for (const { resolve, lastSeq } of batch) resolve({ seq: lastSeq });
    }
    this.#running = null;
  }

  async #write(batch: readonly Queued[]): Promise<void> {
    const { end } = await this.#file.view();
    const places: SeqPlace[] = [];
    const lines: Buffer[] = [];
    let offset = end;
    const add = (seq: Seq, line: Buffer): void => {
      places.push({ seq, offset });
      lines.push(line);
      offset += line.length;
    };
    for (const { firstSeq, lastSeq, lines: encoded, checkpoint } of batch) {
      for (const [index, line] of encoded.entries()) add(firstSeq + index, line);
      if (checkpoint === null) continue;
      const ofBatch = [...places, { seq: lastSeq, offset }].find(({ seq }) => seq === checkpoint.visibleFromSeq);
      const keep = ofBatch?.offset ?? (await this.#offsetOf(checkpoint.visibleFromSeq));
      add(lastSeq, encodeCheckpoint(checkpoint.text, { json: checkpoint.json, keep }));
    }
    await this.#file.append(lines, batch.at(-1)?.lastSeq ?? 0);
    for (const place of places) this.#file.index.note(place);
  }

  /** Where an entry begins that was written before; 0 when that cannot be found out now, as it is no more than a hint. */
  async #offsetOf(seq: Seq): Promise<number> {
    try {
      const { file, end, lastSeq } = await this.#file.view();
      if (seq > lastSeq) return 0;
      return await locateSeq(file, seq, { end, index: this.#file.index, report: this.#file.options.report });
    } catch {
      return 0;
    }
  }

  /** Rejects the batch and all that waits: the first with what happened, the others because it is not there. */
  async #fail(batch: readonly Queued[], error: unknown): Promise<void> {
    const failed = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#queuedSeq = null;
    const closing = this.#file.abandon(VarveError.is(error, 'VARVE_STORE_CONFLICT') ? 'conflict' : 'io');
    const first = storeError(error, { doing: 'append to', file: this.#file.options.path.file });
    for (const [index, { reject }] of failed.entries()) reject(index === 0 ? first : behindError(first));
    await closing;
  }
}

function encodeAppend(
  entries: readonly Entry[],
  { expectedSeq, checkpoint }: AppendOptions,
): Omit<Queued, 'resolve' | 'reject'> {
  for (const [index, entry] of entries.entries()) {
    const next = expectedSeq + index + 1;
    if (entry.seq !== next) throw invalidError(`entry "${entry.id}" has seq ${entry.seq}, and the next one is ${next}`);
  }
  const last = entries.at(-1);
  if (checkpoint !== undefined && last === undefined) throw invalidError('a checkpoint needs the entry that made it');
  const plain = checkpoint === undefined ? entries : entries.slice(0, -1);
  return {
    firstSeq: expectedSeq + 1,
    lastSeq: expectedSeq + entries.length,
    lines: plain.map((entry, index) => encodeEntry(entryText(entry), entries.length - index - 1)),
    checkpoint:
      checkpoint === undefined || last === undefined
        ? null
        : { text: entryText(last), json: JSON.stringify(checkpoint), visibleFromSeq: checkpoint.visibleFromSeq },
  };
}

function invalidError(reason: string): VarveError {
  return new VarveError('VARVE_ENTRY_INVALID', `The append cannot be stored: ${reason}.`, {
    fix: 'Number entries from expectedSeq + 1 on, and append a checkpoint with its entry.',
  });
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
