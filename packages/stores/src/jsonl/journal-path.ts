import { basename, dirname, join, sep } from 'node:path';
import { VarveError } from '@varve/core';
import { archiveFileOf, archiveFolderOf } from './archive/archive-path.ts';
import { isArchive } from './archive/is-archive.ts';
import { existing } from './existing.ts';
import { fileNameOf, idOfFileName } from './file-names.ts';
import { appendTo, type FileSystem, modes, openFlags } from './file-system.ts';
import { encodeIndexHeader } from './index-line.ts';
import { linkTarget } from './link-target.ts';
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
 * store. The path is that of the journal, also while it is in an archive. `null` when there is none.
 *
 * @throws VARVE_STORE_LINK  when the file, or a folder above it, is a link that leads out of the root.
 */
export async function findJournal(
  fileSystem: FileSystem,
  options: { readonly root: string; readonly sessionId: string; readonly agentId: string | undefined },
): Promise<JournalPath | null> {
  const first = fileNameOf(options.agentId ?? mainAgent);
  const name = `${fileNameOf(options.sessionId)}.jsonl`;
  const pathIn = (root: string, agent: string): string => join(root, 'agents', agent, 'sessions', name);
  // Together: where most journals are is known, and a store that is not there has none.
  const [root, near] = await Promise.all([
    existing(fileSystem.realpath(options.root)),
    linkTarget(fileSystem, pathIn(options.root, first)),
  ]);
  if (root === null) return null;
  const find = async (agent: string, target: string | null): Promise<JournalPath | null> => {
    const file = target ?? (await movedJournal(fileSystem, { root, path: pathIn(root, agent) }));
    if (file === null) return null;
    assertInside(root, file);
    return { file, ...agentOf(agent) };
  };
  const found = await find(first, near);
  if (found !== null) return found;
  const agents = (await existing(fileSystem.readdir(join(root, 'agents')))) ?? [];
  for (const agent of agents.filter((other) => other !== first).sort()) {
    const other = await find(agent, await linkTarget(fileSystem, pathIn(root, agent)));
    if (other !== null) return other;
  }
  return null;
}

/** How often a journal is looked for that is in neither place, before it is said that there is none. */
const mostLooks = 3;

/**
 * Where a journal is that was not in its place, or was before it went into an archive; `null` when there is neither. One
 * that is moved at the same time is in at least one of the two places at any time, and is looked for again: whoever misses
 * it has been overtaken by a whole move between any two looks.
 */
async function movedJournal(
  fileSystem: FileSystem,
  { root, path }: { readonly root: string; readonly path: string },
): Promise<string | null> {
  // The archive is beside the folder that it comes from, wherever that really is.
  const folder = await linkTarget(fileSystem, dirname(path));
  if (folder === null) return null;
  const file = join(folder, basename(path));
  for (let look = 1; ; look += 1) {
    const archive = await linkTarget(fileSystem, archiveFileOf(file));
    if (archive !== null) assertInside(root, archive);
    if (archive !== null && (await isArchive(fileSystem, archiveFileOf(file)))) return file;
    if (look === mostLooks || (await linkTarget(fileSystem, archiveFolderOf(file))) === null) return null;
    const journal = await linkTarget(fileSystem, path);
    if (journal !== null) return journal;
  }
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
  const { folder: agent, agentId } = await prepareAgent(fileSystem, options);
  const root = await fileSystem.realpath(options.root);
  const { isSynced } = options;
  const { folder, isNew } = await makeFolderIn(fileSystem, { root, folder: agent, name: 'sessions', isSynced });
  if (isNew) await beginIndex(fileSystem, agent);
  const file = join(folder, `${fileNameOf(options.sessionId)}.jsonl`);
  return { file, ...(agentId === mainAgent ? {} : { agentId }) };
}

/** The folder of one agent. */
export interface AgentFolder {
  /** The real path. */
  readonly folder: string;
  /** As the folder's name says; `main` when the name does not tell. */
  readonly agentId: string;
}

