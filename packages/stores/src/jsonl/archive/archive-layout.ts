import { crc32 } from 'node:zlib';
import { type OpenFile, readAt } from '../file-system.ts';
import type { ReportRepair } from '../repair-report.ts';
import {
  decodeHeader,
  endLength,
  headerLength,
  type MemberHeader,
  nextHeader,
  pairLength,
  pairsOf,
} from './archive-member.ts';

/** A block of an archive, or the bytes where one has to be. */
export interface ArchiveBlock {
  /** Where it begins in the file, and how long it is there. */
  readonly at: number;
  readonly length: number;
  /** Which bytes of the journal it holds. */
  readonly from: number;
  readonly size: number;
}

/** An archive that is looked at. */
export interface ArchiveSource {
  readonly file: OpenFile;
  /** Bytes of the file. */
  readonly size: number;
  /** Told of what is not as it was written, with places in the archive's own file. */
  readonly report: ReportRepair;
}

/** More than a list of blocks is ever long: that of a journal of 500 GB. */
const longestList = 67_108_864;

/** How much is read at a time to find the next header behind a damaged one. */
const searchChunk = 262_144;

/** The blocks of an archive in order, as the list at its end says, or, where that is damaged, as their own headers say. */
export async function readLayout(source: ArchiveSource): Promise<readonly ArchiveBlock[]> {
  return (await listed(source)) ?? (await scanned(source));
}

async function listed({ file, size, report }: ArchiveSource): Promise<readonly ArchiveBlock[] | null> {
  const last = await readAt(file, { position: Math.max(0, size - endLength), length: endLength });
  const end = decodeHeader(last);
  const isEnd = end?.kind === 'end' && crc32(last.subarray(headerLength)) === end.bodyCrc;
  const listFrom = isEnd ? end.from : size;
  const listTo = size - endLength;
  if (!isEnd || listFrom > listTo || listTo - listFrom > longestList) {
    report({ kind: 'bad-block', offset: Math.max(0, listTo), length: Math.min(size, endLength) });
    return null;
  }
  const blocks = blocksIn(await readAt(file, { position: listFrom, length: listTo - listFrom }));
  if (blocks !== null && blocks.length === end.size && endOf(blocks) === listFrom) return blocks;
  report({ kind: 'bad-block', offset: listFrom, length: listTo - listFrom });
  return null;
}

/** Where the last block ends in the file. */
function endOf(blocks: readonly ArchiveBlock[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : last.at + last.length;
}

function blocksIn(list: Buffer): ArchiveBlock[] | null {
  const blocks: ArchiveBlock[] = [];
  let [at, from] = [0, 0];
  for (let position = 0; position < list.length; ) {
    const header = decodeHeader(list, position);
    if (header?.kind !== 'list' || position + header.length > list.length) return null;
    const body = list.subarray(position + headerLength, position + header.length);
    if (crc32(body) !== header.bodyCrc) return null;
    const pairs = pairsOf(body);
    for (let pair = 0; pair < pairs.length; pair += pairLength) {
      const [length, size] = [pairs.readUInt32LE(pair), pairs.readUInt32LE(pair + 4)];
      blocks.push({ at, length, from, size });
      at += length;
      from += size;
    }
    position += header.length;
  }
  return blocks;
}

/** Goes from header to header. Where one is damaged, the next that can be read says what lay between. */
async function scanned(source: ArchiveSource): Promise<readonly ArchiveBlock[]> {
  const { file, size } = source;
  const blocks: ArchiveBlock[] = [];
  let [at, from] = [0, 0];
  while (at < size) {
    const header = decodeHeader(await readAt(file, { position: at, length: headerLength }));
    if (header?.kind === 'block' && header.from === from && at + header.length <= size) {
      blocks.push({ at, length: header.length, from, size: header.size });
      at += header.length;
      from += header.size;
      continue;
    }
    if (header !== null && header.kind !== 'block') break;
    const next = await headerBehind(source, at);
    const to = next?.header.kind === 'end' ? Math.max(at, next.header.from) : (next?.at ?? size);
    const until = next === null || next.header.kind === 'end' ? from : next.header.from;
    if (to > at) blocks.push({ at, length: to - at, from, size: Math.max(0, until - from) });
    from = Math.max(from, until);
    at = next?.at ?? size;
  }
  return blocks;
}

async function headerBehind(
  { file, size }: ArchiveSource,
  before: number,
): Promise<{ readonly at: number; readonly header: MemberHeader } | null> {
  for (let position = before + 1; position < size; position += searchChunk) {
    const bytes = await readAt(file, { position, length: Math.min(searchChunk + headerLength, size - position) });
    for (let at = nextHeader(bytes, 0); at !== -1 && at < searchChunk; at = nextHeader(bytes, at + 1)) {
      const header = decodeHeader(bytes, at);
      if (header !== null) return { at: position + at, header };
    }
  }
  return null;
}
