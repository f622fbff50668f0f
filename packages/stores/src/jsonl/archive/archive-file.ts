import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type OpenFile, readAt } from '../file-system.ts';
import { longestLine } from '../journal-line.ts';
import type { ArchiveBlock, ArchiveSource } from './archive-block.ts';
import { readLayout } from './archive-layout.ts';
import { decodeHeader, footerLength, headerLength, longestMember } from './archive-member.ts';

const inflate = promisify(inflateRaw);

/** Blocks that are kept as they were read: a line that crosses none, and its neighbours. */
const keptBlocks = 4;

/** One that is longer is kept alone, as a line may be of 128 MB. */
const longestKept = 1_048_576;

const lineFeed = 10;
const noBytes = Buffer.alloc(0);

/**
 * An archive, read as the journal that it holds: positions are those in the journal. Of a block that cannot be read a line
 * of zeros of the same length is given, so that all other lines stay where they were. It cannot be written to.
 */
export class ArchiveFile implements OpenFile {
  readonly fd: number;
  /** Bytes of the journal. */
  readonly size: number;
  readonly #source: ArchiveSource;
  readonly #blocks: readonly ArchiveBlock[];
  readonly #kept = new Map<ArchiveBlock, Promise<Buffer | null>>();

  /** Reads where the blocks are. The file is closed with this one. @throws an error with the code `noArchive` */
  static async open(source: ArchiveSource): Promise<ArchiveFile> {
    return new ArchiveFile(source, await readLayout(source));
  }

  private constructor(source: ArchiveSource, blocks: readonly ArchiveBlock[]) {
    const last = blocks.at(-1);
    this.fd = source.file.fd;
    this.size = last === undefined ? 0 : last.from + last.size;
    this.#source = source;
    this.#blocks = blocks;
  }

  async read(...where: Parameters<OpenFile['read']>): Promise<{ readonly bytesRead: number }> {
    const [buffer, offset, length, position] = where;
    const block = this.#blockAt(position);
    if (block === undefined) return { bytesRead: 0 };
    const content = await this.#contentOf(block);
    const start = position - block.from;
    if (content === null)
      return { bytesRead: copyNothing(buffer.subarray(offset, offset + length), block.size - start) };
    return { bytesRead: content.copy(buffer, offset, start, Math.min(content.length, start + length)) };
  }

  writev(): Promise<never> {
    return refuse();
  }

  datasync(): Promise<never> {
    return refuse();
  }

  sync(): Promise<never> {
    return refuse();
  }

  truncate(): Promise<never> {
    return refuse();
  }

  close(): Promise<void> {
    return this.#source.file.close();
  }

  #blockAt(position: number): ArchiveBlock | undefined {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.#blocks[middle];
      if (block !== undefined && block.from + block.size <= position) low = middle + 1;
      else high = middle;
    }
    return this.#blocks[low];
  }

  /** `null` where nothing can be made of a block. */
  #contentOf(block: ArchiveBlock): Promise<Buffer | null> {
    const known = this.#kept.get(block);
    if (known !== undefined) return known;
    const [kept] = this.#kept.keys();
    if (block.size > longestKept || (kept !== undefined && kept.size > longestKept)) this.#kept.clear();
    const content = this.#decode(block);
    this.#kept.set(block, content);
    // What could not be read now may be read the next time.
    content.catch(() => this.#kept.delete(block));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptBlocks && oldest !== undefined) this.#kept.delete(oldest);
    return content;
  }

  async #decode({ at, length, from, size }: ArchiveBlock): Promise<Buffer | null> {
    // Between two blocks there may be anything: it need not be read to know that it is none.
    const canBeRead = length <= longestMember && size <= longestLine;
    const bytes = canBeRead ? await readAt(this.#source.file, { position: at, length }) : noBytes;
    const header = decodeHeader(bytes);
    const isNamed =
      header?.kind === 'block' && header.length === length && header.from === from && header.size === size;
    const isWhole = isNamed && crc32(bytes.subarray(headerLength)) === header.bodyCrc;
    if (!isWhole) this.#source.report({ kind: 'bad-block', offset: at, length });
    const content = await inflated(bytes, size);
    if (content?.length !== size) {
      if (isWhole) this.#source.report({ kind: 'bad-block', offset: at, length });
      return null;
    }
    // Its lines have checksums of their own; nothing of them may run into the next block.
    if (!isWhole) content[size - 1] = lineFeed;
    return content;
  }
}

/** `null` where nothing can be made of it. */
async function inflated(member: Buffer, size: number): Promise<Buffer | null> {
  if (size === 0 || member.length === 0) return null;
  try {
    return await inflate(member.subarray(headerLength, -footerLength), { maxOutputLength: size });
  } catch {
    return null;
  }
}

/** What stands for the last `left` bytes of a block that is lost: a line of zeros. Gives how many fit. */
function copyNothing(space: Buffer, left: number): number {
  const length = Math.min(space.length, left);
  space.fill(0, 0, length);
  if (length === left && left > 0) space[left - 1] = lineFeed;
  return length;
}

function refuse(): Promise<never> {
  return Promise.reject(Object.assign(new Error('An archive is only read.'), { code: 'EBADF' }));
}
