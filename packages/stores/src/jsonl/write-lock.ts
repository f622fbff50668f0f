import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { VarveError } from '@varve/core';
import { lock } from 'proper-lockfile';
import { existing } from './existing.ts';
import { appendTo, claimFlags, type FileSystem, machineName, modes } from './file-system.ts';
import { codeOf, storeError } from './store-error.ts';

/** The right to write to one journal, or to rewrite one index, kept alive by a heartbeat. */
export interface WriteLock {
  /** False when another process took the lock over, because this one did not run for a while. */
  readonly isHeld: boolean;
  /** True when whoever held it before did not give it up: what was written last may not be synced. */
  readonly isInherited: boolean;
  /** Gives the lock up. Idempotent; never rejects. */
  release(): Promise<void>;
}

/** Who writes to a journal, as its `.owner` file says. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Tells machines and containers of one name apart: a pid means something only inside of one. */
  readonly machine: string;
}

/** What a file that is locked goes by. */
interface LockedFile {
  readonly file: string;
  readonly self: Owner;
  readonly acquire: () => Promise<() => Promise<void>>;
}

/** Without a heartbeat for so long, a lock is anybody's. */
const staleMs = 10_000;

/** What a lock needs of a file system, with callbacks. */
function lockFileSystem(fileSystem: FileSystem) {
  return {
    // Folders of locks are closed to others, too.
    mkdir: callbackify((path: string) => fileSystem.mkdir(path, { mode: modes.folder })),
    rmdir: callbackify((path: string) => fileSystem.rmdir(path)),
    rmdirSync: (path: string) => fileSystem.rmdirSync(path),
    stat: callbackify(async (path: string) => {
      const { mtimeMs } = await fileSystem.stat(path);
      // As Node rounds it: what was set is read again.
      return { mtime: new Date(mtimeMs + 0.5) };
    }),
    utimes: callbackify((path: string, accessed: Date, changed: Date) => fileSystem.utimes(path, accessed, changed)),
  };
}

/** Each is asked only once how exact its times are. */
const lockFileSystems = new WeakMap<FileSystem, object>();

function lockFileSystemOf(fileSystem: FileSystem): object {
  const made = lockFileSystems.get(fileSystem) ?? lockFileSystem(fileSystem);
  lockFileSystems.set(fileSystem, made);
  return made;
}

/**
 * Takes the lock of a file: the folder `<file>.lock`, whose time of change is the heartbeat, with the owner's name in
 * `<file>.owner`. The lock of a process of this machine that is gone is taken over at once, any other after ten seconds
 * without a heartbeat.
 *
 * @throws VARVE_STORE_LOCKED  when another process, or another store of this one, holds it.
 */
export async function takeWriteLock(fileSystem: FileSystem, file: string): Promise<WriteLock> {
  let isHeld = true;
  const locked: LockedFile = {
    file,
    self: { pid: process.pid, host: hostname(), machine: machineName() },
    acquire: () =>
      lock(file, {
        realpath: false,
        stale: staleMs,
        fs: lockFileSystemOf(fileSystem),
        onCompromised: () => {
          isHeld = false;
        },
      }),
  };
  const { release, isInherited } = await acquireOrTakeOver(fileSystem, locked);
  return {
    isInherited,
    get isHeld() {
      return isHeld;
    },
    release: async () => {
      if (!isHeld) return;
      isHeld = false;
      // Both are found stale later when they cannot be removed now.
      for (const leftover of [ownerFileOf(file), claimFileOf(file)]) {
        await fileSystem.rm(leftover, { force: true }).catch(() => {});
      }
      await release().catch(() => {});
    },
  };
}

/** How long a lock is waited for: longer than one takes to be anybody's. */
const patience = { times: 600, ms: 25 } as const;

/**
 * Takes a lock that others hold for moments only, such as that of an index, and waits for it.
 *
 * @throws VARVE_STORE_LOCKED  when it was held for fifteen seconds.
 */
export async function waitForWriteLock(fileSystem: FileSystem, file: string): Promise<WriteLock> {
  for (let time = 1; ; time += 1) {
    try {
      return await takeWriteLock(fileSystem, file);
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_STORE_LOCKED') || time === patience.times) throw error;
    }
    await setTimeout(patience.ms);
  }
}

/** A lock as somebody sees it who does not want it. */
export interface SeenLock {
  /** Who holds it, as far as its name can be read. */
  readonly owner: string;
  /** True when the next one who wants it gets it. */
  readonly isStale: boolean;
}

/** Looks at the lock of a file; `null` when there is none. Changes nothing. */
export async function seeWriteLock(fileSystem: FileSystem, file: string): Promise<SeenLock | null> {
  const facts = await existing(fileSystem.stat(`${file}.lock`));
  if (facts === null) return null;
  const owner = await readOwner(fileSystem, file);
  const self = { pid: process.pid, host: hostname(), machine: machineName() };
  const isStale = facts.mtimeMs < Date.now() - staleMs || (await isLeftBehind(fileSystem, { file, self, owner }));
  return { owner: nameOf(owner), isStale };
}

