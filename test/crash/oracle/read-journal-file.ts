import { crc32 } from 'node:zlib';
import type { Fault } from './fault.ts';

/** The envelope that a store puts around an entry. */
const envelope = ['checkpoint', 'keep', 'more', 'crc'] as const;

/** Length of `"crc":"xxxxxxxx"}`. */
const crcLength = 17;

/** An entry as JSON, and the facts of it that are looked at. */
export interface FileEntry {
  /** Without the store's envelope. */
  readonly text: string;
  readonly value: EntryValue;
}

/** An entry, parsed; of whatever type. */
export interface EntryValue {
  readonly id: string;
  readonly seq: number;
  readonly parentId: string | null;
  readonly at: number;
  readonly type: string;
  readonly message?: { readonly content: string | readonly EntryPart[] };
  readonly key?: string;
  readonly forgotten?: unknown;
  readonly range?: { readonly from: { readonly seq: number }; readonly to: { readonly seq: number } };
  readonly previousId?: string | null;
  readonly slot?: string;
  readonly text?: string | null;
  readonly name?: string;
  readonly value?: unknown;
  readonly targetId?: string;
}

/** A part of a message, as far as it is looked at. */
export interface EntryPart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
}

/** A line, parsed: a header or an entry, with the envelope. */
interface LineValue {
  readonly sessionId?: string;
  readonly more?: number;
}

/** The file of a journal, read by itself. */
export interface JournalFileContent {
  readonly entries: readonly FileEntry[];
  /** Bytes behind the last append that is whole. */
  readonly torn: Buffer;
  readonly faults: readonly Fault[];
}

interface FileLine {
  readonly value: LineValue | null;
  /** Where the next line begins. */
  readonly end: number;
}

/** Reads a journal's file. Nothing in it is forgiven but an append at its end that was not finished. */
export function readJournalFile(bytes: Buffer, sessionId: string): JournalFileContent {
  const lines = linesOf(bytes);
  const lastWhole = lines.findLastIndex(({ value }) => value !== null && (value.more ?? 0) === 0);
  const whole = lines.slice(0, lastWhole + 1);
  const torn = bytes.subarray(whole.at(-1)?.end ?? 0);
  const faults: Fault[] = [];
  const [header, ...rest] = whole;
  if (header !== undefined && header.value?.sessionId !== sessionId) {
    faults.push({ rule: 'header', text: 'the first line is not the header of the session' });
  }
  const entries: FileEntry[] = [];
  let more = 0;
  for (const [index, { value }] of rest.entries()) {
    if (value === null) {
      faults.push({ rule: 'bad-line', text: `line ${index + 2} has a bad checksum` });
      continue;
    }
    if (more > 0 && value.more !== more - 1) {
      faults.push({ rule: 'append', text: `line ${index + 2} does not go on with the append before` });
    }
    more = Number(value.more);
    entries.push(entryOf(value));
  }
  return { entries, torn, faults: [...faults, ...orderFaults(entries)] };
}

/** The entry of one line, without its line feed; `null` when it is none, or damaged. */
export function readEntryLine(line: Buffer): FileEntry | null {
  const value = parsedLine(line);
  return value === null || value.sessionId !== undefined ? null : entryOf(value);
}

function linesOf(bytes: Buffer): readonly FileLine[] {
  const lines: FileLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(10, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    lines.push({ value: feed === -1 ? null : parsedLine(bytes.subarray(start, feed)), end });
    start = end;
  }
  return lines;
}

function parsedLine(line: Buffer): LineValue | null {
  const covered = line.subarray(0, line.length - crcLength);
  const crc = `"crc":"${crc32(covered).toString(16).padStart(8, '0')}"}`;
  return line.toString('latin1', line.length - crcLength) === crc ? JSON.parse(line.toString('utf8')) : null;
}

function entryOf(value: LineValue): FileEntry {
  const bare = Object.fromEntries(Object.entries(value).filter(([name]) => !envelope.includes(name as 'crc')));
  return { text: JSON.stringify(bare), value: bare as unknown as EntryValue };
}

/** Seqs from 1 on without a gap, each id once, each parent before its child. */
function orderFaults(entries: readonly FileEntry[]): readonly Fault[] {
  const faults: Fault[] = [];
  const ids = new Set<string>();
  let last = 0;
  for (const { value } of entries) {
    const { seq, id, parentId } = value;
    if (seq <= last || ids.has(id)) faults.push({ rule: 'duplicated', text: `#${seq} is there twice` });
    else if (seq !== last + 1) faults.push({ rule: 'gap', text: `#${seq} follows #${last}` });
    if (parentId !== null && !ids.has(parentId)) {
      faults.push({ rule: 'parent', text: `#${seq} follows an entry that is not before it` });
    }
    ids.add(id);
    last = Math.max(last, seq);
  }
  return faults;
}
