import { fstatSync, writevSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import type { FileSystem, OpenFile } from '@varve/stores/jsonl';

/** What is done with files, for counting and for making it fail. */
export type Operation =
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
  | 'stat';

/** Called before each operation; what it throws is what the operation throws. A number shortens a write to it. */
type Fault = (operation: Operation, path: string) => number | undefined;

/** The real file system, which counts what is done and lets a test make any of it fail. */
export interface FaultyFileSystem extends FileSystem {
  fault: Fault | undefined;
  readonly counts: Record<Operation, number>;
  bytesRead: number;
  largestRead: number;
  bytesWritten: number;
  openFiles: number;
}

export function faultyFileSystem(): FaultyFileSystem {
  const paths = new Map<number, string>();
  const system: FaultyFileSystem = {
    ...{ lstat, mkdir, readdir, readFile, realpath, rmdir, writeFile, fstatSync },
    fault: undefined,
    counts: {
      ...{ open: 0, read: 0, writev: 0, datasync: 0, sync: 0, truncate: 0, close: 0, writevSync: 0 },
      ...{ rename: 0, rm: 0, stat: 0 },
    },
    bytesRead: 0,
    largestRead: 0,
    bytesWritten: 0,
    openFiles: 0,
    open: async (path, flags, mode) => {
      before('open', path);
      const file = await open(path, flags, mode);
      paths.set(file.fd, path);
      system.openFiles += 1;
      return watched(file, path);
    },
    rename: async (from, to) => {
      before('rename', from);
      await rename(from, to);
    },
    rm: async (path, options) => {
      before('rm', path);
      await rm(path, options);
    },
    stat: async (path) => {
      before('stat', path);
      return stat(path);
    },
    writevSync: (fd, buffers) => {
      const most = before('writevSync', paths.get(fd) ?? '');
      const bytesWritten = writevSync(fd, shortened(buffers, most));
      system.bytesWritten += bytesWritten;
      return bytesWritten;
    },
  };
  const before = (operation: Operation, path: string): number | undefined => {
    system.counts[operation] += 1;
    return system.fault?.(operation, path);
  };
  const watched = (file: Awaited<ReturnType<typeof open>>, path: string): OpenFile => ({
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
  });
  return system;
}

/** An error as the operating system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by the test`), { code });
}

function shortened(buffers: readonly Buffer[], most: number | undefined): Buffer[] {
  return most === undefined ? [...buffers] : [Buffer.concat(buffers).subarray(0, most)];
}
