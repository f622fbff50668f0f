import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const flags = ['--conditions=@varve/source', '--import', 'tsx', '--test-reporter=tap'];

it('describeCases of node:test passes, skips and fails as the cases do', { timeout: 60_000 }, async () => {
  const suite = join(import.meta.dirname, 'node-test-suite.ts');
  const ran = promisify(execFile)(process.execPath, [...flags, suite], { cwd: import.meta.dirname });
  const { stdout, code } = await ran.then(
    (done) => ({ ...done, code: 0 }),
    (error: { readonly stdout: string; readonly code: number }) => error,
  );
  const results = stdout.split('\n').filter((line) => /^ {4}(not )?ok /.test(line));
  expect(results.map((line) => line.trim())).toEqual([
    'ok 1 - is positive',
    'ok 2 - is even # SKIP nobody said whether it is',
    'ok 3 - is ten',
    'not ok 4 - is two',
    'not ok 5 - is four',
    'not ok 6 - has a case for every failure that is expected',
  ]);
  expect(stdout).toContain('It passes, but was expected to fail: wrongly. Take it out of expectFail.');
  expect(stdout).toContain('There is no case of that name; take it out of expectFail: is blue.');
  expect(code).toBe(1);
});
