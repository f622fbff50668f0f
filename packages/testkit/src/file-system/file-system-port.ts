/** What a store asks of a file or folder. */
export interface FileFactsPort {
  readonly size: number;
  readonly nlink: number;
  readonly ino: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** An open file, as far as a store uses it. A `FileHandle` of Node is one. */
export interface OpenFilePort {
  readonly fd: number;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  writev(buffers: Buffer[]): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The functions of `node:fs` and `node:fs/promises` that a store uses, under their names there. A store that takes them
 * as an argument can be tried on disks that fail.
 */
export interface FileSystemPort {
  open(path: string, flags: number, mode?: number): Promise<OpenFilePort>;
  lstat(path: string): Promise<FileFactsPort>;
  mkdir(path: string, options: { readonly mode: number; readonly recursive?: boolean }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: boolean }): Promise<void>;
  rmdir(path: string): Promise<void>;
  stat(path: string): Promise<FileFactsPort>;
  utimes(path: string, accessed: Date, changed: Date): Promise<void>;
  writeFile(path: string, text: string, options: { readonly mode: number }): Promise<void>;
  fstatSync(fd: number): FileFactsPort;
  rmdirSync(path: string): void;
  writevSync(fd: number, buffers: Buffer[]): number;
}
