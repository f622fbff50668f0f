import { constants, fstatSync, readFileSync, readlinkSync, rmdirSync, type Stats, writevSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';

/** What the store asks of a file or folder. */
export type FileFacts = Pick<
  Stats,
  'size' | 'nlink' | 'ino' | 'mode' | 'mtimeMs' | 'birthtimeMs' | 'isFile' | 'isDirectory' | 'isSymbolicLink'
>;

/** An open file, as far as the store uses it. A `FileHandle` of Node is one. */
export interface OpenFile {
  readonly fd: number;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  writev(buffers: Buffer[]): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** A file as far as reading it goes. */
export type ReadableFile = Pick<OpenFile, 'read'>;

/** The functions of `node:fs` and `node:fs/promises` that the store uses, so that a test can make each of them fail. */
export interface FileSystem {
  /** Absent where files have no modes. */
  chmod?(path: string, mode: number): Promise<void>;
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  lstat(path: string): Promise<FileFacts>;
  mkdir(path: string, options: { readonly mode: number; readonly recursive?: boolean }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: boolean }): Promise<void>;
  rmdir(path: string): Promise<void>;
  stat(path: string): Promise<FileFacts>;
  utimes(path: string, accessed: Date, changed: Date): Promise<void>;
  writeFile(path: string, text: string, options: { readonly mode: number }): Promise<void>;
  fstatSync(fd: number): FileFacts;
  rmdirSync(path: string): void;
  writevSync(fd: number, buffers: Buffer[]): number;
}

/** The machine's own file system. */
export const nodeFileSystem: FileSystem = {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
  fstatSync,
  rmdirSync,
  writevSync,
};

let machine: string | undefined;

/** Boot and process namespace, where there are such things: tells machines and containers of one name apart. */
export function machineName(): string {
  machine ??= readMachineName();
  return machine;
}

function readMachineName(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

/** Flags for a file that must not be there yet and tells others, by being there, that somebody works. */
export const claimFlags: number = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;

// Windows knows neither; there the check of the real path has to do. A pipe in the place of a file holds nobody up.
const plain = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** How files of the store are opened: never through a symbolic link, and without waiting for the other end of a pipe. */
export const openFlags: Readonly<Record<'read' | 'append' | 'create' | 'createNew', number>> = {
  read: constants.O_RDONLY | plain,
  append: constants.O_RDWR | constants.O_APPEND | plain,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | plain,
  createNew: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | plain,
};

/** Only the owner may read journals. */
export const modes = { file: 0o600, folder: 0o700 } as const;

/** Reads the bytes from `position` on; fewer than `length` only at the end of the file. */
export async function readAt(
  file: ReadableFile,
  { position, length }: { readonly position: number; readonly length: number },
): Promise<Buffer> {
  return readInto(file, { position, space: Buffer.allocUnsafe(length) });
}

/** Reads the bytes from `position` on into a space, and gives as much of that as was filled. */
export async function readInto(
  file: ReadableFile,
  { position, space }: { readonly position: number; readonly space: Buffer },
): Promise<Buffer> {
  let filled = 0;
  while (filled < space.length) {
    const { bytesRead } = await file.read(space, filled, space.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === space.length ? space : space.subarray(0, filled);
}

/** Writes all buffers at the end of a file that was opened for appending, off the main thread. */
export async function appendTo(file: OpenFile, buffers: readonly Buffer[]): Promise<void> {
  let rest = [...buffers];
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = after(rest, bytesWritten);
  }
}

/** Writes all buffers at once on the main thread: ten times faster than off it, as long as nothing is synced. */
export function appendNow(fileSystem: FileSystem, fd: number, buffers: readonly Buffer[]): void {
  let rest = [...buffers];
  while (rest.length > 0) rest = after(rest, fileSystem.writevSync(fd, rest.slice(0, maxBuffers)));
}

/** How many buffers POSIX takes in one call; `FileHandle.writev` splits by itself, `writevSync` too, but not everywhere. */
const maxBuffers = 1_024;

/** What is left of `buffers` after `count` bytes. */
function after(buffers: readonly Buffer[], count: number): Buffer[] {
  let skipped = 0;
  for (const [index, buffer] of buffers.entries()) {
    if (skipped + buffer.length > count) return [buffer.subarray(count - skipped), ...buffers.slice(index + 1)];
    skipped += buffer.length;
  }
  return [];
}
