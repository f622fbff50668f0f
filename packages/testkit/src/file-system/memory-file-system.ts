import { constants } from 'node:fs';
import type { DiskChange, DiskName, NodeId } from './disk-change.ts';
import type { FileFactsPort, FileSystemPort, OpenFilePort } from './file-system-port.ts';
import { MemoryDisk, topFolder } from './memory-disk.ts';
import { systemError } from './system-error.ts';

/** A file system in memory that remembers all that was done to it. */
export interface MemoryFileSystem extends FileSystemPort {
  readonly disk: MemoryDisk;
  /** The path of its topmost folder. */
  readonly mount: string;
  /** What was done to the disk, in order. `DiskHistory` gives the disk at any point of it. */
  readonly changes: readonly DiskChange[];
  /** Files that are open now. */
  readonly openFiles: number;
}

/** How {@link memoryFileSystem} begins. */
export interface MemoryFileSystemOptions {
  /** The disk. @default an empty one */
  readonly disk?: MemoryDisk | undefined;
  /** Where its topmost folder is; two file systems that are used at the same time need two names. @default '/memory' */
  readonly mount?: string | undefined;
  /** The time, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Asked at each sync of a file whether it fails, with `EIO`, and drops what was to be written. @default never */
  readonly failsSync?: (() => boolean) | undefined;
}

/**
 * Makes a file system in memory. It knows files that are appended to and folders; no links and no owners.
 *
 * Each operation takes place at once, whole, and resolves later.
 */
export function memoryFileSystem(options: MemoryFileSystemOptions = {}): MemoryFileSystem {
  return new MemoryFiles(options);
}

interface OpenNode {
  readonly node: NodeId;
  readonly isWritten: boolean;
}

class MemoryFiles implements MemoryFileSystem {
  readonly disk: MemoryDisk;
  readonly mount: string;
  readonly changes: DiskChange[] = [];
  readonly #now: () => number;
  readonly #failsSync: () => boolean;
  readonly #open = new Map<number, OpenNode>();
  /** Above those of the machine, so that the one is not taken for the other. */
  #nextFd = 1_000_000;

  constructor({ disk = new MemoryDisk(), mount = '/memory', ...given }: MemoryFileSystemOptions) {
    this.disk = disk;
    this.mount = mount;
    this.#now = given.now ?? Date.now;
    this.#failsSync = given.failsSync ?? (() => false);
  }

  get openFiles(): number {
    return this.#open.size;
  }

  async open(path: string, flags: number, mode = 0o666): Promise<OpenFilePort> {
    const at = this.#nameOf(path);
    let node = this.#find(path);
    if (node !== null && (flags & constants.O_CREAT) !== 0 && (flags & constants.O_EXCL) !== 0) throw exists(path);
    if (node === null) {
      if ((flags & constants.O_CREAT) === 0 || at === null) throw missing(path);
      node = this.#make(at, { isFolder: false, mode });
    }
    const isWritten = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (isWritten && this.disk.node(node).kind === 'folder') throw systemError('EISDIR', path);
    const fd = this.#nextFd;
    this.#nextFd += 1;
    this.#open.set(fd, { node, isWritten });
    return this.#handle(fd);
  }

  async lstat(path: string): Promise<FileFactsPort> {
    return this.#factsOf(this.#existing(path));
  }

  async stat(path: string): Promise<FileFactsPort> {
    return this.#factsOf(this.#existing(path));
  }

  fstatSync(fd: number): FileFactsPort {
    return this.#factsOf(this.#opened(fd).node);
  }

  async mkdir(path: string, { mode, recursive = false }: { mode: number; recursive?: boolean }): Promise<unknown> {
    if (this.#find(path) !== null) {
      if (recursive) return undefined;
      throw exists(path);
    }
    const above = path.slice(0, path.lastIndexOf('/'));
    const first = recursive ? await this.mkdir(above, { mode, recursive }) : undefined;
    const at = this.#nameOf(path);
    if (at === null) throw missing(path);
    this.#make(at, { isFolder: true, mode });
    return recursive ? (first ?? path) : undefined;
  }

