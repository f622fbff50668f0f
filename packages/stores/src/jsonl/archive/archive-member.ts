import { crc32 } from 'node:zlib';
import { longestLine } from '../journal-line.ts';

/** What a member of an archive is: a block of lines, a part of the list of blocks, or the last one, which says where that begins. */
type MemberKind = 'block' | 'list' | 'end';

/** What the beginning of a member says. */
export interface MemberHeader {
  readonly kind: MemberKind;
  /** Bytes of the whole member in the file. */
  readonly length: number;
  /** Of a block, how many bytes of the journal it holds; of a list, how many blocks it names. */
  readonly size: number;
  /** Of a block, where its bytes begin in the journal; of a list, how long the journal is; of the end, where the list begins in the file. */
  readonly from: number;
  /** CRC-32 of all bytes behind the header. */
  readonly bodyCrc: number;
}

/** Bytes of a header: that of gzip, and one field of its own (RFC 1952, 2.3.1.1). */
export const headerLength = 40;

/** Bytes behind the compressed data: its checksum and its length, as gzip has them. */
export const footerLength = 8;

/** Compressed data of nothing. */
const nothing = Buffer.from([3, 0]);

/** Bytes of the last member. */
export const endLength: number = headerLength + nothing.length + footerLength;

/** Bytes of the longest member: the longest line there is, where compressing it only adds to it. */
export const longestMember: number = longestLine + 2 ** 20;

/** Compressed data becomes at most so many times as long: no header that claims more is right. */
const mostRatio = 1_032;

/** Whether so many bytes in the file can be a block that holds so many bytes of a journal. */
export function canHold(length: number, size: number): boolean {
  return (
    length >= endLength && length <= longestMember && size > 0 && size <= longestLine && size <= mostSizeOf(length)
  );
}

/** How many bytes of a journal can be in so many bytes of an archive. */
export function mostSizeOf(length: number): number {
  return length * mostRatio;
}

/** What each header begins with: deflate, with extra fields, and neither a time nor a system. */
const gzipStart = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]);

/** By this a header is looked for: two letters behind it tell its kind. */
const letters: Readonly<Record<MemberKind, string>> = { block: 'VB', list: 'VL', end: 'VE' };

/** Bytes of the field that a header has. */
const fieldLength = 24;

/** A block: `size` bytes of the journal, compressed. */
export function encodeBlock(
  content: Buffer,
  { compressed, from }: { readonly compressed: Buffer; readonly from: number },
): Buffer {
  return encodeMember(
    { kind: 'block', size: content.length, from },
    { body: Buffer.concat([compressed, footerOf(content)]) },
  );
}

/** A part of the list: pairs of the length of a member and of how much of the journal is in it. */
export function encodeList(pairs: Buffer, { from }: { readonly from: number }): Buffer {
  const field = Buffer.alloc(4);
  field.write('VP', 'latin1');
  field.writeUInt16LE(pairs.length, 2);
  const body = Buffer.concat([field, pairs, nothing, footerOf(Buffer.alloc(0))]);
  return encodeMember(
    { kind: 'list', size: pairs.length / pairLength, from },
    { body, extra: field.length + pairs.length },
  );
}

/** The last member. */
export function encodeEnd({ from, blocks }: { readonly from: number; readonly blocks: number }): Buffer {
  return encodeMember(
    { kind: 'end', size: blocks, from },
    { body: Buffer.concat([nothing, footerOf(Buffer.alloc(0))]) },
  );
}

/** Bytes of a pair in a list. */
export const pairLength = 8;

/** So many pairs one member can have: a field of gzip has at most 64 KB. */
export const mostPairs = 8_000;

/** The pairs in the body of a list. */
export function pairsOf(body: Buffer): Buffer {
  return body.subarray(4, body.length - nothing.length - footerLength);
}

function encodeMember(
  { kind, size, from }: Pick<MemberHeader, 'kind' | 'size' | 'from'>,
  { body, extra = 0 }: { readonly body: Buffer; readonly extra?: number },
): Buffer {
  const bytes = Buffer.alloc(headerLength + body.length);
  gzipStart.copy(bytes);
  bytes.writeUInt16LE(4 + fieldLength + extra, 10);
  bytes.write(letters[kind], 12, 'latin1');
  bytes.writeUInt16LE(fieldLength, 14);
  bytes.writeUInt32LE(bytes.length, 16);
  bytes.writeUInt32LE(size, 20);
  bytes.writeBigUInt64LE(BigInt(from), 24);
  bytes.writeUInt32LE(crc32(body), 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36)), 36);
  body.copy(bytes, headerLength);
  return bytes;
}

function footerOf(content: Buffer): Buffer {
  const footer = Buffer.alloc(footerLength);
  footer.writeUInt32LE(crc32(content), 0);
  footer.writeUInt32LE(content.length % 2 ** 32, 4);
  return footer;
}

/** Reads the header that begins at `at`; `null` where none does, it is not as it was written, or says what cannot be. */
export function decodeHeader(bytes: Buffer, at = 0): MemberHeader | null {
  if (at + headerLength > bytes.length || !bytes.subarray(at, at + gzipStart.length).equals(gzipStart)) return null;
  if (crc32(bytes.subarray(at, at + 36)) !== bytes.readUInt32LE(at + 36)) return null;
  const name = bytes.toString('latin1', at + 12, at + 14);
  const kind = (['block', 'list', 'end'] as const).find((one) => letters[one] === name);
  if (kind === undefined) return null;
  const header = {
    kind,
    length: bytes.readUInt32LE(at + 16),
    size: bytes.readUInt32LE(at + 20),
    from: Number(bytes.readBigUInt64LE(at + 24)),
    bodyCrc: bytes.readUInt32LE(at + 32),
  };
  return isPossible(header) ? header : null;
}

/** Whoever makes a file can make its checksums, too. */
function isPossible({ kind, length, size, from }: MemberHeader): boolean {
  if (!Number.isSafeInteger(from)) return false;
  if (kind === 'block') return canHold(length, size);
  const pairs = kind === 'list' ? 4 + size * pairLength : 0;
  return (kind === 'end' || (size > 0 && size <= mostPairs)) && length === endLength + pairs;
}

/** Where a header may begin, from `at` on; -1 where none does. */
export function nextHeader(bytes: Buffer, at: number): number {
  return bytes.indexOf(gzipStart, at);
}