/** The folders of all agents, sorted by name. A link that leads out of the root, or nowhere, is left out. */
export async function findAgents(fileSystem: FileSystem, root: string): Promise<readonly AgentFolder[]> {
  const [realRoot, names] = await Promise.all([
    existing(fileSystem.realpath(root)),
    existing(fileSystem.readdir(join(root, 'agents'))),
  ]);
  if (realRoot === null || names === null) return [];
  const found = await Promise.all(
    names.sort().map(async (name) => {
      const folder = await linkTarget(fileSystem, join(realRoot, 'agents', name));
      return folder !== null && isInside(realRoot, folder) ? [{ folder, agentId: idOfFolder(name) }] : [];
    }),
  );
  return found.flat();
}

/**
 * Makes the folders for an agent's files.
 *
 * @throws VARVE_STORE_LINK  when one of the folders is a link that leads out of the root.
 */
export async function prepareAgent(
  fileSystem: FileSystem,
  options: { readonly root: string; readonly agentId?: string | undefined; readonly isSynced: boolean },
): Promise<AgentFolder> {
  const { isSynced } = options;
  const madeFrom = await fileSystem.mkdir(options.root, { mode: modes.folder, recursive: true });
  const root = await fileSystem.realpath(options.root);
  if (typeof madeFrom === 'string' && isSynced) await syncFolders(fileSystem, { above: madeFrom, to: root });
  const name = fileNameOf(options.agentId ?? mainAgent);
  const agents = await makeFolderIn(fileSystem, { root, folder: root, name: 'agents', isSynced });
  const { folder } = await makeFolderIn(fileSystem, { root, folder: agents.folder, name, isSynced });
  return { folder, agentId: idOfFolder(name) };
}

/** Makes a folder inside of another one, and gives its real path. */
async function makeFolderIn(
  fileSystem: FileSystem,
  place: { readonly root: string; readonly folder: string; readonly name: string; readonly isSynced: boolean },
): Promise<{ readonly folder: string; readonly isNew: boolean }> {
  const path = join(place.folder, place.name);
  const isNew = await makeFolder(fileSystem, path);
  if (isNew && place.isSynced) await syncFolder(fileSystem, place.folder);
  // Looked at before anything is made in it: it may be a link that leads elsewhere.
  const folder = await fileSystem.realpath(path);
  assertInside(place.root, folder);
  return { folder, isNew };
}

/**
 * Makes a folder that a journal's file goes to, durably, where there is none.
 *
 * @throws VARVE_STORE_LINK  when it is a link that leads out of the root.
 */
export async function makeFolderBeside(
  fileSystem: FileSystem,
  { root, folder }: { readonly root: string; readonly folder: string },
): Promise<void> {
  const place = { root: await fileSystem.realpath(root), folder: dirname(folder), name: basename(folder) };
  await makeFolderIn(fileSystem, { ...place, isSynced: true });
}

/**
 * Makes an empty index along with an agent's first journal: where there are journals and no index, it was removed. Not
 * synced, and no matter if it fails: an index that is missing is made from the journals.
 */
async function beginIndex(fileSystem: FileSystem, agent: string): Promise<void> {
  const file = await fileSystem
    .open(join(agent, 'sessions.jsonl'), openFlags.createNew, modes.file)
    .catch(() => undefined);
  if (file === undefined) return;
  await appendTo(file, [encodeIndexHeader(null)]).catch(() => {});
  await file.close().catch(() => {});
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
  const agentId = idOfFolder(folderName);
  return agentId === mainAgent ? {} : { agentId };
}

function idOfFolder(name: string): string {
  return idOfFileName(name) ?? mainAgent;
}

/** Whether a real path is below a real root. */
export function isInside(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function assertInside(root: string, path: string): void {
  if (isInside(root, path)) return;
  throw new VarveError('VARVE_STORE_LINK', `"${path}" is behind a symbolic link that leads out of "${root}".`, {
    fix: 'Move the folder into the root and remove the link, or make the root itself the link.',
    details: { path, root },
  });
}
