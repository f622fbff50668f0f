import { existing } from '../existing.ts';
import { type FileFacts, type FileSystem, type OpenFile, openFlags } from '../file-system.ts';
import type { ReportRepair } from '../repair-report.ts';
import { ArchiveFile } from './archive-file.ts';
import { archiveEnding, archiveFileOf } from './archive-path.ts';

/** How often a journal is looked for that is in neither place. */
const mostLooks = 3;

/** What it takes to open a file and to look at it. */
export type ReadingFiles = Pick<FileSystem, 'open' | 'fstatSync'>;

/**
 * Opens journals to be read, wherever they are: in the place of one that is not there, its archive, as if it were the
 * journal. A path that is an archive's own is read so, too.
 *
 * @param report  Told of damaged blocks.
 * @throws by `open`, what the file system throws, and an error with the code `noArchive` for what is no archive.
 */
export function readingFiles(fileSystem: FileSystem, report: ReportRepair): ReadingFiles {
  const archives = new Map<number, ArchiveFile>();
  const openArchive = async (path: string, flags: number): Promise<OpenFile> => {
    const file = await fileSystem.open(path, flags);
    try {
      const { size } = fileSystem.fstatSync(file.fd);
      const archive = await ArchiveFile.open({ file, size, report: (damage) => report({ ...damage, file: path }) });
      archives.set(file.fd, archive);
      const close = archive.close.bind(archive);
      archive.close = async () => {
        archives.delete(file.fd);
        await close();
      };
      return archive;
    } catch (error) {
      await file.close();
      throw error;
    }
  };
  return {
    open: async (path, flags) => {
      if (flags !== openFlags.read) return fileSystem.open(path, flags);
      if (path.endsWith(archiveEnding)) return openArchive(path, flags);
      for (let look = 1; look < mostLooks; look += 1) {
        const found =
          (await existing(fileSystem.open(path, flags))) ?? (await existing(openArchive(archiveFileOf(path), flags)));
        if (found !== null) return found;
      }
      // Neither: it may have been moved between the two.
      return fileSystem.open(path, flags);
    },
    fstatSync: (fd) => {
      const facts = fileSystem.fstatSync(fd);
      const archive = archives.get(fd);
      return archive === undefined ? facts : asJournal(facts, archive.size);
    },
  };
}

function asJournal(facts: FileFacts, size: number): FileFacts {
  const { nlink, ino, mode, mtimeMs, birthtimeMs } = facts;
  return {
    ...{ size, nlink, ino, mode, mtimeMs, birthtimeMs },
    isFile: () => facts.isFile(),
    isDirectory: () => facts.isDirectory(),
    isSymbolicLink: () => facts.isSymbolicLink(),
  };
}
