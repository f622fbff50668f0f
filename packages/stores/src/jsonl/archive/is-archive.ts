import { type FileSystem, openFlags, readAt } from '../file-system.ts';
import { codeOf } from '../store-error.ts';
import { noArchive, readLayout } from './archive-layout.ts';
import { decodeHeader, headerLength } from './archive-member.ts';

/** What says that there is no file, or a folder or a link in its place. */
const noFile: readonly (string | undefined)[] = ['EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', noArchive];

/**
 * Whether an archive stands there, however damaged: a file with a block in it. What cannot be opened may be one. Of a link,
 * a folder, or what some other program wrote there no session is made.
 *
 * @throws what the file system throws
 */
export async function isArchive(fileSystem: Pick<FileSystem, 'open' | 'fstatSync'>, path: string): Promise<boolean> {
  try {
    const file = await fileSystem.open(path, openFlags.read);
    try {
      const facts = fileSystem.fstatSync(file.fd);
      if (!facts.isFile()) return false;
      const first = decodeHeader(await readAt(file, { position: 0, length: headerLength }));
      if (first?.kind === 'block') return true;
      return (await readLayout({ file, size: facts.size, report: () => {} })).length > 0;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'EACCES') return true;
    if (noFile.includes(codeOf(error))) return false;
    throw error;
  }
}
