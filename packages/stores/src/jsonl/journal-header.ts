import type { JournalHeader, Milliseconds } from '@varve/core';
import { readingFiles } from './archive/reading-files.ts';
import { fileNameOf } from './file-names.ts';
import { type FileSystem, type OpenFile, openFlags } from './file-system.ts';
import { type Line, readLineAt } from './line-reader.ts';
import { readEntries, recordsOf } from './record-reader.ts';
import type { ReportRepair } from './repair-report.ts';

/**
 * Reads the header of a journal. One that cannot be read, or is another session's, is made up from what is known, and
 * reported; the file stays as it is.
 */
export async function readHeader(
  file: OpenFile,
  options: {
    readonly sessionId: string;
    readonly agentId: string | undefined;
    readonly end: number;
    /** The first line, if it was read already. */
    readonly first: Line | null;
    readonly report: ReportRepair;
  },
): Promise<JournalHeader> {
  const { sessionId, agentId, end, first, report } = options;
  const { line, header } = await findHeader(file, { end, first, isOf: (id) => id === sessionId });
  if (header !== null) return header;
  report({ kind: line === null && end === 0 ? 'empty-file' : 'bad-header', offset: 0, length: line?.length ?? 0 });
  const createdAt = await timeOfFirstEntry(file, { end, report });
  return { v: 1, sessionId, createdAt, ...(agentId === undefined ? {} : { agentId }) };
}

/** The header in the first line of a journal whose file has that name; `null` where that is none, or of another one. */
export async function headerOfName(
  file: OpenFile,
  { name, end }: { readonly name: string; readonly end: number },
): Promise<JournalHeader | null> {
  return (await findHeader(file, { end, isOf: (id) => fileNameOf(id) === name })).header;
}

/** The id that {@link headerOfName} finds in a journal, or in an archive. @throws what the file system throws */
export async function headerIdOf(
  fileSystem: FileSystem,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<string | null> {
  const files = readingFiles(fileSystem, () => {});
  const opened = await files.open(file, openFlags.read);
  try {
    const { size } = files.fstatSync(opened.fd);
    return (await headerOfName(opened, { name, end: size }))?.sessionId ?? null;
  } finally {
    await opened.close();
  }
}

async function findHeader(
  file: OpenFile,
  how: {
    readonly end: number;
    readonly first?: Line | null;
    readonly isOf: (sessionId: string) => boolean;
  },
): Promise<{ readonly line: Line | null; readonly header: JournalHeader | null }> {
  const { end, first = null, isOf } = how;
  const isRead = first !== null && first.length <= end;
  const line = isRead ? first : await readLineAt(file, { offset: 0, end });
  for (const { record } of line === null ? [] : recordsOf(line)) {
    if (record.kind === 'header' && isOf(record.header.sessionId)) return { line, header: record.header };
  }
  return { line, header: null };
}

async function timeOfFirstEntry(
  file: OpenFile,
  { end, report }: { readonly end: number; readonly report: ReportRepair },
): Promise<Milliseconds> {
  for await (const entries of readEntries(file, { from: 0, to: end, report })) return entries[0]?.record.entry.at ?? 0;
  return 0;
}
