import type { Entry, Seq } from '@varve/core';
import type { ReadableFile } from './file-system.ts';
import { readLines } from './line-reader.ts';
import { readEntries, recordsOf, seqOf } from './record-reader.ts';
import { locateId, locateSeq, type SearchOptions } from './seq-locator.ts';

/** Entries so close to each other are read in one go. */
const nearby = 64;

/** Where an id is looked for first: what was appended lately. */
const recentBytes = 1_048_576;

/** Looking for more patterns than this takes longer than parsing the line. */
const mostPatterns = 8;

/** What it costs to look for one id in order. Where a scan reads less, there is one. */
const searchedBytes = 262_144;

/** An id as core mints them: they grow with time. */
const mintedId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Finds entries by seq. Each stretch of neighbours costs a search of a few short reads. */
export async function findBySeq(
  file: ReadableFile,
  seqs: ReadonlySet<Seq>,
  options: SearchOptions,
): Promise<ReadonlyMap<Seq, Entry>> {
  const found = new Map<Seq, Entry>();
  const { lastSeq = Number.POSITIVE_INFINITY } = options;
  const there = [...seqs].filter((seq) => seq <= lastSeq);
  for (const stretch of stretchesOf(there.sort((a, b) => a - b))) {
    const [first = 0] = stretch;
    const last = stretch.at(-1) ?? first;
    const from = await locateSeq(file, first, options);
    if (from >= options.end) break;
    const wanted = new Set(stretch);
    reading: for await (const entries of readEntries(file, { from, to: options.end, report: options.report })) {
      for (const placed of entries) {
        if (seqOf(placed) > last) break reading;
        if (wanted.has(seqOf(placed)) && !found.has(seqOf(placed))) found.set(seqOf(placed), placed.record.entry);
        if (seqOf(placed) === last) break reading;
      }
    }
  }
  return found;
}

/**
 * Finds entries by id: where they stand when ids grow with seqs; those that are not there in the last megabyte of the
 * file; and what is not there either in a scan from the beginning. Only lines that contain one of the ids are parsed, so
 * that the scan runs at the speed of the disk.
 */
export async function findById(
  file: ReadableFile,
  ids: ReadonlySet<string>,
  options: SearchOptions,
): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  const { end } = options;
  const recent = Math.max(0, end - recentBytes);
  const minted = [...ids].filter((id) => mintedId.test(id));
  for (const id of minted.length * searchedBytes < recent ? minted : []) {
    const entry = await locateId(file, id, options);
    if (entry !== null) found.set(id, entry);
  }
  if (found.size < ids.size) await scanForIds(file, { ids, found, from: recent, to: end, ...options });
  if (recent > 0 && found.size < ids.size) await scanForIds(file, { ids, found, from: 0, to: end, ...options });
  return found;
}

async function scanForIds(
  file: ReadableFile,
  scan: Omit<SearchOptions, 'end' | 'index'> & {
    readonly ids: ReadonlySet<string>;
    readonly found: Map<string, Entry>;
    readonly from: number;
    readonly to: number;
  },
): Promise<void> {
  const { ids, found, from, to, report } = scan;
  const missing = [...ids].filter((id) => !found.has(id));
  const patterns = new Map(missing.map((id) => [id, Buffer.from(`"id":${JSON.stringify(id)}`)]));
  for await (const lines of readLines(file, { from, to })) {
    for (const line of lines) {
      // The scan may begin inside of a line.
      if (line.offset === from && from > 0) continue;
      if (patterns.size <= mostPatterns && !includesAny(line.bytes, patterns.values())) continue;
      for (const { record } of recordsOf(line, report)) {
        if (record.kind !== 'entry' || !patterns.delete(record.entry.id)) continue;
        found.set(record.entry.id, record.entry);
      }
    }
    if (patterns.size === 0) return;
  }
}

function includesAny(bytes: Buffer, patterns: Iterable<Buffer>): boolean {
  for (const pattern of patterns) if (bytes.includes(pattern)) return true;
  return false;
}

function stretchesOf(seqs: readonly Seq[]): Seq[][] {
  const stretches: Seq[][] = [];
  for (const seq of seqs) {
    const current = stretches.at(-1);
    const last = current?.at(-1);
    if (current === undefined || last === undefined || seq - last > nearby) stretches.push([seq]);
    else current.push(seq);
  }
  return stretches;
}
