import { crc32 } from 'node:zlib';
import { readAt } from '../file-system.ts';
import { type ArchiveBlock, type ArchiveSource, mostBlocks } from './archive-block.ts';
import { canHold, decodeHeader, endLength, headerLength, pairLength, pairsOf } from './archive-member.ts';
import { scanBlocks } from './scan-blocks.ts';

/** The list of so many. */
const longestList = mostBlocks * pairLength * 2;

/** What the error of a file has for a code that is no archive: nothing in it is a block. */
export const noArchive = 'EFTYPE';

/**
 * The blocks of an archive in order, as the list at its end says, or, where that is damaged, as their own headers say. No
 * two of them overlap, none holds more than its bytes can become, and there are at most {@link mostBlocks}, whatever the
 * file says.
 *
 * @throws an error with the code {@link noArchive}
 */
export async function readLayout(source: ArchiveSource): Promise<readonly ArchiveBlock[]> {
  const blocks = (await listed(source)) ?? (await scanBlocks(source));
  if (blocks.length > 0) return blocks;
  throw Object.assign(new Error('Nothing in it is a block of an archive.'), { code: noArchive });
}

async function listed({ file, size }: ArchiveSource): Promise<readonly ArchiveBlock[] | null> {
  const last = await readAt(file, { position: Math.max(0, size - endLength), length: endLength });
  const end = decodeHeader(last);
  const isEnd = end?.kind === 'end' && crc32(last.subarray(headerLength)) === end.bodyCrc;
  const listFrom = isEnd ? end.from : size;
  const listTo = size - endLength;
  if (!isEnd || listFrom > listTo || listTo - listFrom > longestList || end.size > mostBlocks) return null;
  const blocks = blocksIn(await readAt(file, { position: listFrom, length: listTo - listFrom }));
  return blocks !== null && blocks.length === end.size && endOf(blocks) === listFrom ? blocks : null;
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
      if (!canHold(length, size)) return null;
      blocks.push({ at, length, from, size });
      at += length;
      from += size;
    }
    position += header.length;
  }
  return blocks;
}
