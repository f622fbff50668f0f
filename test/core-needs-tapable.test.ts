import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** What vitest's report in JSON says, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

it('no tap is ever called once tapable is taken away', () => {
  const files = ['guard.test.ts', 'guard-table.test.ts'];
  const config = ['--config', 'test/environments/broken-tapable.config.ts', '--reporter=json'];
  const words = [vitest, 'run', ...config, ...files.map((file) => `packages/core/test/${file}`)];
  const { stdout, status } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  const { testResults } = JSON.parse(stdout) as Report;
  expect(status).toBe(1);
  expect(testResults).toHaveLength(files.length);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(tests.length).toBeGreaterThan(150);
  expect(tests.filter(({ status }) => status === 'passed')).toEqual([]);
  const why = tests.flatMap(({ failureMessages }) => failureMessages);
  expect(why.join('\n')).toContain('tapable has been taken away');
});
