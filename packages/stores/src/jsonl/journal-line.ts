import { type Checkpoint, type Entry, type JournalHeader, VarveError } from '@varve/core';
import { seal, unseal } from './sealed-line.ts';
import { textOf } from './store-error.ts';

/** A line that holds an entry, and what the store wrote around it. */
export interface EntryRecord {
  readonly kind: 'entry';
  readonly entry: Entry;
  /** How many lines of the same append follow. */
  readonly more: number;
  readonly checkpoint: Checkpoint | null;
  /** Where the line of `checkpoint.visibleFromSeq` may begin; 0 when it was not known. */
  readonly keep: number;
}

/** The first line of a journal. */
interface HeaderRecord {
  readonly kind: 'header';
  readonly header: JournalHeader;
}

/** What a line holds. */
export type JournalRecord = EntryRecord | HeaderRecord;

/** Fields that the store adds to an entry; no entry may have one of its own. */
type Envelope = Readonly<Partial<Record<'checkpoint' | 'keep' | 'more' | 'crc', unknown>>>;

/** Most bytes of an entry as JSON, and of a checkpoint: 64 MB. */
const longestEntry = 67_108_864;

/** Most bytes of a line that is read at all: an entry, its checkpoint and the envelope. */
export const longestLine: number = 2 * longestEntry + 1_024;

/** A line that ends with a checkpoint, from its `keep` on. No text inside a message can look like this. */
export const checkpointEnding: { readonly marker: Buffer; readonly pattern: RegExp } = {
  marker: Buffer.from(',"keep":'),
  pattern: /^,"keep":\d{1,16},"more":0,"crc":"[0-9a-f]{8}"\}/,
};

/** The first line of a file, with its line feed. */
export function encodeHeader(header: JournalHeader): Buffer {
  return seal(JSON.stringify(header).slice(0, -1));
}

/**
 * Turns an entry into the text of its line, up to where the envelope begins.
 *
 * @throws VARVE_ENTRY_INVALID  when it is not a JSON object, or has a field of the envelope; VARVE_ENTRY_TOO_LARGE when
 *   it is larger than 64 MB.
 */
export function entryText(entry: Entry): string {
  let reason = 'it is not a JSON object';
  let cause: unknown;
  try {
    const taken = takenField(entry as unknown as Envelope);
    const text: string | undefined = JSON.stringify(entry);
    if (taken === undefined && text?.startsWith('{"')) return assertFits(text, `Entry ${entry.seq}`).slice(0, -1);
    if (taken !== undefined) reason = `its field "${taken}" is for the store alone`;
  } catch (error) {
    if (VarveError.is(error)) throw error;
    // Longer than the longest string of the engine.
    if (error instanceof RangeError && error.message === 'Invalid string length') throw tooLarge(`Entry ${entry.seq}`);
    cause = error;
    reason = textOf(error);
  }
  throw new VarveError('VARVE_ENTRY_INVALID', `An entry cannot be stored: ${reason}.`, {
    fix: 'Append entries that consist of JSON values only, with the fields of the entry contract.',
    cause,
  });
}

/** Written out: it is asked for every line, and a loop over the names takes longer than writing the envelope. */
function takenField({ checkpoint, keep, more, crc }: Envelope): keyof Envelope | undefined {
  if (checkpoint !== undefined) return 'checkpoint';
  if (keep !== undefined) return 'keep';
  if (more !== undefined) return 'more';
  return crc === undefined ? undefined : 'crc';
}

/**
 * Turns a checkpoint into JSON.
 *
 * @throws VARVE_ENTRY_TOO_LARGE  when it is larger than 64 MB.
 */
export function checkpointText(checkpoint: Checkpoint): string {
  return assertFits(JSON.stringify(checkpoint), `The checkpoint from entry ${checkpoint.visibleFromSeq} on`);
}

function assertFits(text: string, what: string): string {
  // Three bytes a UTF-16 unit at most: short texts need no counting.
  if (text.length * 3 <= longestEntry || Buffer.byteLength(text) <= longestEntry) return text;
  throw tooLarge(what);
}

function tooLarge(what: string): VarveError {
  return new VarveError(
    'VARVE_ENTRY_TOO_LARGE',
    `${what} is larger than 64 MB, the most that a line of a journal holds.`,
    {
      fix: 'Store large content elsewhere, and append a message that names the place and quotes what matters.',
      details: { limit: longestEntry },
    },
  );
}

/** The line of an entry without a checkpoint, with its line feed. */
export function encodeEntry(text: string, more: number): Buffer {
  return seal(`${text},"more":${more}`);
}

/** The line of an entry that made a checkpoint, given as JSON, with its line feed. It is the last of its append. */
export function encodeCheckpoint(
  text: string,
  { json, keep }: { readonly json: string; readonly keep: number },
): Buffer {
  return seal(`${text},"checkpoint":${json},"keep":${keep},"more":0`);
}

/** Reads one line, without its line feed. `null` when the checksum is wrong, or it is neither entry nor header. */
export function decodeLine(bytes: Buffer): JournalRecord | null {
  const line = unseal(bytes);
  return line === null ? null : recordOf(line);
}

/** A line as it was parsed: an entry or header, and the envelope. */
interface RawLine {
  v?: unknown;
  sessionId?: unknown;
  id?: unknown;
  seq?: unknown;
  checkpoint?: Checkpoint | null;
  keep?: number;
  more?: unknown;
  crc?: unknown;
}

function recordOf(line: RawLine): JournalRecord | null {
  const { more, keep = 0, checkpoint = null } = line;
  if (typeof line.sessionId === 'string' && line.v === 1 && more === undefined) {
    delete line.crc;
    return { kind: 'header', header: line as unknown as JournalHeader };
  }
  if (typeof line.id !== 'string' || !Number.isSafeInteger(line.seq) || typeof more !== 'number') return null;
  // Backwards in order of their addition: that way V8 keeps the object's shape.
  delete line.crc;
  delete line.more;
  if (checkpoint !== null) {
    delete line.keep;
    delete line.checkpoint;
  }
  return {
    kind: 'entry',
    entry: line as unknown as Entry,
    more,
    checkpoint,
    keep,
  };
}
