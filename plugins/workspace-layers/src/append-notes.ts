import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Ulid, VarveError } from '@varve/core';
import { dayInZone } from './day-in-zone.ts';
import { formatNote, formatWritten, type NewNote, writtenEntries } from './note.ts';
import { codeOf, isInside, readWorkspaceFile } from './read-workspace-file.ts';

/** Folder of the notes, below the workspace. */
export const memoryFolder = 'memory';

/** Where notes go. */
export interface NotePlace {
  /** The workspace. */
  readonly dir: string;
  /** Zone in which a day begins and ends; `null`: the machine's own. */
  readonly timeZone: string | null;
  /** Now, in milliseconds since 1970: asked for when the notes are written, not when somebody began to think of them. */
  now(): number;
}

/**
 * Appends notes to the file of the day, `memory/YYYY-MM-DD.md`, in one piece: who else appends at the same time loses
 * nothing. Notes without any text are left out. Resolves to the path below the workspace when the notes are on the disk.
 *
 * @throws VARVE_STORE_IO  when the disk refuses, is full, or takes the notes in part: what it took stays, as notes of the
 *   same scopes; VARVE_STORE_LINK  for a link that leads out of the workspace.
 */
export async function appendNotes(notes: readonly NewNote[], place: NotePlace): Promise<string> {
  const { dir, timeZone, now } = place;
  const path = `${memoryFolder}/${dayInZone(now(), timeZone)}.md`;
  const texts = notes.flatMap((note) => formatNote(note) ?? []).map((note) => `${note}\n`);
  if (texts.length === 0) return path;
  const written = new Set(
    notes.flatMap(({ entries }) => (entries === undefined ? [] : (formatWritten(entries) ?? []))),
  );
  const text = [...texts, ...written].join('');
  try {
    const folder = await folderOfNotes(dir, path);
    const file = await openToAppend(join(folder, path.slice(memoryFolder.length + 1)), path);
    try {
      await writeWhole(file, { bytes: Buffer.from(text), path });
    } finally {
      await file.close();
    }
  } catch (error) {
    if (VarveError.is(error)) throw error;
    throw new VarveError('VARVE_STORE_IO', `Notes could not be written to ${path}: ${codeOf(error)}.`, {
      fix: 'Make room on the disk, and let the process write to the folder of the workspace.',
      cause: error,
      details: { path, code: codeOf(error) },
    });
  }
  return path;
}

/** Days whose files are looked through for what has been written: nobody comes back to a session much later. */
const mostDays = 60;

/**
 * Ids of the entries up to which notes of a session have been written whole, as the files of the last days say it: so
 * that who was cut short behind the writing does not write them again. What cannot be read says nothing.
 *
 * @param dir  The workspace.
 */
export async function writtenUpTo(sessionId: string, dir: string): Promise<ReadonlySet<Ulid>> {
  const found = new Set<Ulid>();
  try {
    const root = await realpath(dir);
    const names = (await readdir(join(root, memoryFolder))).filter((name) => /^\d{4}-\d{2}-\d{2}\.md$/.test(name));
    for (const name of names.sort().slice(-mostDays)) {
      const read = await readWorkspaceFile(root, `${memoryFolder}/${name}`);
      if (read.kind !== 'file') continue;
      for (const id of writtenEntries(read.file.text, sessionId)) found.add(id);
    }
  } catch {
    // Notes that are written twice are better than none.
  }
  return found;
}

/**
 * Whether notes could be written, as far as permissions tell. The folder of the notes need not be there yet.
 *
 * @param dir  The workspace.
 */
export async function canAppendNotes(dir: string): Promise<boolean> {
  for (let folder = join(dir, memoryFolder); ; folder = dirname(folder)) {
    try {
      await access(folder, constants.W_OK | constants.X_OK);
      return (await stat(folder)).isDirectory();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || folder === dirname(folder)) return false;
    }
  }
}

/** The real folder of the notes; made when there is none. */
async function folderOfNotes(dir: string, path: string): Promise<string> {
  await mkdir(join(dir, memoryFolder), { recursive: true, mode: 0o700 });
  const [root, folder] = [await realpath(dir), await realpath(join(dir, memoryFolder))];
  if (isInside(root, folder)) return folder;
  throw leadsOut(path);
}

async function openToAppend(real: string, path: string): Promise<FileHandle> {
  try {
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = await open(real, flags | constants.O_NONBLOCK, 0o600);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new VarveError('VARVE_STORE_IO', `Notes could not be written to ${path}: it is not a plain file.`, {
      fix: 'Move away what lies there.',
      details: { path },
    });
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw leadsOut(path);
    throw error;
  }
}

/** One write, on a line of its own: behind what somebody else has left half written, too. */
async function writeWhole(
  file: FileHandle,
  { bytes, path }: { readonly bytes: Buffer; readonly path: string },
): Promise<void> {
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const whole = size === 0 || last[0] === 0x0a ? bytes : Buffer.concat([Buffer.from('\n'), bytes]);
  const { bytesWritten } = await file.write(whole);
  await file.sync();
  if (bytesWritten === whole.length) return;
  // What is missing may not follow: others may have appended notes meanwhile, and it would become a part of theirs.
  throw new VarveError(
    'VARVE_STORE_IO',
    `Notes were written to ${path} in part: ${bytesWritten} bytes of ${whole.length}.`,
    {
      fix: 'Make room on the disk, then save the notes again.',
      details: { path, written: bytesWritten, bytes: whole.length },
    },
  );
}

function leadsOut(path: string): VarveError {
  return new VarveError('VARVE_STORE_LINK', `Notes are not written to ${path}: it is a link.`, {
    fix: 'Put a plain file, in a folder inside the workspace, in the place of the link.',
    details: { path },
  });
}
