import { crc32 } from 'node:zlib';
import { type Checkpoint, type Entry, type JournalHeader, VarveError } from '@varve/core';
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
const envelopeFields = ['checkpoint', 'keep', 'more', 'crc'] as const;

const crcStart = '"crc":"';
const crcLength = `${crcStart}xxxxxxxx"}`.length;

/** A line that ends with a checkpoint, from its `keep` on. No text inside a message can look like this. */
export const checkpointEnding: { readonly marker: Buffer; readonly pattern: RegExp; readonly maxLength: number } = {
  marker: Buffer.from(',"keep":'),
  pattern: /^,"keep":\d{1,16},"more":0,"crc":"[0-9a-f]{8}"\}/,
  maxLength: 64,
};

/** Where the checksum of a line ends, and so a line that another one was glued to. */
export const crcEnding: RegExp = /"crc":"[0-9a-f]{8}"\}/g;

/** The first line of a file, with its line feed. */
export function encodeHeader(header: JournalHeader): Buffer {
  return seal(JSON.stringify(header).slice(0, -1));
}

/**
 * Turns an entry into the text of its line, up to where the envelope begins.
 *
 * @throws VARVE_ENTRY_INVALID  when it is not a JSON object, or has a field of the envelope.
 */
export function entryText(entry: Entry): string {
  let reason = 'it is not a JSON object';
  let cause: unknown;
  try {
    const taken = envelopeFields.find((field) => (entry as unknown as Record<string, unknown>)[field] !== undefined);
    const text: string | undefined = JSON.stringify(entry);
    if (taken === undefined && text?.startsWith('{"')) return text.slice(0, -1);
    if (taken !== undefined) reason = `its field "${taken}" is for the store alone`;
  } catch (error) {
    cause = error;
    reason = textOf(error);
  }
  throw new VarveError('VARVE_ENTRY_INVALID', `An entry cannot be stored: ${reason}.`, {
    fix: 'Append entries that consist of JSON values only, with the fields of the entry contract.',
    cause,
  });
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
  const crcAt = bytes.length - crcLength;
  if (crcAt < 1 || bytes.toString('latin1', crcAt, crcAt + crcStart.length) !== crcStart) return null;
  const crc = Number.parseInt(bytes.toString('latin1', crcAt + crcStart.length, bytes.length - 2), 16);
  if (crc32(bytes.subarray(0, crcAt)) !== crc) return null;
  try {
    return recordOf(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
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

/** Adds checksum and line feed. One string, one Buffer, and eight characters written over in place. */
function seal(text: string): Buffer {
  const bytes = Buffer.from(`${text},${crcStart}00000000"}\n`);
  const crcAt = bytes.length - crcLength - 1;
  const crc = crc32(bytes.subarray(0, crcAt));
  bytes.write(crc.toString(16).padStart(8, '0'), crcAt + crcStart.length, 'latin1');
  return bytes;
}
