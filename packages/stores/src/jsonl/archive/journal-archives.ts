import { join } from 'node:path';
import type { JournalArchives, PackedSize, VarveError } from '@varve/core';
import { existing } from '../existing.ts';
import { idOfFileName } from '../file-names.ts';
import { type FileSystem, openFlags } from '../file-system.ts';
import type { JournalFile } from '../journal-file.ts';
import { headerIdOf } from '../journal-header.ts';
import { type AgentFolder, findAgents, findJournal, type JournalPath } from '../journal-path.ts';
import { storeError } from '../store-error.ts';
import { archiveEnding, archiveFileOf } from './archive-path.ts';
import { isArchive } from './is-archive.ts';
import { packJournal } from './pack-journal.ts';
import { readingFiles } from './reading-files.ts';

/** Archives that are looked at together. */
const atOnce = 8;

/** What the archives of a store need of it. */
export interface ArchiveParts {
  readonly fileSystem: FileSystem;
  readonly root: string;
  /** Throws when the store has been closed. */
  readonly assertOpen: () => void;
  /** The file of a journal, to be opened for writing: that takes its lock, and brings it back. */
  writableFile(path: JournalPath, sessionId: string): JournalFile;
  /** Does one thing after the other with a session. Throws when the store has been closed. */
  inTurn<Result>(sessionId: string, task: () => Promise<Result>): Promise<Result>;
  missing(sessionId: string): VarveError;
}

/** Keeps journals that nobody writes to in compressed files beside the others. */
export function journalArchives(parts: ArchiveParts): JournalArchives {
  const inTurn = <Result>(sessionId: string, doing: string, task: () => Promise<Result>): Promise<Result> =>
    parts.inTurn(sessionId, async () => {
      try {
        return await task();
      } catch (error) {
        throw storeError(error, { doing: `${doing} a journal in`, file: parts.root });
      }
    });
  return {
    list: async () => {
      parts.assertOpen();
      try {
        const agents = await findAgents(parts.fileSystem, parts.root);
        return (await Promise.all(agents.map((agent) => packedOf(parts, agent)))).flat();
      } catch (error) {
        throw storeError(error, { doing: 'list the archives of', file: parts.root });
      }
    },
    pack: (sessionId) => inTurn(sessionId, 'pack', () => pack(parts, sessionId)),
    unpack: (sessionId) =>
      inTurn(sessionId, 'unpack', async () => {
        const path = await found(parts, sessionId);
        if (await isJournal(parts, path)) return;
        const file = parts.writableFile(path, sessionId);
        await file.open();
        await file.close();
      }),
  };
}

/** The sessions of one agent whose journals are packed: two folders are read, and the beginning of each archive. */
async function packedOf({ fileSystem }: ArchiveParts, { folder }: AgentFolder): Promise<readonly string[]> {
  const archive = join(folder, 'archive');
  const names = ((await existing(fileSystem.readdir(archive))) ?? []).filter((name) => name.endsWith(archiveEnding));
  if (names.length === 0) return [];
  // Of a journal that has both, the archive goes with the next writer.
  const journals = new Set(await existing(fileSystem.readdir(join(folder, 'sessions'))));
  const packed = names
    .map((file) => ({ file: join(archive, file), name: file.slice(0, -archiveEnding.length) }))
    .filter(({ name }) => !journals.has(`${name}.jsonl`));
  const ids: (string | null)[] = [];
  for (let from = 0; from < packed.length; from += atOnce) {
    const some = packed.slice(from, from + atOnce);
    ids.push(...(await Promise.all(some.map((one) => idOfArchive(fileSystem, one)))));
  }
  return ids.filter((sessionId) => sessionId !== null);
}

/** Whose archive it is; `null` where it is none, or nothing tells whose. */
async function idOfArchive(
  fileSystem: FileSystem,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<string | null> {
  if (!(await isArchive(fileSystem, file))) return null;
  return idOfFileName(name) ?? (await existing(headerIdOf(fileSystem, { file, name })));
}

async function found(parts: ArchiveParts, sessionId: string): Promise<JournalPath> {
  const { fileSystem, root } = parts;
  const path = await findJournal(fileSystem, { root, sessionId, agentId: undefined });
  if (path === null) throw parts.missing(sessionId);
  return path;
}

async function isJournal({ fileSystem }: ArchiveParts, { file }: JournalPath): Promise<boolean> {
  return (await existing(fileSystem.stat(file))) !== null;
}

async function pack(parts: ArchiveParts, sessionId: string): Promise<PackedSize> {
  const path = await found(parts, sessionId);
  if (!(await isJournal(parts, path))) return sizeOfArchive(parts, path);
  const { fileSystem, root } = parts;
  const file = parts.writableFile(path, sessionId);
  await file.open();
  try {
    const { shared, end } = await file.view();
    const bytes = await packJournal({ fileSystem, root, file: path.file, source: shared.file, end });
    return { bytes, journalBytes: end };
  } finally {
    await file.close();
  }
}

async function sizeOfArchive({ fileSystem }: ArchiveParts, { file }: JournalPath): Promise<PackedSize> {
  const files = readingFiles(fileSystem, () => {});
  const { size: bytes } = await fileSystem.stat(archiveFileOf(file));
  const opened = await files.open(archiveFileOf(file), openFlags.read);
  try {
    return { bytes, journalBytes: files.fstatSync(opened.fd).size };
  } finally {
    await opened.close();
  }
}
