import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** What each example must have printed, beside having ended well. */
const printed: Readonly<Record<string, RegExp>> = {
  'examples/redactor/main.ts': /The key never reached it\./,
  'examples/sub-agents/main.ts': /The conversation was told 2 times, by two sub-agents\./,
};

const examples = [
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}/main.ts`),
  ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}/example.ts`),
].filter((path) => existsSync(join(root, path)));

describe('the examples', () => {
  it('are there for every plugin', () => {
    expect(examples.filter((path) => path.startsWith('plugins/'))).toHaveLength(
      readdirSync(join(root, 'plugins')).length,
    );
  });

  it.concurrent.each(examples)('run to their end: %s', { timeout: 60_000 }, async (path) => {
    const args = ['--conditions=@varve/source', '--import', 'tsx', path];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: root });
    expect(stderr).toBe('');
    expect(stdout).toMatch(printed[path] ?? /\S/);
  });
});
