import { dirname, join } from 'node:path';
import { archiveEnding } from './archive/archive-path.ts';
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
  const known = new Set(content.records.map(({ sessionId }) => fileNameOf(sessionId)));
  const left = [...(await journalsOf(fileSystem, dirname(file)))].filter(([name]) => !known.has(name)).sort();
  let made = 0;
  for (let from = 0; from < left.length; from += atOnce) {
    const records = await Promise.all(
      left
        .slice(from, from + atOnce)
        .map(([name, path]) =>
          recordFromJournal(fileSystem, { file: path, name, agentId }).catch((error: unknown) =>
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

/** Paths of an agent's journals by the names of their files; the archive of one that is in it. */
async function journalsOf(fileSystem: FileSystem, agent: string): Promise<ReadonlyMap<string, string>> {
  const journals = new Map<string, string>();
  for (const [folder, end] of [
    ['archive', archiveEnding],
    ['sessions', ending],
  ] as const) {
    for (const name of (await existing(fileSystem.readdir(join(agent, folder)))) ?? []) {
      if (name.endsWith(end)) journals.set(name.slice(0, -end.length), join(agent, folder, name));
    }
  }
  return journals;
}
