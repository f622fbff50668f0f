import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Milliseconds } from '@varve/core';
import { frontStart } from './note.ts';

/** A file of the workspace as it was read. */
export interface WorkspaceFile {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  /** Head and tail of a file that is larger than what is read at once; between them stands how much is left out. */
  readonly text: string;
  /** Of the bytes that were read: 16 hexadecimal digits. */
  readonly hash: string;
}

/** What came of reading: a file, nothing, or why there is nothing to show. */
export type ReadResult =
  | {
      readonly kind: 'file';
      readonly file: WorkspaceFile;
      /** Tells this version from another one; see {@link stampOf}. */
      readonly stamp: string;
      readonly changedAt: Milliseconds;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly why: string };

/** At most so much of a file is read: four fifths from its beginning, the rest from its end. */
const mostBytes = 1_000_000;
const headShare = 0.8;

/** How often a file that changes while it is read is read again. */
const mostAttempts = 3;

/**
 * Reads a file below the workspace. A link may lead anywhere inside, and nowhere else; what is no plain file, or not
 * text, is refused. A file that is replaced meanwhile is read again, so that no half of two versions is shown.
 *
 * @param root  The real path of the workspace.
 */
export async function readWorkspaceFile(root: string, path: string): Promise<ReadResult> {
  try {
    const real = await realpath(join(root, path));
    if (!isInside(root, real)) return { kind: 'refused', why: `${path} is a link that leads out of the workspace` };
    for (let attempt = 1; ; attempt += 1) {
      const read = await readOnce(real, path);
      if (read.kind !== 'file' || attempt === mostAttempts) return read;
      if (read.stamp === stampOf(await stat(real, { bigint: true }))) return read;
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ELOOP') return { kind: 'refused', why: `${path} is a link that leads in a circle` };
    return { kind: 'refused', why: `${path} cannot be read (${code})` };
  }
}

/** What tells two versions of a file apart without reading it. */
export function stampOf({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
}

/** The system's name of what went wrong, or what was thrown. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return String(error);
  return String(error.code);
}

/** True for a path below a folder, and for the folder itself. */
export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

async function readOnce(real: string, path: string): Promise<ReadResult> {
  // Neither follows a link that was put there meanwhile, nor waits for somebody to write into a pipe.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) return { kind: 'refused', why: `${path} is not a plain file` };
    const { bytes, leftOut } = await readBytes(file, Number(stats.size));
    if (bytes.some((part) => part.includes(0))) return { kind: 'refused', why: `${path} is not text` };
    const texts = bytes.map((part) => part.toString('utf8'));
    // As a front line that nobody can read: nothing says whose notes go on behind the gap.
    const text = texts.join(`\n${frontStart} ${leftOut} bytes of the file left out -->\n`);
    const hash = createHash('sha256').update(Buffer.concat(bytes)).update(String(leftOut)).digest('hex').slice(0, 16);
    return { kind: 'file', file: { path, text, hash }, stamp: stampOf(stats), changedAt: Number(stats.mtimeMs) };
  } finally {
    await file.close();
  }
}

async function readBytes(
  file: FileHandle,
  size: number,
): Promise<{ readonly bytes: readonly Buffer[]; readonly leftOut: number }> {
  // One byte more: a file that has grown since is seen to have.
  if (size <= mostBytes) return { bytes: [await readAt(file, { from: 0, length: size + 1 })], leftOut: 0 };
  const head = Math.floor(mostBytes * headShare);
  const tail = mostBytes - head;
  const bytes = [
    await readAt(file, { from: 0, length: head }),
    await readAt(file, { from: size - tail, length: tail }),
  ];
  return { bytes, leftOut: size - mostBytes };
}

async function readAt(
  file: FileHandle,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
