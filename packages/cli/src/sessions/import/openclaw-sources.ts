import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VarveError } from '@varve/core';

/** A file of OpenClaw that says which conversations there are. */
export interface OpenClawSource {
  /** `index`: a `sessions.json`, with a transcript a conversation beside it. `database`: all of an agent in one file. */
  readonly kind: 'index' | 'database';
  readonly file: string;
  /** Whose conversations they are, as the folders say. */
  readonly agentId: string;
}

const indexName = 'sessions.json';
const databaseName = 'openclaw-agent.sqlite';

/** Where the files of one agent are, from its own folder and from those below. */
const places: readonly (readonly string[])[] = [
  ['agent', databaseName],
  [databaseName],
  [indexName],
  ['sessions', indexName],
];

/**
 * The stores of OpenClaw that a path names: one of their files, the folder of an agent or one in it, or the folder that
 * holds all agents; `null` for a file of another kind.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE  for a folder that holds none.
 */
export async function findOpenClaw(path: string): Promise<readonly OpenClawSource[] | null> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isDirectory() !== true) {
    const kind = basename(path) === indexName ? 'index' : basename(path) === databaseName ? 'database' : null;
    return kind === null ? null : [{ kind, file: path, agentId: agentIn(path) }];
  }
  const agents = await readdir(join(path, 'agents')).catch(() => []);
  const folders = [path, ...agents.sort().map((agent) => join(path, 'agents', agent))];
  const found: OpenClawSource[] = [];
  for (const folder of folders) {
    for (const place of places) {
      const file = join(folder, ...place);
      const isThere = (await stat(file).catch(() => null))?.isFile() === true;
      const kind = file.endsWith(databaseName) ? 'database' : 'index';
      if (isThere) found.push({ kind, file, agentId: agentIn(file) });
    }
  }
  if (found.length > 0) return found;
  throw new VarveError(
    'VARVE_TRANSCRIPT_UNREADABLE',
    `The folder "${path}" has no ${indexName} and no ${databaseName}.`,
    {
      fix: 'Give a transcript, or the folder of OpenClaw or of one of its agents, such as ~/.openclaw/agents/main.',
    },
  );
}

/** The agent whose file it is: `agents/<id>/sessions/sessions.json`, `agents/<id>/agent/openclaw-agent.sqlite`. */
function agentIn(file: string): string {
  const folder = dirname(file);
  const isUsual = ['sessions', 'agent'].includes(basename(folder)) && basename(dirname(dirname(folder))) === 'agents';
  return isUsual ? basename(dirname(folder)) : 'main';
}
