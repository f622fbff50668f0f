// Does what the first user of `varve plugin new` does, with the packages as they are packed, in an empty folder and with
// an empty npm cache: begins a plugin, an engine and a store, installs, tests, checks and packs each, without an edit.
//
//     pnpm test:scaffold [--only plugin] [--keep]
//
// Packages of this repository come from their tarballs, through a registry on the loopback interface; all others from
// npm's registry, so it needs a network. Prints what each step said and took, and last `N passed, N failed`.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tryPackages } from './packed/try-packages.mjs';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } } });
/** What is begun: names with an owner, and one without. */
const names = { plugin: '@acme/varve-notes', engine: 'varve-oldest-first', store: '@acme/journals' };

process.exitCode = await tryPackages('scaffold', {
  keep: values.keep,
  work: async (trial) => {
    for (const [kind, name] of Object.entries(names)) {
      if (values.only === undefined || kind === values.only) await tryOut({ kind, name }, trial);
    }
  },
});

/** What the first user does, step by step; what fails ends it. */
async function tryOut({ kind, name }, { folder, step, count }) {
  const cwd = join(folder, kind);
  const empty = join(folder, `empty-${kind}`);
  mkdirSync(empty);
  const first = ['npm', 'exec', '--yes', '--package=@varve/cli', '--', 'varve', 'plugin', 'new', name];
  const steps = [
    { cwd: empty, words: [...first, '--kind', kind, '--folder', cwd] },
    { cwd, words: ['npm', 'install', '--no-audit', '--no-fund'] },
    { cwd, words: ['npm', 'test'] },
    { cwd, words: ['npx', 'varve', 'plugin', 'check'] },
    { cwd, words: ['npm', 'pack'] },
  ];
  for (const one of steps) if (!(await step(one.words, { cwd: one.cwd }))) return;
  const tarballs = readdirSync(cwd).filter((file) => file.endsWith('.tgz'));
  count(tarballs.length === 1, `-> packed as ${tarballs.join(', ') || 'nothing'}`);
}
