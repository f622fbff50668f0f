// Removes what builds, checks and tests leave behind.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const packages = ['packages', 'plugins'].flatMap((group) => readdirSync(group).map((name) => join(group, name)));
const outputs = packages.flatMap((root) => [join(root, 'dist'), join(root, '.tsbuild')]);
const own = ['.pack', 'coverage', 'docs/api', 'docs/.vitepress/cache', 'docs/.vitepress/dist'];
for (const path of [...outputs, ...own, 'scripts/.tsbuild', 'test/.tsbuild']) {
  if (existsSync(path)) rmSync(path, { recursive: true });
}
