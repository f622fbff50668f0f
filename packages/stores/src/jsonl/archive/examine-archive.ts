import { type ExaminedJournal, examineJournal } from '../examine-journal.ts';
import type { FileSystem } from '../file-system.ts';
import type { ReportRepair } from '../repair-report.ts';
import { type FindingPlace, finding, type StoreFinding } from '../store-finding.ts';
import { readingFiles } from './reading-files.ts';

/**
 * Reads an archive from end to end as the journal that it holds, and says which blocks are not as they were written.
 *
 * @param archive.name  The name of the journal's file, without its ending.
 */
export async function examineArchive(
  fileSystem: FileSystem,
  { name, ...place }: FindingPlace & { readonly name: string },
): Promise<ExaminedJournal> {
  const damaged = new Map<number, number>();
  const report: ReportRepair = ({ offset, length }) => void damaged.set(offset, length);
  const files = readingFiles(fileSystem, report);
  const examined = await examineJournal(files, { ...place, name, isBeingWritten: false });
  const findings = [...blockFindings(place, damaged), ...examined.findings];
  const { size } = await fileSystem.stat(place.file);
  return { ...examined, findings, bytes: size };
}

function* blockFindings(place: FindingPlace, damaged: ReadonlyMap<number, number>): Iterable<StoreFinding> {
  const [first] = damaged;
  if (first === undefined) return;
  const bytes = [...damaged.values()].reduce((sum, length) => sum + length, 0);
  const many = damaged.size === 1 ? 'A block of the archive is' : `${damaged.size} blocks of the archive are`;
  const text = `${many} not as written (${damaged.size === 1 ? '' : 'first '}${first[1]} bytes at byte ${first[0]}).`;
  yield finding('block-damaged', { ...place, text, bytes });
}
