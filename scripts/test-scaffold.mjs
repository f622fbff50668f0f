// Does what the first user of `varve plugin new` does, with the packages as they are packed, in an empty folder and with
// an empty npm cache: begins a plugin, an engine and a store, installs, tests, checks and packs each, without an edit.
//
//     pnpm test:scaffold [--only plugin] [--keep]
//
// Packages of this repository come from their tarballs, through a registry on the loopback interface; all others from
// npm's registry, so it needs a network. Prints what each step said and took, and last `N passed, N failed`.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmEnvironment, packAll, servePackages } from './packed-registry.mjs';
import { runCommand, shortened } from './run-command.mjs';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } } });
/** What is begun: names with an owner, and one without. */
const names = { plugin: '@acme/varve-notes', engine: 'varve-oldest-first', store: '@acme/journals' };
const work = mkdtempSync(join(tmpdir(), 'varve-scaffold-'));
const counts = { passed: 0, failed: 0 };

try {
  const begun = Date.now();
  const packed = packAll(join(work, 'tarballs'));
  console.log(`packed ${packed.size} packages in ${seconds(begun)}`);
  const registry = await servePackages(packed);
  try {
    for (const [kind, name] of Object.entries(names)) {
      if (values.only === undefined || kind === values.only) await tryOut({ kind, name }, registry);
    }
  } finally {
    registry.close();
  }
  console.log(`all of it took ${seconds(begun)}`);
} finally {
  if (values.keep) console.log(`kept ${work}`);
  else rmSync(work, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** What the first user does, step by step; what fails ends it. */
async function tryOut({ kind, name }, { url }) {
  const folder = join(work, kind);
  const empty = join(work, `empty-${kind}`);
  mkdirSync(empty);
  const first = ['exec', '--yes', '--package=@varve/cli', '--', 'varve', 'plugin', 'new', name];
  const steps = [
    { cwd: empty, words: ['npm', ...first, '--kind', kind, '--folder', folder] },
    { cwd: folder, words: ['npm', 'install', '--no-audit', '--no-fund'] },
    { cwd: folder, words: ['npm', 'test'] },
    { cwd: folder, words: ['npx', 'varve', 'plugin', 'check'] },
    { cwd: folder, words: ['npm', 'pack'] },
  ];
  for (const { cwd, words } of steps) {
    const begun = Date.now();
    const { code, text } = await runCommand(words, { cwd, env: npmEnvironment({ url, cache: join(work, 'cache') }) });
    console.log(`\n$ ${words.join(' ')}\n${shortened(text)}\n-> exit code ${code}, ${seconds(begun)}`);
    counts[code === 0 ? 'passed' : 'failed'] += 1;
    if (code !== 0) return;
  }
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  counts[tarballs.length === 1 ? 'passed' : 'failed'] += 1;
  console.log(`-> packed as ${tarballs.join(', ') || 'nothing'}`);
}

function seconds(begun) {
  return `${((Date.now() - begun) / 1_000).toFixed(1)} s`;
}
