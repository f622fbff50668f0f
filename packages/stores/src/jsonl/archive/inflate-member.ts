import { promisify } from 'node:util';
import { crc32, type InflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib';
import { longestLine } from '../journal-line.ts';
import { footerLength, headerLength, mostSizeOf } from './archive-member.ts';

/** What the callback is given that asks for it. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: InflateRaw;
}

const inflate = promisify((bytes: Buffer, options: ZlibOptions, done: (error: Error | null, result: Buffer) => void) =>
  inflateRaw(bytes, options, done),
);

/** What the member that begins these bytes holds, however its header is; `null` where its checksum does not say so. */
export async function inflateMember(bytes: Buffer): Promise<{ readonly length: number; readonly size: number } | null> {
  const maxOutputLength = Math.min(longestLine, mostSizeOf(bytes.length));
  try {
    const result: unknown = await inflate(bytes.subarray(headerLength), { maxOutputLength, info: true });
    const { buffer, engine } = result as Inflated;
    const end = headerLength + engine.bytesWritten;
    const isWhole =
      buffer.length > 0 &&
      end + footerLength <= bytes.length &&
      bytes.readUInt32LE(end) === crc32(buffer) &&
      bytes.readUInt32LE(end + 4) === buffer.length;
    return isWhole ? { length: end + footerLength, size: buffer.length } : null;
  } catch {
    return null;
  }
}
