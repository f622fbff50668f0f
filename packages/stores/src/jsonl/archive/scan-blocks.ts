import { crc32 } from 'node:zlib';
import { readAt } from '../file-system.ts';
import { type ArchiveBlock, type ArchiveSource, mostBlocks } from './archive-block.ts';
import {
  decodeHeader,
  footerLength,
  headerLength,
  longestMember,
  type MemberHeader,
  mostSizeOf,
  nextHeader,
} from './archive-member.ts';
import { inflateMember } from './inflate-member.ts';

/** How much is read at a time to find headers. */
const chunk = 262_144;

/** So many blocks of which a header says nothing, or what cannot be, are read: each may be the longest line there is. */
const mostTries = 64;

/** A header that was found, and where. */
interface FoundHeader {
  readonly at: number;
  readonly header: MemberHeader;
}

/**
 * Finds the blocks of an archive whose list is damaged: goes from header to header. Where one of them is damaged, the block
 * is read without it; where that does not do either, the next header says what lay between. The file is read once, from
 * its beginning to its end.
 *
 * @returns None when there is nothing of an archive in the file.
 */
export function scanBlocks(source: ArchiveSource): Promise<readonly ArchiveBlock[]> {
  return new BlockScan(source).run();
}

class BlockScan {
  readonly #source: ArchiveSource;
  readonly #blocks: ArchiveBlock[] = [];
  /** The part of the file in which headers are looked for. */
  #window: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };
  #at = 0;
  #from = 0;
  #tries = 0;
  /** Where the last place ends that was told. */
  #toldTo = 0;
  #isArchive = false;

  constructor(source: ArchiveSource) {
    this.#source = source;
  }

  async run(): Promise<readonly ArchiveBlock[]> {
    const { size } = this.#source;
    while (this.#at < size && this.#blocks.length < mostBlocks) {
      const header = await this.#headerAt(this.#at);
      if (header !== null) this.#isArchive = true;
      if (header !== null && header.kind !== 'block') break;
      if (header !== null && (await this.#isSound(header))) this.#take(header);
      else await this.#passOver(header);
    }
    // The list, or what is left of it, or the place where it has to be.
    if (this.#isArchive && this.#toldTo < size) this.#report(size - this.#at);
    return this.#isArchive ? this.#blocks : [];
  }

  /** Whether a block is where it belongs, and as long as it says: the next one follows, or its own bytes say so. */
  async #isSound({ from, length, size, bodyCrc }: MemberHeader): Promise<boolean> {
    const behind = this.#at + length;
    if (from !== this.#from || behind > this.#source.size) return false;
    if (behind === this.#source.size) return true;
    const { file } = this.#source;
    const next = decodeHeader(await readAt(file, { position: behind, length: headerLength }));
    if (next !== null && (next.kind !== 'block' || next.from === from + size)) return true;
    if (this.#tries === mostTries) return false;
    this.#tries += 1;
    const body = await readAt(file, { position: this.#at + headerLength, length: length - headerLength });
    return crc32(body) === bodyCrc;
  }

  #take({ length, size }: Pick<ArchiveBlock, 'length' | 'size'>): void {
    this.#blocks.push({ at: this.#at, length, from: this.#from, size });
    this.#at += length;
    this.#from += size;
  }

  /** Bytes that do not begin with the header that belongs there, up to the next one. */
  async #passOver(header: MemberHeader | null): Promise<void> {
    const next = await this.#headerBehind(this.#at);
    const to = this.#endBefore(next);
    // Nobody says where the next block begins in the journal: this one is as long as it is, or says that it is.
    const isKnown = next?.header.kind === 'block';
    const until = isKnown ? next.header.from : Number.POSITIVE_INFINITY;
    const found = await this.#unpackedSize(to - this.#at);
    if (found !== null && this.#from + found.size <= until) {
      this.#isArchive = true;
      this.#report(found.length);
      this.#take(found);
    }
    const left = { length: to - this.#at, size: isKnown ? until - this.#from : 0 };
    // The last block, of which the end is missing.
    const isTorn = !isKnown && found === null && header?.from === this.#from;
    if (left.length === 0 && left.size === 0) return;
    this.#report(left.length);
    this.#take(isTorn ? { ...left, size: header.size } : left);
  }

  #report(length: number): void {
    this.#toldTo = this.#at + length;
    this.#source.report({ kind: 'bad-block', offset: this.#at, length });
  }

  /** Where the bytes end that belong to no header before this one. */
  #endBefore(next: FoundHeader | null): number {
    if (next === null) return this.#source.size;
    const { at, header } = next;
    return header.kind === 'end' && header.from > this.#at && header.from < at ? header.from : at;
  }

  /** The block that begins here, whatever its header says; `null` where there is none, or it is not as it was written. */
  async #unpackedSize(length: number): Promise<Pick<ArchiveBlock, 'length' | 'size'> | null> {
    if (this.#tries === mostTries || length <= headerLength + footerLength) return null;
    this.#tries += 1;
    const bytes = await readAt(this.#source.file, { position: this.#at, length: Math.min(length, longestMember) });
    return inflateMember(bytes);
  }

  async #headerAt(at: number): Promise<MemberHeader | null> {
    const bytes = await this.#bytesFrom(at);
    return decodeHeader(bytes, 0);
  }

  /** The next header that can be right. */
  async #headerBehind(before: number): Promise<FoundHeader | null> {
    const { size } = this.#source;
    for (let position = before + 1; position < size; ) {
      const bytes = await this.#bytesFrom(position);
      for (let at = nextHeader(bytes, 0); at !== -1; at = nextHeader(bytes, at + 1)) {
        const header = decodeHeader(bytes, at);
        if (header !== null && this.#canFollow(header, position + at)) return { at: position + at, header };
      }
      // A header that begins in this part and ends in the next one is found there.
      position += Math.max(1, bytes.length - headerLength + 1);
    }
    return null;
  }

  /** Whether the journal can have got so far with what lies between. */
  #canFollow({ kind, from }: MemberHeader, at: number): boolean {
    if (kind !== 'block') return true;
    return from >= this.#from && from - this.#from <= mostSizeOf(at - this.#at);
  }

  /** What stands from there on: at least a header, as long as the file has one. */
  async #bytesFrom(at: number): Promise<Buffer> {
    const { file, size } = this.#source;
    const { from, bytes } = this.#window;
    const isThere = at >= from && (at + headerLength <= from + bytes.length || from + bytes.length >= size);
    if (!isThere || bytes.length === 0) {
      const length = Math.min(chunk, size - at);
      this.#window = { from: at, bytes: await readAt(file, { position: at, length }) };
      return this.#window.bytes;
    }
    return bytes.subarray(at - from);
  }
}
