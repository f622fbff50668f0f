import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import PlainLineReporter from './scripts/plain-line-reporter.ts';

// Workspace packages are read from src/, so tests need no build.
const conditions = ['@varve/source', ...defaultServerConditions];
const roots = ['packages', 'plugins']
  .flatMap((group) => readdirSync(group).map((name) => `${group}/${name}`))
  .filter((root) => existsSync(`${root}/package.json`));

/** No test of these changes what another one sees: files share a process, which imports the product once for all of them. */
const sharing = ['packages/core', 'packages/sessions', 'packages/adapters', 'packages/gateway', 'packages/cli'];

const project = (name: string, include: string) => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    isolate: !sharing.includes(name) && !name.startsWith('plugins/'),
    benchmark: { include: [`${name}/bench/**/*.bench.ts`] },
  },
});

/** Tests of core in which something is tapped, and those of what comes in: zod makes code out of strings, too. */
const dependsOnEnvironment = /\bhooks\b|\btapPromise\b|\bregisterEngine\b|bad-input/;
const testsWithTaps = readdirSync('packages/core/test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `packages/core/test/${name}`)
  .filter((path) => dependsOnEnvironment.test(`${path}\n${readFileSync(path, 'utf8')}`));

/** Core's own tests once more, on a machine that makes no code out of strings: see test/environments. */
const withLiteTapable = {
  extends: true as const,
  resolve: { alias: { tapable: fileURLToPath(import.meta.resolve('@rspack/lite-tapable')) } },
  test: {
    name: 'packages/core with lite-tapable',
    include: [...testsWithTaps, 'test/environments/without-code-generation.canary.ts'],
    pool: 'forks' as const,
    execArgv: ['--disallow-code-generation-from-strings'],
    // One process for all files: no test changes what another one sees.
    isolate: false,
  },
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Vitest would leave one core idle, which on two cores is half of them.
    maxWorkers: Math.max(2, availableParallelism()),
    // Ends what hangs. How long a test takes is the machine's affair, and no test has a limit of its own below this.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: [fileURLToPath(new URL('./scripts/property-seed.ts', import.meta.url))],
    projects: [
      ...roots.map((root) => project(root, `${root}/test/**/*.test.ts`)),
      withLiteTapable,
      project('test', 'test/**/*.test.ts'),
    ],
    reporters: ['default', new PlainLineReporter()],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'plugins/*/src/**/*.ts'],
      exclude: ['**/bin.ts', '**/src/index.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 80, functions: 80, branches: 60, statements: 80 },
    },
  },
});
