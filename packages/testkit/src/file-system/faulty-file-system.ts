import { fstatSync, rmdirSync, writevSync } from 'node:fs';
import {
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
import type { FileSystemPort, OpenFilePort } from './file-system-port.ts';

/** What is done with files, for counting and for making it fail. */
export type FileOperation =
  | 'open'
  | 'read'
  | 'writev'
  | 'datasync'
  | 'sync'
  | 'truncate'
  | 'close'
  | 'writevSync'
  | 'rename'
  | 'rm'
  | 'stat'
  | 'mkdir'
  | 'rmdir'
  | 'utimes'
  | 'writeFile'
  | 'readFile'
  | 'readdir'
  | 'realpath';

/** Called before each operation; what it throws is what the operation throws. A number shortens a write to it. */
export type FileFault = (operation: FileOperation, path: string) => number | undefined;

/** A file system that counts what is done and lets a test make any of it fail. */
export interface FaultyFileSystem extends FileSystemPort {
  fault: FileFault | undefined;
  readonly counts: Record<FileOperation, number>;
  bytesRead: number;
  largestRead: number;
  bytesWritten: number;
  openFiles: number;
}

/** The machine's own file system. */
const machine: FileSystemPort = {
  ...{ lstat, mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, stat, utimes, writeFile },
  ...{ fstatSync, rmdirSync, writevSync },
};

/**
 * Wraps a file system so that operations fail when a test says so: a full disk, a disk that takes half of a write, a
 * failing sync or rename, a folder that may not be opened.
 *
 * @param inner  @default the machine's own
 */
export function faultyFileSystem(inner: FileSystemPort = machine): FaultyFileSystem {
  const paths = new Map<number, string>();
  const before = (operation: FileOperation, path: string): number | undefined => {
    system.counts[operation] += 1;
    return system.fault?.(operation, path);
  };
  const system: FaultyFileSystem = {
    ...onPaths(inner, before),
    lstat: (path) => inner.lstat(path),
    fstatSync: (fd) => inner.fstatSync(fd),
    rmdirSync: (path) => inner.rmdirSync(path),
    fault: undefined,
    counts: {
      ...{ open: 0, read: 0, writev: 0, datasync: 0, sync: 0, truncate: 0, close: 0, writevSync: 0 },
      ...{ rename: 0, rm: 0, stat: 0, mkdir: 0, rmdir: 0, utimes: 0, writeFile: 0 },
      ...{ readFile: 0, readdir: 0, realpath: 0 },
    },
    bytesRead: 0,
    largestRead: 0,
    bytesWritten: 0,
    openFiles: 0,
    open: async (path, flags, mode) => {
      before('open', path);
      const file = await inner.open(path, flags, mode);
      paths.set(file.fd, path);
      system.openFiles += 1;
      return watched(file, { path, system, before });
    },
    writevSync: (fd, buffers) => {
      const most = before('writevSync', paths.get(fd) ?? '');
      const bytesWritten = inner.writevSync(fd, shortened(buffers, most));
      system.bytesWritten += bytesWritten;
      return bytesWritten;
    },
  };
  return system;
}

/** What is done by a path alone. */
function onPaths(
  inner: FileSystemPort,
  before: FileFault,
): Omit<FileSystemPort, 'open' | 'lstat' | 'fstatSync' | 'rmdirSync' | 'writevSync'> {
  const tried = async <Result>(
    operation: FileOperation,
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    before(operation, path);
    return work();
  };
  return {
    rename: (from, to) => tried('rename', from, () => inner.rename(from, to)),
    rm: (path, options) => tried('rm', path, () => inner.rm(path, options)),
    stat: (path) => tried('stat', path, () => inner.stat(path)),
    mkdir: (path, options) => tried('mkdir', path, () => inner.mkdir(path, options)),
    rmdir: (path) => tried('rmdir', path, () => inner.rmdir(path)),
    utimes: (path, accessed, changed) => tried('utimes', path, () => inner.utimes(path, accessed, changed)),
    writeFile: (path, text, options) => tried('writeFile', path, () => inner.writeFile(path, text, options)),
    readFile: (path, encoding) => tried('readFile', path, () => inner.readFile(path, encoding)),
    readdir: (path) => tried('readdir', path, () => inner.readdir(path)),
    realpath: (path) => tried('realpath', path, () => inner.realpath(path)),
  };
}

function watched(
  file: OpenFilePort,
  { path, system, before }: { readonly path: string; readonly system: FaultyFileSystem; readonly before: FileFault },
): OpenFilePort {
  return {
    fd: file.fd,
    read: async (...where) => {
      before('read', path);
      const result = await file.read(...where);
      system.bytesRead += result.bytesRead;
      system.largestRead = Math.max(system.largestRead, result.bytesRead);
      return result;
    },
    writev: async (buffers) => {
      const most = before('writev', path);
      const result = await file.writev(shortened(buffers, most));
      system.bytesWritten += result.bytesWritten;
      return result;
    },
    datasync: async () => {
      before('datasync', path);
      await file.datasync();
    },
    sync: async () => {
      before('sync', path);
      await file.sync();
    },
    truncate: async (length) => {
      before('truncate', path);
      await file.truncate(length);
    },
    close: async () => {
      before('close', path);
      await file.close();
      system.openFiles -= 1;
    },
  };
}

function shortened(buffers: readonly Buffer[], most: number | undefined): Buffer[] {
  return most === undefined ? [...buffers] : [Buffer.concat(buffers).subarray(0, most)];
}
