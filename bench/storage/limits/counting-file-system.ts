import { fstatSync, rmdirSync, writevSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import type { FileSystem, OpenFile } from '@varve/stores/jsonl';

/** The file system of the machine, and what was asked of it. */
export interface CountingFileSystem {
  readonly fileSystem: FileSystem;
  readonly counts: { syncs: number; writes: number; bytesRead: number; bytesWritten: number };
}

/** Counts what a store asks of the disk. */
export function createCountingFileSystem(): CountingFileSystem {
  const counts = { syncs: 0, writes: 0, bytesRead: 0, bytesWritten: 0 };
  const counted = (file: promises.FileHandle): OpenFile => ({
    fd: file.fd,
    read: async (buffer, offset, length, position) => {
      const result = await file.read(buffer, offset, length, position);
      counts.bytesRead += result.bytesRead;
      return result;
    },
    writev: async (buffers) => {
      const result = await file.writev(buffers);
      counts.writes += 1;
      counts.bytesWritten += result.bytesWritten;
      return result;
    },
    datasync: () => {
      counts.syncs += 1;
      return file.datasync();
    },
    sync: () => {
      counts.syncs += 1;
      return file.sync();
    },
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  });
  const { lstat, mkdir, readdir, readFile, realpath, rename, rm, rmdir, stat, utimes, writeFile } = promises;
  const fileSystem: FileSystem = {
    lstat,
    mkdir,
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
    open: async (path, flags, mode) => counted(await promises.open(path, flags, mode)),
  };
  return { fileSystem, counts };
}
