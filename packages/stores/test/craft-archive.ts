import { crc32, deflateRawSync } from 'node:zlib';

/** Where the fields of a member's header are, as bytes of the member. */
const fields = { length: 16, size: 20, bodyCrc: 32 } as const;

/** A member of an archive: where it is, and the seqs of the entries in it. */
export interface ArchivePart {
  readonly kind: 'VB' | 'VL' | 'VE';
  readonly from: number;
  readonly to: number;
}

/** The members of an archive that is sound. */
export function partsOf(archive: Buffer): ArchivePart[] {
  const parts: ArchivePart[] = [];
  for (let from = 0; from < archive.length; ) {
    const to = from + archive.readUInt32LE(from + fields.length);
    const name = archive.toString('latin1', from + 12, from + 14);
    if (name !== 'VB' && name !== 'VL' && name !== 'VE') throw new Error(`No member begins at ${from}.`);
    parts.push({ kind: name, from, to });
    from = to;
  }
  return parts;
}

/** What a header is made to say; its checksum is right all the same. */
export interface CraftedHeader {
  readonly length?: number;
  readonly size?: number;
  readonly from?: bigint;
  readonly bodyCrc?: number;
}

/** Changes the header that begins there. */
export function craftHeader(archive: Buffer, at: number, { length, size, from, bodyCrc }: CraftedHeader): void {
  if (length !== undefined) archive.writeUInt32LE(length, at + fields.length);
  if (size !== undefined) archive.writeUInt32LE(size, at + fields.size);
  if (from !== undefined) archive.writeBigUInt64LE(from, at + 24);
  if (bodyCrc !== undefined) archive.writeUInt32LE(bodyCrc, at + fields.bodyCrc);
  archive.writeUInt32LE(crc32(archive.subarray(at, at + 36)), at + 36);
}

/** A member of any kind, right but for what is said of it. */
export function craftMember(kind: ArchivePart['kind'], body: Buffer, header: CraftedHeader): Buffer {
  const bytes = Buffer.alloc(40 + body.length);
  bytes.set([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]);
  bytes.writeUInt16LE(28 + (kind === 'VL' ? body.length - 10 : 0), 10);
  bytes.write(kind, 12, 'latin1');
  bytes.writeUInt16LE(24, 14);
  bytes.set(body, 40);
  craftHeader(bytes, 0, { length: bytes.length, size: 1, from: 0n, bodyCrc: crc32(body), ...header });
  return bytes;
}

/** The body of a block that becomes so many zeros. */
export function bombBody(size: number): Buffer {
  const footer = Buffer.alloc(8);
  const content = Buffer.alloc(size);
  footer.writeUInt32LE(crc32(content), 0);
  footer.writeUInt32LE(size, 4);
  return Buffer.concat([deflateRawSync(content), footer]);
}

/** The body of a list with these pairs of a length in the file and a size in the journal. */
export function listBody(pairs: readonly (readonly [length: number, size: number])[]): Buffer {
  const bytes = Buffer.alloc(4 + pairs.length * 8);
  bytes.write('VP', 'latin1');
  bytes.writeUInt16LE(pairs.length * 8, 2);
  for (const [index, [length, size]] of pairs.entries()) {
    bytes.writeUInt32LE(length, 4 + index * 8);
    bytes.writeUInt32LE(size, 8 + index * 8);
  }
  return Buffer.concat([bytes, emptyBody]);
}

/** The body of a member that holds nothing. */
export const emptyBody: Buffer = Buffer.concat([Buffer.from([3, 0]), Buffer.alloc(8)]);