  async readdir(path: string): Promise<string[]> {
    return [...this.disk.folder(this.#existing(path)).entries.keys()];
  }

  async readFile(path: string, _encoding: 'utf8'): Promise<string> {
    return this.disk.bytesOf(this.#existing(path)).toString('utf8');
  }

  async realpath(path: string): Promise<string> {
    this.#existing(path);
    return path;
  }

  async rename(from: string, to: string): Promise<void> {
    this.#existing(from);
    const [before, after] = [this.#nameOf(from), this.#nameOf(to)];
    if (before === null || after === null) throw missing(to);
    this.#do({ kind: 'rename', from: before, to: after });
  }

  async rm(path: string, { force }: { readonly force: boolean }): Promise<void> {
    const node = this.#find(path);
    if (node === null && force) return;
    this.disk.file(this.#existing(path));
    this.#unname(path);
  }

  async rmdir(path: string): Promise<void> {
    this.rmdirSync(path);
  }

  rmdirSync(path: string): void {
    if (this.disk.folder(this.#existing(path)).entries.size > 0) throw systemError('ENOTEMPTY', path);
    this.#unname(path);
  }

  async utimes(path: string, _accessed: Date, changed: Date): Promise<void> {
    this.#do({ kind: 'touch', node: this.#existing(path), time: changed.getTime() });
  }

  async writeFile(path: string, text: string, { mode }: { readonly mode: number }): Promise<void> {
    const at = this.#nameOf(path);
    if (at === null) throw missing(path);
    const node = this.#find(path) ?? this.#make(at, { isFolder: false, mode });
    if (this.disk.file(node).content.length > 0) this.#do({ kind: 'truncate', node, length: 0, time: this.#now() });
    this.#do({ kind: 'write', node, bytes: Buffer.from(text), time: this.#now() });
  }

  writevSync(fd: number, buffers: Buffer[]): number {
    const { node, isWritten } = this.#opened(fd);
    if (!isWritten) throw systemError('EBADF', 'opened for reading only');
    const bytes = Buffer.concat(buffers);
    if (bytes.length > 0) this.#do({ kind: 'write', node, bytes, time: this.#now() });
    return bytes.length;
  }

  #handle(fd: number): OpenFilePort {
    const sync = async (): Promise<void> => {
      const { node } = this.#opened(fd);
      const isFailing = this.disk.node(node).kind === 'file' && this.#failsSync();
      this.#do({ kind: isFailing ? 'fail-sync' : 'sync', node });
      if (isFailing) throw systemError('EIO', 'a sync');
    };
    return {
      fd,
      read: async (...where) => {
        const [buffer, offset, length, position] = where;
        const bytes = this.disk.bytesOf(this.#opened(fd).node);
        return { bytesRead: bytes.copy(buffer, offset, position, Math.min(position + length, bytes.length)) };
      },
      writev: async (buffers) => ({ bytesWritten: this.writevSync(fd, buffers) }),
      datasync: sync,
      sync,
      truncate: async (length) => {
        this.#do({ kind: 'truncate', node: this.#opened(fd).node, length, time: this.#now() });
      },
      close: async () => {
        this.#opened(fd);
        this.#open.delete(fd);
      },
    };
  }

  #do(change: DiskChange): void {
    this.disk.apply(change);
    this.changes.push(change);
  }

  #make(at: DiskName, { isFolder, mode }: { readonly isFolder: boolean; readonly mode: number }): NodeId {
    const node = this.disk.nextId;
    this.#do({ kind: 'make', at, node, isFolder, mode, time: this.#now() });
    return node;
  }

  #unname(path: string): void {
    const at = this.#nameOf(path);
    if (at === null) throw systemError('EBUSY', path);
    this.#do({ kind: 'remove', at });
  }

  #opened(fd: number): OpenNode {
    const opened = this.#open.get(fd);
    if (opened === undefined) throw systemError('EBADF', `${fd} is not open`);
    return opened;
  }

  #existing(path: string): NodeId {
    const node = this.#find(path);
    if (node === null) throw missing(path);
    return node;
  }

  /** `null` where there is nothing. */
  #find(path: string): NodeId | null {
    let node: NodeId = topFolder;
    for (const name of this.#partsOf(path)) {
      const next = this.disk.folder(node).entries.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  }

  /** The name that a path ends with; `null` where there is no folder for it. */
  #nameOf(path: string): DiskName | null {
    const name = this.#partsOf(path).at(-1);
    const folder = this.#find(path.slice(0, path.lastIndexOf('/')));
    return name === undefined || folder === null ? null : { folder, name };
  }

  #partsOf(path: string): readonly string[] {
    if (path === this.mount || path === '') return [];
    if (!path.startsWith(`${this.mount}/`)) throw missing(path);
    return path.slice(this.mount.length + 1).split('/');
  }

  #factsOf(id: NodeId): FileFactsPort {
    const node = this.disk.node(id);
    return {
      size: node.kind === 'file' ? node.content.length : 0,
      nlink: node.names,
      ino: id,
      mode: node.mode,
      mtimeMs: node.changedAt,
      birthtimeMs: node.madeAt,
      isFile: () => node.kind === 'file',
      isDirectory: () => node.kind === 'folder',
      isSymbolicLink: () => false,
    };
  }
}

function missing(path: string): Error {
  return systemError('ENOENT', path);
}

function exists(path: string): Error {
  return systemError('EEXIST', path);
}
