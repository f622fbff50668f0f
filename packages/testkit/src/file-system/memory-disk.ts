import type { Random } from '../conversation/seeded-random.ts';
import type { DiskChange, DiskName, NodeId } from './disk-change.ts';
import { systemError } from './system-error.ts';

/** The first bytes of a buffer. Nobody writes over them: what is appended goes behind, or into another buffer. */
export interface FileContent {
  readonly bytes: Buffer;
  readonly length: number;
}

/** A file of a disk in memory. */
export interface FileNode {
  readonly kind: 'file';
  readonly id: NodeId;
  readonly mode: number;
  content: FileContent;
  /** What a loss of power leaves of it. */
  durable: FileContent;
  /** Where bytes were that a failed sync dropped: from, and up to. */
  dropped: readonly (readonly [from: number, to: number])[];
  changedAt: number;
  madeAt: number;
  /** How many names it has. */
  names: number;
}

/** A folder of a disk in memory. */
export interface FolderNode {
  readonly kind: 'folder';
  readonly id: NodeId;
  readonly mode: number;
  entries: ReadonlyMap<string, NodeId>;
  /** What a loss of power leaves of them, and each state since then. */
  durable: ReadonlyMap<string, NodeId>;
  unsynced: readonly ReadonlyMap<string, NodeId>[];
  changedAt: number;
  madeAt: number;
  names: number;
}

/** A file or folder. */
export type DiskNode = FileNode | FolderNode;

const nothing: FileContent = { bytes: Buffer.alloc(0), length: 0 };

/** The number of the topmost folder. */
export const topFolder: NodeId = 1;

/** States of a folder that are remembered, of which a loss of power may leave any. */
const mostStates = 63;

/** Most zeros in the place of bytes that a file system had made room for, and not written. */
const mostZeros = 4_096;

/**
 * A disk in memory that knows what of it is durable. As POSIX has it, syncing a file makes its bytes durable and not its
 * name, which is its folder's to sync.
 */
export class MemoryDisk {
  readonly #nodes = new Map<NodeId, DiskNode>();
  /** Buffers that this disk may append to: all others belong to a disk that it was copied from. */
  readonly #own = new WeakSet<Buffer>();
  #nextId: NodeId = topFolder + 1;

  constructor() {
    const times = { changedAt: 0, madeAt: 0, names: 1 };
    const names = { entries: new Map(), durable: new Map(), unsynced: [] };
    this.#nodes.set(topFolder, { kind: 'folder', id: topFolder, mode: 0o700, ...names, ...times });
  }

  /** A number that no file or folder has. */
  get nextId(): NodeId {
    return this.#nextId;
  }

  /** @throws Error  where there is none. */
  node(id: NodeId): DiskNode {
    const node = this.#nodes.get(id);
    if (node === undefined) throw systemError('EBADF', `there is no node ${id}`);
    return node;
  }

  /** @throws ENOTDIR */
  folder(id: NodeId): FolderNode {
    const node = this.node(id);
    if (node.kind === 'file') throw systemError('ENOTDIR', `node ${id} is a file`);
    return node;
  }

  /** @throws EISDIR */
  file(id: NodeId): FileNode {
    const node = this.node(id);
    if (node.kind === 'folder') throw systemError('EISDIR', `node ${id} is a folder`);
    return node;
  }

  /** What a file holds. */
  bytesOf(id: NodeId): Buffer {
    const { bytes, length } = this.file(id).content;
    return bytes.subarray(0, length);
  }

  /** Every file by its path from the topmost folder, without a slash in front. */
  *files(folder: NodeId = topFolder, path = ''): Iterable<{ readonly path: string; readonly id: NodeId }> {
    for (const [name, id] of this.folder(folder).entries) {
      if (this.node(id).kind === 'file') yield { path: path + name, id };
      else yield* this.files(id, `${path}${name}/`);
    }
  }

  /** Carries out a change, or, of a write, its first bytes alone. */
  apply(change: DiskChange, mostBytes: number = Number.POSITIVE_INFINITY): void {
    switch (change.kind) {
      case 'make':
        this.#make(change);
        break;
      case 'write':
        this.#write(this.file(change.node), change.bytes.subarray(0, mostBytes), change.time);
        break;
      case 'truncate':
        this.#truncate(this.file(change.node), change.length, change.time);
        break;
      case 'rename':
        this.#rename(change.from, change.to);
        break;
      case 'remove':
        this.#unname(change.at);
        break;
      case 'touch':
        this.node(change.node).changedAt = change.time;
        break;
      case 'sync':
        this.#sync(this.node(change.node));
        break;
      case 'fail-sync':
        this.#failSync(this.node(change.node));
        break;
    }
  }

