import { existing } from './existing.ts';
import type { FileFacts, FileSystem } from './file-system.ts';
import { isInside } from './journal-path.ts';
import { linkTarget } from './link-target.ts';
import { codeOf, textOf } from './store-error.ts';
import { type FindingPlace, finding, type StoreFinding } from './store-finding.ts';
import { type SeenLock, seeWriteLock } from './write-lock.ts';

/** Looks at the files and folders of a store, whatever is in them. */
export class StoreLook {
  readonly #fileSystem: FileSystem;
  readonly #root: string;

  /** @param root  The real path. */
  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  /** Whether somebody writes to a file. */
  async isLocked(file: string): Promise<boolean> {
    const lock = await this.seeLock(file);
    return lock !== null && !lock.isStale;
  }

  /** The lock of a file; `null` for none. */
  async seeLock(file: string): Promise<SeenLock | null> {
    const isThere = (await linkTarget(this.#fileSystem, `${file}.lock`)) !== null;
    return isThere ? seeWriteLock(this.#fileSystem, file) : null;
  }

  /** What a path leads to; `null`, and perhaps a finding, when it leads to nothing or out of the root. */
  async *lookAt(place: FindingPlace): AsyncGenerator<StoreFinding, FileFacts | null> {
    const { file } = place;
    const facts = await existing(this.#fileSystem.lstat(file));
    if (facts === null) return null;
    if (!facts.isSymbolicLink()) {
      yield* this.permissionsOf(place);
      return facts;
    }
    const target = await linkTarget(this.#fileSystem, file);
    if (target !== null && isInside(this.#root, target)) return this.#fileSystem.stat(target);
    const where = target === null ? 'to nothing' : `to "${target}"`;
    yield finding('link-outside', { ...place, text: `A symbolic link leads out of the root, ${where}.` });
    return null;
  }

  /** Tells of rights that others have. */
  async *permissionsOf(place: FindingPlace): AsyncGenerator<StoreFinding> {
    if (process.platform === 'win32') return;
    const facts = await existing(this.#fileSystem.lstat(place.file));
    if (facts === null || (facts.mode & 0o077) === 0) return;
    const mode = (facts.mode & 0o777).toString(8);
    yield finding('permissions-open', { ...place, text: `Others than its owner have rights on it (mode ${mode}).` });
  }

  /** The names in a folder; none where it leads out of the root, which is told of the link itself. */
  async *namesIn(place: FindingPlace): AsyncGenerator<StoreFinding, readonly string[]> {
    try {
      const inside = await linkTarget(this.#fileSystem, place.file);
      if (inside === null || !isInside(this.#root, inside)) return [];
      return (await this.#fileSystem.readdir(inside)).sort();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOTDIR') return [];
      yield finding('folder-unreadable', { ...place, text: `The folder cannot be read: ${code ?? textOf(error)}.` });
      return [];
    }
  }
}
