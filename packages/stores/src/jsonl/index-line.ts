import { randomUUID } from 'node:crypto';
import type { SessionRecord } from '@varve/core';
import { seal, unseal } from './sealed-line.ts';

/** A line of an index that holds a record. */
export interface RecordLine {
  readonly kind: 'record';
  readonly record: SessionRecord;
  /** The write that it came with: tells whose line won when two were made for one revision. */
  readonly by: string;
  /** The writes that the revisions before came with, as far as they may be asked for; the last one last. */
  readonly after: readonly string[];
}

/** The first line of an index. */
export interface HeaderLine {
  readonly kind: 'header';
  /** No two files have the same one: the number of a file is given to another as soon as it is gone. */
  readonly file: string;
  /** The file in whose place this one is, and how much of it was read. */
  readonly replaces: { readonly file: string; readonly bytes: number } | null;
}

/** What a line of an index holds. A line of a newer version is kept as it is. */
export type IndexLine = RecordLine | HeaderLine | { readonly kind: 'newer' };

/** The first line of a new index, with its line feed. An index without it is one that was damaged. */
export function encodeIndexHeader(replaces: HeaderLine['replaces']): Buffer {
  const before = replaces === null ? '' : `,"replaces":${JSON.stringify(replaces)}`;
  return seal(`${headerStart}${randomUUID()}"${before}`);
}

const headerStart = '{"v":1,"type":"session-index","file":"';

/** How many bytes at the beginning of an index tell it from all others. */
export const tellingBytes: number = headerStart.length + randomUUID().length;

/** The line of a record, with its line feed. */
export function encodeRecord({ record, by, after }: RecordLine): Buffer {
  const writes = after.length === 0 ? '' : `,"after":${JSON.stringify(after)}`;
  return seal(`{"v":1,"record":${JSON.stringify(record)},"by":${JSON.stringify(by)}${writes}`);
}

/** Reads one line, without its line feed. `null` when the checksum is wrong, or it is no line of an index. */
export function decodeIndexLine(bytes: Buffer): IndexLine | null {
  const line: RawLine | null = unseal(bytes);
  if (line === null || typeof line.v !== 'number') return null;
  if (line.v !== 1) return { kind: 'newer' };
  if (line.type === 'session-index') return headerOf(line);
  const { record, by, after } = line;
  if (typeof by !== 'string' || !isRecord(record)) return null;
  // Copying takes longer than parsing.
  const whole = hasLaterFields(record) ? record : { ...laterFields, ...record };
  return { kind: 'record', record: whole, by, after: Array.isArray(after) ? after : none };
}

/** What records did not have at first: one that was written before says nothing of it. */
const laterFields: Pick<SessionRecord, 'currentSince' | 'previousSessionId' | 'forkedFrom' | 'lease'> = {
  currentSince: null,
  previousSessionId: null,
  forkedFrom: null,
  lease: null,
};

function hasLaterFields(record: Partial<SessionRecord>): boolean {
  const { currentSince, previousSessionId, forkedFrom, lease } = record;
  return (
    currentSince !== undefined && previousSessionId !== undefined && forkedFrom !== undefined && lease !== undefined
  );
}

/** A line as it was parsed. */
interface RawLine {
  readonly v?: unknown;
  readonly type?: unknown;
  readonly record?: unknown;
  readonly by?: unknown;
  readonly after?: unknown;
  readonly file?: unknown;
  readonly replaces?: Partial<NonNullable<HeaderLine['replaces']>> | null;
}

const none: readonly string[] = [];

function headerOf({ file, replaces }: RawLine): HeaderLine {
  const { file: before, bytes } = replaces ?? {};
  const isKnown = typeof before === 'string' && typeof bytes === 'number';
  return { kind: 'header', file: String(file), replaces: isKnown ? { file: before, bytes } : null };
}

/** Whether a record can be told from others, put in order and changed. What else it says is its reader's to judge. */
function isRecord(value: unknown): value is SessionRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, rev, agentId, updatedAt } = value as Partial<SessionRecord>;
  const isNamed = typeof sessionId === 'string' && typeof agentId === 'string';
  return isNamed && Number.isSafeInteger(rev) && Number(rev) >= 0 && Number.isFinite(updatedAt);
}
