import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const mutated = ['packages/core', 'packages/adapters', 'packages/cli'];

/** Why the build cannot be used; `null` when it can. */
function staleness(): string | null {
  for (const path of mutated) {
    const built = join(root, path, 'dist/.tsbuildinfo');
    if (!existsSync(built)) return `${path} is not built: pnpm run build`;
    const sources = readdirSync(join(root, path, 'src'), { recursive: true, encoding: 'utf8' });
    const newest = Math.max(...sources.map((name) => statSync(join(root, path, 'src', name)).mtimeMs));
    if (newest > statSync(built).mtimeMs) return `the build of ${path} is older than its sources: pnpm run build`;
  }
  return null;
}

it('finds every fault that is put into the product, and none in the product itself', (context) => {
  const reason = staleness();
  if (reason !== null) context.skip(reason);
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/mutants/run.mjs'], { cwd: root, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toMatch(/\n\d+ passed, 0 failed\n$/);
});