/** A lock that was taken. */
interface Acquired {
  readonly release: () => Promise<void>;
  readonly isInherited: boolean;
}

async function acquireOrTakeOver(fileSystem: FileSystem, locked: LockedFile): Promise<Acquired> {
  const { file, self } = locked;
  try {
    return await acquireInName(fileSystem, locked);
  } catch (error) {
    if (codeOf(error) !== 'ELOCKED') throw storeError(error, { doing: 'lock', file });
  }
  const owner = await readOwner(fileSystem, file);
  if (!(await isLeftBehind(fileSystem, { file, self, owner }))) throw lockedError(file, { owner, self });
  return takeOver(fileSystem, locked);
}

/** Takes a lock and leaves a name; a lock whose name cannot be written is given up again. */
async function acquireInName(fileSystem: FileSystem, locked: LockedFile): Promise<Acquired> {
  const release = await locked.acquire();
  try {
    const isInherited = !(await beginOwner(fileSystem, locked));
    if (isInherited) await writeOwner(fileSystem, locked);
    return { release, isInherited };
  } catch (error) {
    await release().catch(() => {});
    throw error;
  }
}

/** Takes the lock of a process that is gone. Only one process at a time may: the others find it locked. */
async function takeOver(fileSystem: FileSystem, locked: LockedFile): Promise<Acquired> {
  const { file, self } = locked;
  const claim = claimFileOf(file);
  const claimed = await fileSystem.open(claim, claimFlags, modes.file).catch(() => null);
  const owner = await readOwner(fileSystem, file);
  if (claimed === null) throw lockedError(file, { owner, self });
  try {
    if (!(await isLeftBehind(fileSystem, { file, self, owner }))) throw lockedError(file, { owner, self });
    await fileSystem.rmdir(`${file}.lock`);
    // Before the claim ends, or the next one would still read the old name.
    return await acquireInName(fileSystem, locked);
  } catch (error) {
    throw codeOf(error) === 'ELOCKED' ? lockedError(file, { owner, self }) : storeError(error, { doing: 'lock', file });
  } finally {
    await claimed.close();
    await fileSystem.rm(claim, { force: true });
  }
}

/** True when the lock is that of a process of this machine which does not run any more. */
async function isLeftBehind(
  fileSystem: FileSystem,
  { file, self, owner }: { readonly file: string; readonly self: Owner; readonly owner: Owner | null },
): Promise<boolean> {
  if (owner === null || owner.host !== self.host || owner.machine !== self.machine || isAlive(owner.pid)) return false;
  try {
    const [folder, name] = await Promise.all([fileSystem.stat(`${file}.lock`), fileSystem.stat(ownerFileOf(file))]);
    // A lock that is younger than the name is not that owner's: somebody just took it and writes the name now.
    return folder.birthtimeMs > 0 && folder.birthtimeMs <= name.mtimeMs;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function ownerFileOf(file: string): string {
  return `${file}.owner`;
}

function claimFileOf(file: string): string {
  return `${file}.takeover`;
}

/** Leaves a name where there is none: whoever gives a lock up takes its name away first. False where there is one. */
async function beginOwner(fileSystem: FileSystem, { file, self }: LockedFile): Promise<boolean> {
  const begun = await fileSystem.open(ownerFileOf(file), claimFlags, modes.file).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  });
  if (begun === null) return false;
  try {
    await appendTo(begun, [Buffer.from(ownerText(self))]);
  } finally {
    // The name is there already, whatever closing the file says, and nobody need wait for that.
    void begun.close().catch(() => {});
  }
  return true;
}

function writeOwner(fileSystem: FileSystem, { file, self }: LockedFile): Promise<void> {
  return fileSystem.writeFile(ownerFileOf(file), ownerText(self), { mode: modes.file });
}

function ownerText(self: Owner): string {
  return `${JSON.stringify(self)}\n`;
}

async function readOwner(fileSystem: FileSystem, file: string): Promise<Owner | null> {
  try {
    const owner = JSON.parse(await fileSystem.readFile(ownerFileOf(file), 'utf8'));
    return Number.isSafeInteger(owner?.pid) && owner.pid > 0 ? owner : null;
  } catch {
    return null;
  }
}

function nameOf(owner: Owner | null): string {
  return owner === null ? 'a process that left no name' : `process ${owner.pid} on "${owner.host}"`;
}

function lockedError(
  file: string,
  { owner, self }: { readonly owner: Owner | null; readonly self: Owner },
): VarveError {
  const isSelf = owner?.pid === self.pid && owner.host === self.host && owner.machine === self.machine;
  return new VarveError(
    'VARVE_STORE_LOCKED',
    `"${file}" is being written by ${nameOf(owner)}${isSelf ? ' (this one)' : ''}.`,
    {
      fix: 'Close it there first, or open it here with `readOnly`. The lock of a process that is gone ends after 10 seconds.',
      details: { file, pid: owner?.pid, host: owner?.host },
    },
  );
}
