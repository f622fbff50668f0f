import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';

/** The user's home folder: what the environment says, else what the system knows. */
export function homeFolder({ HOME = '', USERPROFILE = '' }: CliIo['env']): string {
  return HOME || USERPROFILE || homedir();
}

/** A path of a configuration as an absolute one: `~` is the home folder, others begin at the folder of the file. */
export function absolutePath(path: string, { home, base }: { readonly home: string; readonly base: string }): string {
  if (path === '~') return home;
  return /^~[\\/]/.test(path) ? join(home, path.slice(2)) : resolve(base, path);
}
