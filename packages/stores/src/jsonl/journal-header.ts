import type { JournalHeader, Milliseconds } from '@varve/core';
import type { OpenFile } from './file-system.ts';
import { readLineAt } from './line-reader.ts';
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
    readonly report: ReportRepair;
  },
): Promise<JournalHeader> {
  const { sessionId, agentId, end, report } = options;
  const line = await readLineAt(file, { offset: 0, end });
  for (const { record } of line === null ? [] : recordsOf(line)) {
    if (record.kind === 'header' && record.header.sessionId === sessionId) return record.header;
  }
  report({ kind: line === null && end === 0 ? 'empty-file' : 'bad-header', offset: 0, length: line?.length ?? 0 });
  const createdAt = await timeOfFirstEntry(file, { end, report });
  return { v: 1, sessionId, createdAt, ...(agentId === undefined ? {} : { agentId }) };
}

async function timeOfFirstEntry(
  file: OpenFile,
  { end, report }: { readonly end: number; readonly report: ReportRepair },
): Promise<Milliseconds> {
  for await (const entries of readEntries(file, { from: 0, to: end, report })) return entries[0]?.record.entry.at ?? 0;
  return 0;
}
