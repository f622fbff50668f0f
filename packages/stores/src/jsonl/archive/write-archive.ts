import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { appendTo, type OpenFile, readAt } from '../file-system.ts';
import { longestLine } from '../journal-line.ts';
import { encodeBlock, encodeEnd, encodeList, mostPairs, pairLength } from './archive-member.ts';

const deflate = promisify(deflateRaw);

/** A block has no more bytes, unless it is one longer line. */
const blockSize = 65_536;

/** Blocks that are compressed at the same time, and written together. */
const atOnce = 8;

const lineFeed = 10;

/** Writes the archive of a journal, up to `end`, into a new file. Not synced. Gives how long it is. */
export async function writeArchive(
  target: OpenFile,
  { source, end }: { readonly source: OpenFile; readonly end: number },
): Promise<number> {
  const pairs: number[] = [];
  let at = 0;
  let waiting: { readonly content: Buffer; readonly from: number }[] = [];
  const flush = async (): Promise<void> => {
    const members = await Promise.all(
      waiting.map(async ({ content, from }) => encodeBlock(content, { compressed: await deflate(content), from })),
    );
    for (const [index, member] of members.entries()) pairs.push(member.length, waiting[index]?.content.length ?? 0);
    at += members.reduce((sum, { length }) => sum + length, 0);
    waiting = [];
    await appendTo(target, members);
  };
  for (let from = 0; from < end; ) {
    const content = await blockFrom(source, { from, end });
    // Somebody cut the file: it is found when the archive is compared with it.
    if (content.length === 0) break;
    waiting.push({ content, from });
    from += content.length;
    if (waiting.length === atOnce) await flush();
  }
  await flush();
  const trailer = trailerOf(pairs, { at, end });
  await appendTo(target, trailer);
  return at + trailer.reduce((sum, { length }) => sum + length, 0);
}

/** Whole lines from `from` on. */
async function blockFrom(
  source: OpenFile,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<Buffer> {
  for (let length = blockSize; ; length *= 2) {
    const most = Math.min(length, end - from, longestLine);
    const bytes = await readAt(source, { position: from, length: most });
    const last = bytes.lastIndexOf(lineFeed);
    if (last !== -1) return length === blockSize ? bytes.subarray(0, last + 1) : firstLineOf(bytes);
    if (bytes.length < length) return bytes;
  }
}

function firstLineOf(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.indexOf(lineFeed) + 1);
}

function trailerOf(pairs: readonly number[], { at, end }: { readonly at: number; readonly end: number }): Buffer[] {
  const bytes = Buffer.alloc(pairs.length * 4);
  for (const [index, value] of pairs.entries()) bytes.writeUInt32LE(value, index * 4);
  const lists: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += mostPairs * pairLength) {
    lists.push(encodeList(bytes.subarray(from, from + mostPairs * pairLength), { from: end }));
  }
  return [...lists, encodeEnd({ from: at, blocks: pairs.length / 2 })];
}
