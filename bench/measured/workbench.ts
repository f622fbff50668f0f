import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What workloads share, whatever they measure. */
export interface Workbench {
  /** A new folder. */
  folder(name: string): string;
  /** Says how far it is. */
  say(text: string): void;
  /** Collects rubbish, so that nobody pays for somebody else's. */
  collect(): void;
  /** Removes all folders. */
  end(): void;
}

/** Begins: everything is in one new folder. @param set  Its name: `speed`. */
export function createWorkbench(set: string): Workbench {
  const root = mkdtempSync(join(tmpdir(), `varve-bench-${set}-`));
  let made = 0;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return {
    folder: (name) => {
      made += 1;
      const path = join(root, `${made}-${name}`);
      mkdirSync(path);
      return path;
    },
    say: (text) => console.error(text),
    collect,
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}
