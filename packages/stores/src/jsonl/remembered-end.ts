import type { ReadableFile } from './file-system.ts';

/** What is remembered at most: longer tails are rare, and what is read of them stands in entries soon. */
const mostRemembered = 4_194_304;

/** What was read of a file. */
interface Piece {
  readonly position: number;
  readonly bytes: Buffer;
}

/**
 * A file whose end is looked through backwards, and then read from somewhere in it: what follows the lowest place that was
 * read without a gap is not read again. The file must not change up to `end` meanwhile.
 */
export function rememberEnd(file: ReadableFile, end: number): ReadableFile {
  /** The last piece of the file first. */
  const pieces: Piece[] = [];
  let start = end;
  return {
    // As Node's file handles have it, with four arguments.
    read: async (...asked) => {
      const [buffer, offset, length, position] = asked;
      if (position >= start && position < end) {
        return { bytesRead: copyFrom(pieces, buffer.subarray(offset, offset + length), position) };
      }
      const bytes = buffer.subarray(offset, offset + (position < start ? Math.min(length, start - position) : length));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, position);
      const isNext = bytesRead > 0 && position + bytesRead === start;
      if (isNext && end - position <= mostRemembered) {
        pieces.push({ position, bytes: Buffer.from(bytes.subarray(0, bytesRead)) });
        start = position;
      }
      return { bytesRead };
    },
  };
}

/** Copies what the pieces have from `position` on, as far as one of them goes. */
function copyFrom(pieces: readonly Piece[], target: Buffer, position: number): number {
  const piece = pieces.find((one) => one.position <= position);
  return piece?.bytes.copy(target, 0, position - piece.position) ?? 0;
}
