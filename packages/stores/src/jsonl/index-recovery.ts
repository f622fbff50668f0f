import { dirname, join } from 'node:path';
import { existing } from './existing.ts';
import { fileNameOf } from './file-names.ts';
import type { FileSystem } from './file-system.ts';
import type { IndexContent } from './index-content.ts';
import { recordFromJournal, recordOfUnreadable } from './record-from-journal.ts';

/** Journals that are read at the same time. */
const atOnce = 8;

const ending = '.jsonl';

/** Makes a record for each journal of the agent that has none. Gives their number. */
export async function recoverRecords(
  content: IndexContent,
  index: { readonly fileSystem: FileSystem; readonly file: string; readonly agentId: string },
): Promise<number> {
  const { fileSystem, file, agentId } = index;
  const folder = join(dirname(file), 'sessions');
  const files = (await existing(fileSystem.readdir(folder))) ?? [];
  const known = new Set(content.records.map(({ sessionId }) => fileNameOf(sessionId)));
  const names = files.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  const left = names.filter((name) => !known.has(name)).sort();
  let made = 0;
  for (let from = 0; from < left.length; from += atOnce) {
    const records = await Promise.all(
      left
        .slice(from, from + atOnce)
        .map((name) =>
          recordFromJournal(fileSystem, { file: join(folder, name + ending), name, agentId }).catch((error: unknown) =>
            recordOfUnreadable(error, { name, agentId }),
          ),
        ),
    );
    for (const record of records) {
      if (record !== null && content.apply({ kind: 'record', record, by: 'journal', after: [] })) made += 1;
    }
  }
  return made;
}
