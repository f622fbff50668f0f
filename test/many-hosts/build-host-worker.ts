import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const conditions = ['@varve/source', 'node', 'import', 'module', 'default'];

/** Puts the worker and all that it imports into one file: it starts at once, and edits meanwhile do not change it. */
export async function buildHostWorker(): Promise<{ readonly file: string; remove(): void }> {
  const outDir = mkdtempSync(join(tmpdir(), 'varve-host-worker-'));
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: fileURLToPath(new URL('./worker/host-worker.ts', import.meta.url)),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      sourcemap: true,
      rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  return { file: join(outDir, 'worker.mjs'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}
