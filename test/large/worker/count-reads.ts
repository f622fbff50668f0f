import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Bytes that this process has read from files whose path ends in `.jsonl`, by file handle or by stream, and how often. */
export const counted = { bytesRead: 0, reads: 0 };

const { open } = promises;
const { openSync, createReadStream } = fs;

// Whoever imports these functions later gets the ones that count: Node loads this module first (`--import`).
promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (isJournal(path)) countReadsOf(handle);
  return handle;
};
fs.createReadStream = (path, options) => {
  const stream = createReadStream(path, options);
  if (isJournal(path)) stream.on('data', (chunk) => count(Buffer.byteLength(chunk)));
  return stream;
};
fs.openSync = (path, ...rest) => {
  if (isJournal(path)) throw new Error(`"${path}" was opened in a way that is not counted.`);
  return openSync(path, ...rest);
};
syncBuiltinESMExports();

function countReadsOf(handle: FileHandle): void {
  const read = handle.read.bind(handle) as (...options: unknown[]) => Promise<{ readonly bytesRead: number }>;
  const counting = async (...options: unknown[]): Promise<{ readonly bytesRead: number }> => {
    const result = await read(...options);
    count(result.bytesRead);
    return result;
  };
  Object.assign(handle, { read: counting });
}

function count(bytes: number): void {
  counted.bytesRead += bytes;
  counted.reads += 1;
}

function isJournal(path: unknown): boolean {
  const text = String(path);
  return text.endsWith('.jsonl') && !text.endsWith('/sessions.jsonl') && !text.includes('exported');
}
