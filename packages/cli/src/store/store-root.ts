import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';

/** Text of `--root` in the help of every command that reads a store. */
export const rootHelp = 'folder of the store (default: VARVE_HOME, or ~/.varve)';

/** The folder of the store: what the user named, else `VARVE_HOME`, else `~/.varve`. */
export function storeRoot(named: string | undefined, env: CliIo['env']): string {
  if (named !== undefined) return named;
  const { VARVE_HOME = '' } = env;
  return VARVE_HOME === '' ? join(homedir(), '.varve') : VARVE_HOME;
}
