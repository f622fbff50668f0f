import { crc32 } from 'node:zlib';

/** What a checksum begins with. */
export const crcStart = '"crc":"';
const crcLength = `${crcStart}xxxxxxxx"}`.length;
const carriageReturn = 13;

/** Where the checksum of a line ends, and so a line that another one was glued to. */
export const crcEnding: RegExp = /"crc":"[0-9a-f]{8}"\}/g;

/** Ends an object, given as JSON without its last brace, with a checksum of all before, and with a line feed. */
export function seal(text: string): Buffer {
  // One string, one Buffer, and eight characters written over in place.
  const bytes = Buffer.from(`${text},${crcStart}00000000"}\n`);
  const crcAt = bytes.length - crcLength - 1;
  const crc = crc32(bytes.subarray(0, crcAt));
  bytes.write(crc.toString(16).padStart(8, '0'), crcAt + crcStart.length, 'latin1');
  return bytes;
}

/** The object of a line, without its line feed; `null` when its checksum is missing or wrong. */
export function unseal(bytes: Buffer): Record<string, unknown> | null {
  const end = endsWithCarriageReturn(bytes) ? bytes.length - 1 : bytes.length;
  const crcAt = end - crcLength;
  if (crcAt < 1 || bytes.toString('latin1', crcAt, crcAt + crcStart.length) !== crcStart) return null;
  const crc = Number.parseInt(bytes.toString('latin1', crcAt + crcStart.length, end - 2), 16);
  if (crc32(bytes.subarray(0, crcAt)) !== crc) return null;
  try {
    return JSON.parse(bytes.toString('utf8', 0, end));
  } catch {
    return null;
  }
}

/** Whether a program of another system changed how the line ends. */
export function endsWithCarriageReturn(bytes: Buffer): boolean {
  return bytes[bytes.length - 1] === carriageReturn;
}
