import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const conditions = ['@varve/source', 'node', 'import', 'module', 'default'];

/** Puts the worker and all that it imports into one folder: it starts at once, and edits meanwhile do not change it. */
export async function buildLargeWorker(): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-large-worker-'));
  // The command line looks for its version in the folder above.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '0.0.0', type: 'module' }));
  const outDir = join(folder, 'dist');
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: {
        // An entry of its own, loaded before the worker: inside a bundle, what counts would come after what it wraps.
        input: {
          'count-reads': fileURLToPath(new URL('./worker/count-reads.ts', import.meta.url)),
          worker: fileURLToPath(new URL('./worker/large-worker.ts', import.meta.url)),
        },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return { file: join(outDir, 'worker.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
