import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** The repository's root. */
export const root: string = join(import.meta.dirname, '../..');
const page = join(import.meta.dirname, 'page');
const testFolder = 'packages/core/test';

/** Code for a page, and where each part of it comes from. */
export interface Bundle {
  readonly code: string;
  /** Code that was kept of each module, by its path. */
  readonly modules: ReadonlyMap<string, string>;
  /** Modules that the code asks its host for. */
  readonly imports: readonly string[];
}

/** A test file that cannot run in a page. */
export interface LeftOut {
  readonly file: string;
  readonly why: string;
}

/** Bundles everything that `@varve/core` exports, as a page would load it. */
export async function bundleProduct({ minify = false }: { readonly minify?: boolean } = {}): Promise<Bundle> {
  return bundle(fileURLToPath(import.meta.resolve('@varve/core')), { format: 'es', minify });
}

/** Sizes of a bundle in bytes. */
export function sizesOf({ code }: Bundle): { readonly bytes: number; readonly gzip: number } {
  return { bytes: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

/** Bundles the tests of core into a script that puts `runCoreTests` into the global scope. */
export async function bundleTests({
  tapable = 'tapable',
}: {
  readonly tapable?: 'tapable' | '@rspack/lite-tapable';
} = {}): Promise<Bundle & { readonly leftOut: readonly LeftOut[] }> {
  const { files, leftOut } = testFiles();
  const alias: Record<string, string> = { vitest: join(page, 'vitest-in-page.ts') };
  if (tapable !== 'tapable') alias['tapable'] = fileURLToPath(import.meta.resolve(tapable));
  const made = await bundle(join(page, 'run-tests.ts'), {
    format: 'iife',
    alias,
    plugins: [listOf(files)],
  });
  return { ...made, leftOut };
}

/** A test that reads the disk or replaces modules stays with Node; every other one runs in a page. */
function testFiles(): { readonly files: readonly string[]; readonly leftOut: readonly LeftOut[] } {
  const all = readdirSync(join(root, testFolder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${testFolder}/${name.replaceAll('\\', '/')}`)
    .sort();
  const leftOut = all.flatMap((file) => {
    const why = reasonToLeaveOut(readFileSync(join(root, file), 'utf8'));
    return why === null ? [] : [{ file, why }];
  });
  const away = new Set(leftOut.map(({ file }) => file));
  return { files: all.filter((file) => !away.has(file)), leftOut };
}

function reasonToLeaveOut(text: string): string | null {
  const nodeModule = /from '(node:[a-z/]+)'/.exec(text)?.[1];
  if (nodeModule !== undefined) return `it needs ${nodeModule}`;
  return /\bvi\.(doMock|mock|resetModules)\(/.test(text) ? 'it replaces modules of core' : null;
}

function listOf(files: readonly string[]): Plugin {
  const id = 'virtual:core-tests';
  const lines = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(join(root, file))}),`);
  return {
    name: 'list-of-core-tests',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (loaded) => (loaded === `\0${id}` ? `export const testFiles = {\n${lines.join('\n')}\n};` : undefined),
  };
}

async function bundle(
  input: string,
  options: {
    readonly format: 'es' | 'iife';
    readonly minify?: boolean;
    readonly alias?: Record<string, string>;
    readonly plugins?: Plugin[];
  },
): Promise<Bundle> {
  const { format, minify = false, alias = {}, plugins = [] } = options;
  const config: InlineConfig = {
    root,
    configFile: false,
    logLevel: 'error',
    plugins,
    resolve: { alias, conditions: ['@varve/source', 'module', 'browser', 'production', 'import'] },
    build: {
      write: false,
      target: 'es2022',
      minify,
      // A library: nothing is added that only a page has.
      lib: { entry: input, formats: [format], name: 'coreTests', fileName: 'bundle' },
      rolldownOptions: { output: { codeSplitting: false, minify } },
    },
  };
  const made = (await build(config)) as Rolldown.RolldownOutput[];
  const chunks = made.flatMap(({ output }) => output).filter((part) => part.type === 'chunk');
  const [chunk] = chunks;
  if (chunk === undefined || chunks.length > 1) throw new Error(`The bundle has ${chunks.length} chunks, not one.`);
  const imports = [...chunk.imports, ...chunk.dynamicImports];
  const modules = Object.entries(chunk.modules).map(([path, { code }]) => [path, code ?? ''] as const);
  return { code: chunk.code, modules: new Map(modules), imports: imports.filter((name) => name !== chunk.fileName) };
}
