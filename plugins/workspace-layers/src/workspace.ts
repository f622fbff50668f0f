import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryFolder } from './append-notes.ts';
import { type Note, parseNotes } from './note.ts';
import {
  codeOf,
  isInside,
  type ReadResult,
  readWorkspaceFile,
  stampOf,
  type WorkspaceFile,
} from './read-workspace-file.ts';

/** A memory file with the notes in it. */
export interface MemoryFile extends WorkspaceFile {
  readonly notes: readonly Note[];
}

/** What was found, and what could not be shown, in sentences. */
interface Found<Value> {
  readonly found: readonly Value[];
  readonly problems: readonly string[];
}

/** The files of one workspace. What has not changed is not read again. */
export interface Workspace {
  /** Plain files by their paths, in that order; those that are not there are left out. */
  files(paths: readonly string[]): Promise<Found<WorkspaceFile>>;
  /** `MEMORY.md` and its like, topics, then days from the newest back. @param chosen  @default all days */
  memory(chosen?: ChosenDays): Promise<Found<MemoryFile>>;
  /** Names of the files and folders at the top of the workspace, those of folders with a slash, in order. */
  names(): Promise<Found<string>>;
}

/** Days of notes: those that begin after a moment never push out those before it. */
interface ChosenDays {
  /** The first of the days that may begin or grow meanwhile. */
  readonly sinceDay: string;
  /** Most days before that one, the newest, and most from it on, the oldest. */
  readonly mostDays: number;
}

/** How a workspace is laid out. */
export interface WorkspaceOptions {
  readonly dir: string;
  /** Memory files beside those in the folder of the notes. */
  readonly memoryNames: readonly string[];
}

/** Memory files beyond this are not looked at: 27 years of days. */
const mostMemoryFiles = 10_000;

/** A file that was changed so lately may change again without a difference in time or size. */
const settledMs = 2_000;

/** Files that are read at the same time. */
const readAtOnce = 32;

type Read = Exclude<ReadResult, { kind: 'file' }> | { readonly kind: 'file'; readonly file: WorkspaceFile };

interface Cached {
  readonly stamp: string;
  readonly file: WorkspaceFile;
}

/** Makes the workspace of a folder; nothing is read yet. */
export function createWorkspace({ dir, memoryNames }: WorkspaceOptions): Workspace {
  const cache = new Map<string, Cached>();
  const notesOf = new WeakMap<WorkspaceFile, readonly Note[]>();
  const read = async (root: string, path: string): Promise<Read> => {
    const known = cache.get(path);
    if (known !== undefined && known.stamp === (await stampNow(root, path))) return { kind: 'file', file: known.file };
    const result = await readWorkspaceFile(root, path);
    cache.delete(path);
    if (result.kind !== 'file') return result;
    // What has the same bytes is the same file: whoever has worked with it need not do so again.
    const file = known?.file.hash === result.file.hash ? known.file : result.file;
    // A stamp that no file has, where the file may change again without a difference in time or size.
    const isSettled = Date.now() - result.changedAt > settledMs;
    cache.set(path, { stamp: isSettled ? result.stamp : '', file });
    return { kind: 'file', file };
  };
  const files: Workspace['files'] = async (paths) => {
    const { root, problems } = await rootOf(dir);
    if (root === null) return { found: [], problems };
    const found: WorkspaceFile[] = [];
    for (let from = 0; from < paths.length; from += readAtOnce) {
      const batch = paths.slice(from, from + readAtOnce);
      for (const result of await Promise.all(batch.map((path) => read(root, path)))) {
        if (result.kind === 'file') found.push(result.file);
        else if (result.kind === 'refused') problems.push(`${result.why}; it is left out.`);
      }
    }
    return { found, problems };
  };
  const memoryFileOf = (file: WorkspaceFile): MemoryFile => {
    const notes = notesOf.get(file) ?? parseNotes(file.text);
    notesOf.set(file, notes);
    return { ...file, notes };
  };
  return {
    files,
    memory: async (chosen) => {
      const listed = (await leadsOut(dir, memoryFolder))
        ? { found: [], problems: [`${memoryFolder} is a link that leads out of the workspace; it is left out.`] }
        : await listFolder(dir, memoryFolder);
      const paths = listed.found.filter((name) => name.endsWith('.md')).map((name) => `${memoryFolder}/${name}`);
      const ordered = inOrder(paths, chosen).slice(0, mostMemoryFiles);
      const { found, problems } = await files([...memoryNames, ...ordered]);
      return { found: found.map(memoryFileOf), problems: [...listed.problems, ...problems] };
    },
    names: () => listFolder(dir, '.'),
  };
}

/** Topics by name, then days from the newest back. */
function inOrder(paths: readonly string[], chosen: ChosenDays | undefined): readonly string[] {
  const isDay = (path: string): boolean => /\/\d{4}-\d{2}-\d{2}[^/]*$/.test(path);
  const days = paths.filter(isDay);
  return [...paths.filter((path) => !isDay(path)), ...chosenOf(days, chosen).toReversed()];
}

/** @param days  The oldest first. */
function chosenOf(days: readonly string[], chosen: ChosenDays | undefined): readonly string[] {
  if (chosen === undefined) return days;
  const isBefore = (path: string): boolean => path < `${memoryFolder}/${chosen.sinceDay}`;
  const before = days.filter(isBefore).slice(-chosen.mostDays);
  return [...before, ...days.slice(days.findLastIndex(isBefore) + 1).slice(0, chosen.mostDays)];
}

/** The stamp of a file, or of what a link leads to: another target is another file. `null` for none. */
async function stampNow(root: string, path: string): Promise<string | null> {
  try {
    return stampOf(await stat(join(root, path), { bigint: true }));
  } catch {
    return null;
  }
}

/** The real path of the workspace; `null` when it is not there, or not for us. */
async function rootOf(dir: string): Promise<{ readonly root: string | null; readonly problems: string[] }> {
  try {
    return { root: await realpath(dir), problems: [] };
  } catch (error) {
    const code = codeOf(error);
    const problems = code === 'ENOENT' ? [] : [`The workspace cannot be read (${code}); its layers are left out.`];
    return { root: null, problems };
  }
}

async function leadsOut(dir: string, folder: string): Promise<boolean> {
  try {
    return !isInside(await realpath(dir), await realpath(join(dir, folder)));
  } catch {
    return false;
  }
}

/** Names in a folder of the workspace, without hidden ones, in the order of their code units. */
async function listFolder(dir: string, folder: string): Promise<Found<string>> {
  try {
    const entries = await readdir(join(dir, folder), { withFileTypes: true });
    const names = entries
      .filter(({ name }) => !name.startsWith('.'))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    return { found: names.sort(), problems: [] };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { found: [], problems: [] };
    const what = folder === '.' ? 'The workspace' : `The folder ${folder}`;
    return { found: [], problems: [`${what} cannot be read (${code}); what is in it is left out.`] };
  }
}