  /** A disk that holds the same, and on which other things happen from now on. What is not durable stays so. */
  copy(): MemoryDisk {
    const copy = new MemoryDisk();
    for (const [id, node] of this.#nodes) copy.#nodes.set(id, { ...node });
    copy.#nextId = this.#nextId;
    return copy;
  }

  /** Makes all files as much older: so much time has passed. */
  age(ms: number): void {
    for (const node of this.#nodes.values()) {
      node.changedAt -= ms;
      node.madeAt -= ms;
    }
  }

  /**
   * Loses what is not durable: all of it, or, with `random`, an arbitrary part. Of the names in a folder the first changes
   * may have come to be, of what was appended to a file the first bytes, or zeros in their place.
   */
  losePower(random: Random | null = null): void {
    for (const node of this.#nodes.values()) {
      if (node.kind === 'file') {
        node.content = random === null ? node.durable : partOf(node, random);
        Object.assign(node, { durable: node.content, dropped: [] });
      } else {
        const states = [node.durable, ...node.unsynced];
        node.entries = (random === null ? states[0] : random.pick(states as [Entries, ...Entries[]])) ?? node.durable;
        Object.assign(node, { durable: node.entries, unsynced: [] });
      }
      node.names = 0;
    }
    this.#keepReachable(this.folder(topFolder), new Set());
    for (const [id, { names }] of this.#nodes) if (names === 0) this.#nodes.delete(id);
  }

  #keepReachable(folder: FolderNode, seen: Set<NodeId>): void {
    folder.names += 1;
    if (seen.has(folder.id)) return;
    seen.add(folder.id);
    for (const id of folder.entries.values()) {
      const node = this.node(id);
      if (node.kind === 'folder') this.#keepReachable(node, seen);
      else node.names += 1;
    }
  }

  #make({ at, node: id, isFolder, mode, time }: Extract<DiskChange, { kind: 'make' }>): void {
    const base = { id, mode, changedAt: time, madeAt: time, names: 0 };
    const names = { entries: new Map(), durable: new Map(), unsynced: [] };
    this.#nodes.set(
      id,
      isFolder
        ? { kind: 'folder', ...base, ...names }
        : { kind: 'file', ...base, content: nothing, durable: nothing, dropped: [] },
    );
    this.#nextId = Math.max(this.#nextId, id + 1);
    this.#name(at, id);
  }

  #write(file: FileNode, bytes: Buffer, time: number): void {
    const { content } = file;
    const length = content.length + bytes.length;
    let target = content.bytes;
    if (!this.#own.has(target) || target.length < length) {
      target = Buffer.alloc(Math.max(1_024, 2 * length));
      content.bytes.copy(target, 0, 0, content.length);
      this.#own.add(target);
    }
    bytes.copy(target, content.length);
    file.content = { bytes: target, length };
    file.changedAt = time;
  }

  #truncate(file: FileNode, length: number, time: number): void {
    const { bytes } = file.content;
    if (length > file.content.length) throw systemError('EINVAL', 'a disk in memory makes no file longer');
    // Into another buffer: what is cut may be what a loss of power brings back.
    file.content = { bytes: Buffer.from(bytes.subarray(0, length)), length };
    file.dropped = file.dropped.flatMap(([from, to]) => (from < length ? [[from, Math.min(to, length)] as const] : []));
    file.changedAt = time;
  }

  #rename(from: DiskName, to: DiskName): void {
    const id = this.folder(from.folder).entries.get(from.name);
    if (id === undefined) throw systemError('ENOENT', from.name);
    if (from.folder !== to.folder) {
      this.#name(to, id);
      this.#unname(from);
      return;
    }
    const folder = this.folder(from.folder);
    const replaced = folder.entries.get(to.name);
    if (replaced !== undefined) this.node(replaced).names -= 1;
    const entries = new Map(folder.entries);
    entries.delete(from.name);
    entries.set(to.name, id);
    this.#change(folder, entries);
  }

  #name({ folder: id, name }: DiskName, node: NodeId): void {
    const folder = this.folder(id);
    const replaced = folder.entries.get(name);
    if (replaced !== undefined) this.node(replaced).names -= 1;
    this.node(node).names += 1;
    this.#change(folder, new Map(folder.entries).set(name, node));
  }

  #unname({ folder: id, name }: DiskName): void {
    const folder = this.folder(id);
    const node = folder.entries.get(name);
    if (node === undefined) throw systemError('ENOENT', name);
    this.node(node).names -= 1;
    const entries = new Map(folder.entries);
    entries.delete(name);
    this.#change(folder, entries);
  }

  #change(folder: FolderNode, entries: Entries): void {
    folder.entries = entries;
    folder.unsynced = [...folder.unsynced.slice(-mostStates), entries];
  }

  #sync(node: DiskNode): void {
    if (node.kind === 'folder') Object.assign(node, { durable: node.entries, unsynced: [] });
    else node.durable = node.dropped.length === 0 ? node.content : withoutDropped(node);
  }

  #failSync(node: DiskNode): void {
    if (node.kind === 'folder') return;
    const from = Math.min(node.durable.length, node.content.length);
    node.dropped = [...node.dropped, [from, node.content.length]];
  }
}

type Entries = ReadonlyMap<string, NodeId>;

/** What a file holds, with zeros where bytes were dropped. */
function withoutDropped({ content, dropped }: FileNode): FileContent {
  const bytes = Buffer.from(content.bytes.subarray(0, content.length));
  for (const [from, to] of dropped) bytes.fill(0, from, to);
  return { bytes, length: content.length };
}

/** What a loss of power leaves of a file that was not synced. */
function partOf({ content, durable }: FileNode, random: Random): FileContent {
  const isLonger = content.length >= durable.length;
  const goesOn =
    isLonger && content.bytes.subarray(0, durable.length).equals(durable.bytes.subarray(0, durable.length));
  if (!goesOn) return random.pick([content, durable]);
  const length = random.integer(durable.length, content.length);
  const zeros = random.chance(0.25) ? Math.min(content.length - length, mostZeros) : 0;
  if (zeros === 0) return { bytes: content.bytes, length };
  return { bytes: Buffer.concat([content.bytes.subarray(0, length), Buffer.alloc(zeros)]), length: length + zeros };
}
