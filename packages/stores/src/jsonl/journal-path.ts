import { dirname, join, sep } from 'node:path';
import { VarveError } from '@varve/core';
import { fileNameOf, idOfFileName } from './file-names.ts';
import { type FileSystem, modes, openFlags } from './file-system.ts';
import { codeOf } from './store-error.ts';

/** The agent whose folder takes sessions that name none. */
const mainAgent = 'main';

/** Where a journal is, or would be. */
export interface JournalPath {
  /** The real path, without symbolic links. */
  readonly file: string;
  /** As the folder's name says; absent for `main`, or when the name does not tell. */
  readonly agentId?: string;
}

/**
 * Finds the journal of a session: first in the agent's folder, then in those of all others, as its id is unique in the
 * store. `null` when there is none.
 *
 * @throws VARVE_STORE_LINK  when the file, or a folder above it, is a link that leads out of the root.
 */
export async function findJournal(
  fileSystem: FileSystem,
  options: { readonly root: string; readonly sessionId: string; readonly agentId: string | undefined },
): Promise<JournalPath | null> {
  const root = await existing(fileSystem.realpath(options.root));
  if (root === null) return null;
  const agents = await existing(fileSystem.readdir(join(root, 'agents')));
  const first = fileNameOf(options.agentId ?? mainAgent);
  const others = (agents ?? []).filter((agent) => agent !== first).sort();
  for (const agent of [first, ...others]) {
    const path = join(root, 'agents', agent, 'sessions', `${fileNameOf(options.sessionId)}.jsonl`);
    const file = await existing(fileSystem.realpath(path));
    if (file === null) continue;
    assertInside(root, file);
    return { file, ...agentOf(agent) };
  }
  return null;
}

/**
 * Makes the folders for a session's journal and says where it goes.
 *
 * @param options.isSynced  Whether each new folder must survive a loss of power.
 * @throws VARVE_STORE_LINK  when one of the folders is a link that leads out of the root.
 */
export async function prepareJournal(
  fileSystem: FileSystem,
  options: {
    readonly root: string;
    readonly sessionId: string;
    readonly agentId: string | undefined;
    readonly isSynced: boolean;
  },
): Promise<JournalPath> {
  const madeFrom = await fileSystem.mkdir(options.root, { mode: modes.folder, recursive: true });
  const root = await fileSystem.realpath(options.root);
  if (typeof madeFrom === 'string' && options.isSynced) await syncFolders(fileSystem, { above: madeFrom, to: root });
  const agent = fileNameOf(options.agentId ?? mainAgent);
  let folder = root;
  for (const name of ['agents', agent, 'sessions']) {
    const path = join(folder, name);
    const isNew = await makeFolder(fileSystem, path);
    if (isNew && options.isSynced) await syncFolder(fileSystem, folder);
    // One after the other: nothing may be made behind a link that leads elsewhere.
    folder = await fileSystem.realpath(path);
    assertInside(root, folder);
  }
  return { file: join(folder, `${fileNameOf(options.sessionId)}.jsonl`), ...agentOf(agent) };
}

/** Makes the names in a folder durable. Where a folder cannot be synced, such as on Windows, there is no need to. */
export async function syncFolder(fileSystem: FileSystem, path: string): Promise<void> {
  const folder = await fileSystem.open(path, openFlags.read).catch((error: unknown) => {
    if (noFolderSync.includes(codeOf(error) ?? '')) return null;
    throw error;
  });
  if (folder === null) return;
  try {
    await folder.sync();
  } catch (error) {
    if (!noFolderSync.includes(codeOf(error) ?? '')) throw error;
  } finally {
    await folder.close();
  }
}

async function syncFolders(
  fileSystem: FileSystem,
  { above, to }: { readonly above: string; readonly to: string },
): Promise<void> {
  const highest = dirname(await fileSystem.realpath(above));
  for (let folder = dirname(to); ; folder = dirname(folder)) {
    await syncFolder(fileSystem, folder);
    if (folder === highest || folder === dirname(folder)) return;
  }
}

const noFolderSync: readonly string[] = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'];

async function makeFolder(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    await fileSystem.mkdir(path, { mode: modes.folder });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function agentOf(folderName: string): { readonly agentId?: string } {
  const agentId = idOfFileName(folderName);
  return agentId === null || agentId === mainAgent ? {} : { agentId };
}

function assertInside(root: string, path: string): void {
  if (path.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw new VarveError('VARVE_STORE_LINK', `"${path}" is behind a symbolic link that leads out of "${root}".`, {
    fix: 'Move the folder into the root and remove the link, or make the root itself the link.',
    details: { path, root },
  });
}

/** Waits; `null` when there is no such file or folder. */
async function existing<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
