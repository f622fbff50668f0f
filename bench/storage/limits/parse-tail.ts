import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** How many bytes the last lines of a file have. */
export function bytesOfLastLines(path: string, lines: number): number {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  let length = Math.min(size, 65_536);
  for (;;) {
    const buffer = Buffer.alloc(length);
    readSync(file, buffer, 0, length, size - length);
    let at = length - 1;
    let left = lines;
    while (left > 0 && at > 0) {
      at = buffer.lastIndexOf(10, at - 1);
      left -= 1;
    }
    if (at > 0 || length === size) {
      closeSync(file);
      return at > 0 ? length - at - 1 : size;
    }
    length = Math.min(size, length * 2);
  }
}

/** The least that reading the end of a file takes: one read of so many bytes, and `JSON.parse` of each line. */
export async function parseTail(path: string, length: number): Promise<number> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(length);
  await file.read(buffer, 0, length, size - length);
  await file.close();
  const values: unknown[] = [];
  for (let from = 0; from < length; ) {
    const end = buffer.indexOf(10, from);
    values.push(JSON.parse(buffer.toString('utf8', from, end)));
    from = end + 1;
  }
  return values.length;
}
