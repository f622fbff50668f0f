import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';

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
    const seen = new Set<string>();
    for (const [folder, end] of places) {
      for (const name of await namesIn(join(root, 'agents', agent, folder))) {
        const file = join(root, 'agents', agent, folder, name);
        const bytes = name.endsWith(end) ? await sizeOf(file) : null;
        const own = name.slice(0, -end.length);
        // Of a journal and its archive, the journal counts.
        if (bytes === null || seen.has(own) || !(await mayHoldJournal(file))) continue;
        seen.add(own);
        found.push({ sessionId: (await sessionIn(file)) ?? own, file, bytes });
      }
    }
  }
  return found;
}

/** Folders of an agent that hold journals, and what the names of those end with. */
const places = [
  ['sessions', '.jsonl'],
  ['archive', '.jsonl.gz'],
] as const;

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort();
}

/** `null` for what is no file. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

/** Only the beginning of an archive is unpacked, whatever it would become. */
const unfinished = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16_777_216 };

async function sessionIn(file: string): Promise<string | null> {
  try {
    const beginning = await beginningOf(file);
    const text = file.endsWith('.gz') ? gunzipSync(beginning, unfinished) : beginning;
    const [line = ''] = text.toString('utf8').split('\n', 1);
    const { sessionId } = JSON.parse(line) as { readonly sessionId?: unknown };
    return typeof sessionId === 'string' ? sessionId : null;
  } catch {
    return null; // a damaged journal still has the name of its file
  }
}

/** What each block of an archive begins with. */
const blockStart = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]);

/** False for what stands among the archives and is none: of that, no session is made. */
async function mayHoldJournal(file: string): Promise<boolean> {
  if (!file.endsWith('.gz')) return true;
  // What cannot be opened may be one.
  const beginning = await beginningOf(file).catch(() => null);
  return beginning === null || beginning.includes(blockStart);
}

async function beginningOf(file: string): Promise<Buffer> {
  await using opened = await open(file);
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(longestHeader), 0, longestHeader, 0);
  return buffer.subarray(0, bytesRead);
}
