import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A journal that lies in a root, without having been opened. */
export interface FoundJournal {
  /** As its first line says; the name of its file when that says nothing. */
  readonly sessionId: string;
  readonly file: string;
  readonly bytes: number;
}

/** More names than this would only fill the screen. */
const mostNames = 20;

/** The first line of a journal is not longer. */
const longestHeader = 65_536;

const ending = '.jsonl';

/** The sessions of a journals' folder, as one text: `"a", "b" and 3 more`; `null` when there are none. */
export async function sessionNames(root: string): Promise<string | null> {
  const journals = await findJournals(root);
  const names = journals.map(({ sessionId }) => sessionId).sort();
  if (names.length === 0) return null;
  const shown = names.slice(0, mostNames).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** All journals that a folder holds, agent by agent, in the order of their files' names. */
export async function findJournals(root: string): Promise<readonly FoundJournal[]> {
  const found: FoundJournal[] = [];
  for (const agent of await namesIn(join(root, 'agents'))) {
    const folder = join(root, 'agents', agent, 'sessions');
    for (const name of await namesIn(folder)) {
      const file = join(folder, name);
      const bytes = name.endsWith(ending) ? await sizeOf(file) : null;
      if (bytes === null) continue;
      const sessionId = (await sessionIn(file)) ?? name.slice(0, -ending.length);
      found.push({ sessionId, file, bytes });
    }
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort();
}

/** `null` for what is no file. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

async function sessionIn(file: string): Promise<string | null> {
  const stream = createReadStream(file, { encoding: 'utf8', end: longestHeader - 1 });
  try {
    for await (const line of createInterface({ input: stream })) {
      const { sessionId } = JSON.parse(line) as { readonly sessionId?: unknown };
      return typeof sessionId === 'string' ? sessionId : null;
    }
    return null;
  } catch {
    return null; // a damaged journal still has the name of its file
  } finally {
    stream.destroy();
  }
}
