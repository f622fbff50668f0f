import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** More names than this would only fill the screen. */
const mostNames = 20;

/** The sessions of a journals' folder, as one text: `"a", "b" and 3 more`; `null` when there are none. */
export async function sessionNames(root: string): Promise<string | null> {
  const names = await listSessions(root);
  if (names.length === 0) return null;
  const shown = names.slice(0, mostNames).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Names of all sessions that a folder holds, in the order of the alphabet. Journals say in their first line whose they are. */
async function listSessions(root: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const agent of await namesIn(join(root, 'agents'))) {
    const folder = join(root, 'agents', agent, 'sessions');
    for (const file of await namesIn(folder)) {
      if (!file.endsWith('.jsonl')) continue;
      names.push((await sessionOf(join(folder, file))) ?? file.slice(0, -'.jsonl'.length));
    }
  }
  return names.sort();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function sessionOf(file: string): Promise<string | null> {
  const stream = createReadStream(file, { encoding: 'utf8' });
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
