// Builds the page of the inspector into packages/gateway/dist/inspector-page. What has not changed is not built again.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const gateway = join(import.meta.dirname, '../packages/gateway');
const out = join(gateway, 'dist/inspector-page');
const stamp = join(gateway, '.tsbuild/inspector.stamp');
const inputs = ['inspector', 'src/inspector']
  .flatMap((folder) => readdirSync(join(gateway, folder), { recursive: true, encoding: 'utf8', withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .concat(join(gateway, 'package.json'))
  .sort();
const hash = createHash('sha256');
for (const path of inputs) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
const wanted = hash.digest('hex');

if (!existsSync(join(out, 'inspector.js')) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  // Loaded when there is something to build.
  const { build } = await import('vite');
  await build({ configFile: join(gateway, 'inspector/vite.config.ts') });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}
