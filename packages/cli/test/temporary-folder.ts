import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the files of one test file, removed behind it. */
export interface TemporaryFolder {
  readonly path: string;
  /** Writes a file and gives its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Makes a folder in it and gives its path. */
  folder(name: string): string;
}

/** Makes a {@link TemporaryFolder}. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'varve-cli-test-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    file: (name, content) => {
      const file = join(path, name);
      writeFileSync(file, content);
      return file;
    },
    folder: (name) => {
      mkdirSync(join(path, name), { recursive: true });
      return join(path, name);
    },
  };
}
