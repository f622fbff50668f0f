import { stat } from 'node:fs/promises';
import { conversationRecords } from './conversation-formats.ts';
import { type DetectedFormat, detectFormat } from './detect-format.ts';
import type { FormatReader } from './format-reader.ts';
import type { LineFormat } from './formats.ts';
import { type ReadProgress, type SourceLine, type SourceOptions, sourceLines } from './source-lines.ts';
import { empty, noSuchItem, reasonOf, throwIfAborted, unreadable } from './transcript-errors.ts';
import type { TranscriptFormat, TranscriptRecord } from './transcript-record.ts';

/** Options of {@link readTranscript}. */
export interface ReadTranscriptOptions {
  /** Gives only the conversation with this number, from 1. Without it, all of them. */
  readonly item?: number | undefined;
  /**
   * Told how many bytes have been read, about every 64 kB while records are taken.
   * Contract: not awaited; must not throw.
   */
  readonly onProgress?: ((bytes: ReadProgress) => void) | undefined;
  /** Stops reading: the call, or the next record, throws `VARVE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A file that has been recognised. */
export interface Transcript {
  readonly format: TranscriptFormat;
  readonly path: string;
  /** Size in bytes when the file was opened; what is appended later is not read. */
  readonly size: number;
  /** Conversations in the file; `null` when only reading it to the end tells. */
  readonly items: number | null;
  /**
   * What the file says, in its order. Every call reads from the beginning; stopping early closes the file.
   *
   * @throws VARVE_TRANSCRIPT_EMPTY at the end, when there was neither a message nor a compaction.
   * @throws VARVE_TRANSCRIPT_ITEM at the end, when there was no conversation with the number asked for.
   * @throws VARVE_TRANSCRIPT_UNREADABLE when the disk refuses.
   * @throws VARVE_ABORTED when the signal is aborted.
   */
  records(): AsyncIterable<TranscriptRecord>;
}

/**
 * Opens a transcript of another tool; {@link TranscriptFormat} names them. The format is told from what stands in the
 * file. JSON Lines of any size are streamed with one line in memory (at most 100 MB; longer ones are
 * `damaged`); a file that is one JSON document may have 100 MB.
 *
 * What a file holds beside messages is never fatal: lines that cannot be read are `damaged`, what is no message or not
 * known is `unknown`, and both keep their place among the records.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE when there is no regular file that may be read.
 * @throws VARVE_TRANSCRIPT_EMPTY when it holds nothing but white space.
 * @throws VARVE_TRANSCRIPT_FORMAT when no format fits.
 * @throws VARVE_TRANSCRIPT_TOO_LARGE when it is one JSON document of more than 100 MB.
 * @throws VARVE_TRANSCRIPT_ITEM when `item` is no number of a conversation in it.
 * @throws VARVE_ABORTED when the signal is aborted.
 */
export async function readTranscript(path: string, options: ReadTranscriptOptions = {}): Promise<Transcript> {
  throwIfAborted(options.signal);
  const size = await sizeOf(path);
  if (size === 0) throw empty(path, 'it has no bytes');
  const source: SourceOptions = { size, signal: options.signal, onProgress: options.onProgress };
  const detected = await detectFormat(path, source);
  const items = itemsOf(detected);
  checkItem(path, { item: options.item, items });
  const format = detected.layout === 'lines' ? detected.format.id : detected.format;
  const all = (): AsyncIterable<readonly TranscriptRecord[]> =>
    detected.layout === 'lines' ? lineRecords(path, detected.format, source) : documentRecords(detected, source);
  return {
    format,
    path,
    size,
    items,
    records: () => checked(all(), { path, item: options.item, signal: options.signal }),
  };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, { reason: reasonOf(cause), cause });
  });
  if (found.isDirectory()) throw unreadable(path, { reason: 'it is a directory' });
  if (!found.isFile()) throw unreadable(path, { reason: 'it is not a regular file' });
  return found.size;
}

function itemsOf(detected: DetectedFormat): number | null {
  if (detected.layout === 'document') return detected.conversations.length;
  return detected.format.items === 'one' ? 1 : null;
}

function checkItem(
  path: string,
  { item, items }: { readonly item: number | undefined; readonly items: number | null },
): void {
  if (item === undefined) return;
  if (!Number.isInteger(item) || item < 1 || item > (items ?? item)) throw noSuchItem(path, { item, items });
}

/** The records of a file of lines, in the batches in which it is read. */
async function* lineRecords(
  path: string,
  format: LineFormat,
  source: SourceOptions,
): AsyncGenerator<readonly TranscriptRecord[], void, undefined> {
  const reader = await format.reader(path, source);
  if (format.items === 'one') yield [{ kind: 'item', line: 1, item: 1 }];
  for await (const lines of sourceLines(path, source)) yield lines.flatMap((line) => recordsOfLine(reader, line));
  yield reader.end();
}

function recordsOfLine(reader: FormatReader, source: SourceLine): readonly TranscriptRecord[] {
  const { line, bytes, value, damage } = source;
  const records = value === undefined ? [] : reader.read({ line, bytes, value });
  return damage === null ? records : [{ kind: 'damaged', line, reason: damage }, ...records];
}

async function* documentRecords(
  { conversations, damage }: Extract<DetectedFormat, { layout: 'document' }>,
  { size, onProgress }: SourceOptions,
): AsyncGenerator<readonly TranscriptRecord[], void, undefined> {
  onProgress?.({ read: size, total: size });
  for (const [index, conversation] of conversations.entries()) {
    yield conversationRecords(conversation, { item: index + 1 });
  }
  if (damage !== null) yield [{ kind: 'damaged', line: 1, reason: damage }];
}

/** What the caller asked for. */
interface Asked {
  readonly path: string;
  readonly item: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Gives the records of one conversation, or of all, and fails at the end when there was nothing to give. */
async function* checked(
  batches: AsyncIterable<readonly TranscriptRecord[]>,
  { path, item, signal }: Asked,
): AsyncGenerator<TranscriptRecord, void, undefined> {
  let items = 0;
  let isSilent = true;
  for await (const batch of batches) {
    for (const record of batch) {
      throwIfAborted(signal);
      if (record.kind === 'item') items = record.item;
      if (record.kind === 'message' || record.kind === 'compaction') isSilent = false;
      if (item !== undefined && items > item) return;
      if (item === undefined || items === item) yield record;
    }
  }
  if (isSilent) throw empty(path, 'none of its lines is a message');
  if (item !== undefined && items < item) throw noSuchItem(path, { item, items });
}
