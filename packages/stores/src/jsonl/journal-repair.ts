import type { JournalHeader } from '@varve/core';
import { appendTo, type FileSystem, type OpenFile } from './file-system.ts';
import type { JournalEnd } from './journal-end.ts';
import { encodeHeader } from './journal-line.ts';
import { quarantine } from './quarantine.ts';
import type { ReportRepair } from './repair-report.ts';

/**
 * Moves what is behind the end of a journal into quarantine, and makes the file end with a whole line: the header, when
 * there is no other. Gives where it ends then. Not synced.
 */
export async function repairEnd(
  file: OpenFile,
  found: JournalEnd & { readonly size: number },
  journal: {
    readonly fileSystem: FileSystem;
    readonly path: string;
    readonly header: JournalHeader;
    readonly report: ReportRepair;
  },
): Promise<JournalEnd> {
  const { fileSystem, path, header, report } = journal;
  const { size, end, lastSeq, lacksLineFeed } = found;
  if (size > end) {
    const target = await quarantine(fileSystem, { file: path, source: file, from: end, to: size });
    await file.truncate(end);
    report({ kind: 'torn-tail', offset: end, length: size - end, quarantine: target });
  }
  if (lacksLineFeed) report({ kind: 'missing-line-feed', offset: end, length: 0 });
  const missing = end === 0 ? encodeHeader(header) : Buffer.from(lacksLineFeed ? '\n' : '');
  if (missing.length > 0) await appendTo(file, [missing]);
  return { end: end + missing.length, lastSeq, lacksLineFeed: false };
}
