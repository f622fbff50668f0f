import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import type { Mutant } from './mutants.ts';

const conditions = ['@varve/source', 'node', 'import', 'module', 'default'];

/** The worker as one file. */
export interface BuiltWorker {
  readonly file: string;
  remove(): void;
}

/**
 * Puts the worker and all that it imports into one file, with a fault put into it where one is asked for.
 *
 * @throws when the place of the fault is not there exactly once.
 */
export async function buildSubagentWorker(mutant: Mutant | null): Promise<BuiltWorker> {
  const outDir = mkdtempSync(join(tmpdir(), 'varve-subagents-worker-'));
  const done = new Set<string>();
  await build({
    configFile: false,
    logLevel: 'warn',
    define: { mostLooks: mutant === null ? 'Infinity' : '4000' },
    plugins: mutant === null ? [] : [mutating(mutant, done)],
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: fileURLToPath(new URL('./worker/worker.ts', import.meta.url)),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  const missing = (mutant?.edits ?? []).filter(({ file }) => !done.has(file));
  if (missing.length > 0) throw new Error(`${mutant?.id}: not built: ${missing.map(({ file }) => file).join(', ')}`);
  return { file: join(outDir, 'worker.mjs'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}

/** Changes sources while they are read. */
function mutating({ id, edits }: Mutant, done: Set<string>): Plugin {
  return {
    name: 'mutant',
    enforce: 'pre',
    transform: (code, path) => {
      let changed = code;
      for (const { file, from, to } of edits) {
        if (!path.endsWith(`/${file}`)) continue;
        const times = changed.split(from).length - 1;
        if (times !== 1)
          throw new Error(`${id}: "${from}" stands ${times} times in ${file}, and must stand there once`);
        changed = changed.replace(from, () => to);
        done.add(file);
      }
      return changed === code ? null : { code: changed, map: null };
    },
  };
}
