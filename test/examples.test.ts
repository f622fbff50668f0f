import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { examplePages, examplesIn } from '../scripts/fill-examples.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** What each example must have printed, beside having ended well. */
const printed: Readonly<Record<string, RegExp>> = {
  'examples/redactor/main.ts': /The key never reached it\./,
  'examples/sub-agents/main.ts': /The conversation was told 2 times, by two sub-agents\./,
};

/** Pages that show what an example is, or prints. */
const pages = examplePages();
const shownOutputs = pages.flatMap(({ path: page, text }) =>
  examplesIn(text, 'output').map((one) => ({ ...one, page })),
);

const known = [
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}/main.ts`),
  ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}/example.ts`),
].filter((path) => existsSync(join(root, path)));
const examples = [...new Set([...known, ...shownOutputs.map(({ path }) => path)])];

describe('the examples', () => {
  it('are there for every plugin', () => {
    expect(examples.filter((path) => path.startsWith('plugins/'))).toHaveLength(
      readdirSync(join(root, 'plugins')).length,
    );
  });

  it.concurrent.each(examples)('run to their end: %s', async (path) => {
    const args = ['--conditions=@varve/source', '--import', 'tsx', path];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: root });
    expect(stderr).toBe('');
    expect(stdout).toMatch(printed[path] ?? /\S/);
    for (const { page, shown } of shownOutputs.filter((one) => one.path === path))
      expect(shown.trimEnd(), `${page}; run: node --import tsx scripts/fill-examples.ts`).toBe(stdout.trimEnd());
  });

  it('stand on pages as their files have them', () => {
    const shown = pages.flatMap(({ text }) => examplesIn(text, 'file'));
    expect(shown.length).toBeGreaterThan(2);
    for (const { path, shown: code } of shown) expect(code).toBe(readFileSync(join(root, path), 'utf8'));
    // Whatever file a page shows is run.
    expect(shown.map(({ path }) => path).filter((path) => !examples.includes(path))).toEqual([]);
  });
});
