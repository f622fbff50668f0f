import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type OpenFile, readAt } from '../file-system.ts';
import { type ArchiveBlock, type ArchiveSource, readLayout } from './archive-layout.ts';
import { decodeHeader, footerLength, headerLength } from './archive-member.ts';

const inflate = promisify(inflateRaw);

/** Blocks that are kept as they were read: a line that crosses none, and its neighbours. */
const keptBlocks = 4;

const lineFeed = 10;

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
  readonly #kept = new Map<ArchiveBlock, Promise<Buffer>>();

  /** Reads where the blocks are. The file is closed with this one. */
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

  #contentOf(block: ArchiveBlock): Promise<Buffer> {
    const known = this.#kept.get(block);
    if (known !== undefined) return known;
    const content = this.#decode(block);
    this.#kept.set(block, content);
    // What could not be read now may be read the next time.
    content.catch(() => this.#kept.delete(block));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptBlocks && oldest !== undefined) this.#kept.delete(oldest);
    return content;
  }

  async #decode({ at, length, from, size }: ArchiveBlock): Promise<Buffer> {
    const bytes = await readAt(this.#source.file, { position: at, length });
    const header = decodeHeader(bytes);
    const isNamed =
      header?.kind === 'block' && header.length === length && header.from === from && header.size === size;
    const isWhole = isNamed && crc32(bytes.subarray(headerLength)) === header.bodyCrc;
    if (!isWhole) this.#source.report({ kind: 'bad-block', offset: at, length });
    const content = await inflated(bytes, size);
    if (content?.length === size) {
      // Its lines have checksums of their own; nothing of them may run into the next block.
      if (!isWhole) content[size - 1] = lineFeed;
      return content;
    }
    const lost = Buffer.alloc(size);
    if (size > 0) lost[size - 1] = lineFeed;
    return lost;
  }
}

/** `null` where nothing can be made of it. */
async function inflated(member: Buffer, size: number): Promise<Buffer | null> {
  if (size === 0) return Buffer.alloc(0);
  try {
    return await inflate(member.subarray(headerLength, -footerLength), { maxOutputLength: size });
  } catch {
    return null;
  }
}

function refuse(): Promise<never> {
  return Promise.reject(Object.assign(new Error('An archive is only read.'), { code: 'EBADF' }));
}
