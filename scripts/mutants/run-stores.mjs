// Shows that the crash tests of the JSONL store are awake: puts one fault after the other into its sources, on their way
// into a bundle, and expects the part of the tests that it names to find it. Without a fault, each part finds nothing.
//
//     node scripts/mutants/run-stores.mjs [ID…]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { storeMutants } from './store-mutants.mjs';

const root = join(import.meta.dirname, '../..');
const conditions = ['@varve/source', 'node', 'import', 'module', 'default'];
const largestOutput = 64 * 1024 * 1024;

process.exitCode = await main(process.argv.slice(2));

async function main(ids) {
  const unknown = ids.filter((id) => !storeMutants.some((mutant) => mutant.id === id));
  if (unknown.length > 0) throw new Error(`there is no mutant ${unknown.join(', ')}`);
  const asked = storeMutants.filter(({ id }) => ids.length === 0 || ids.includes(id));
  const folder = mkdtempSync(join(tmpdir(), 'varve-store-mutants-'));
  let failed = 0;
  let passed = 0;
  const report = (isPassed, text) => {
    if (isPassed) passed += 1;
    else failed += 1;
    console.log(`${isPassed ? 'passed' : 'FAILED'}  ${text}`);
  };
  try {
    const sound = await bundle(join(folder, 'sound'), null);
    for (const [part, count] of new Map(asked.map((mutant) => [mutant.part, mutant.count]))) {
      const { points, rules } = run(sound, { part, count });
      report(rules.size === 0 && points > 0, `product  ${part}: ${points} points, found ${found(rules)}`);
    }
    for (const mutant of asked) {
      const { points, rules } = run(await bundle(join(folder, mutant.id), mutant), mutant);
      const told = `${mutant.id}  ${mutant.part}: ${points} points, expected ${mutant.finds}, found ${found(rules)}`;
      report(rules.has(mutant.finds), `${told}  (${mutant.what})`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function found(rules) {
  return [...rules].map(([rule, count]) => `${rule} ${count}`).join(', ') || 'nothing';
}

/** @param {import('./store-mutants.mjs').StoreMutant | null} mutant */
async function bundle(outDir, mutant) {
  let isPut = mutant === null;
  const plugin = {
    name: 'varve-store-mutant',
    enforce: 'pre',
    transform: (code, id) => {
      if (mutant === null || !id.endsWith(`/stores/src/jsonl/${mutant.file}`)) return null;
      const times = code.split(mutant.from).length - 1;
      if (times !== 1) throw new Error(`${mutant.id}: "${mutant.from}" stands ${times} times in ${mutant.file}`);
      isPut = true;
      return code.replace(mutant.from, () => mutant.to);
    },
  };
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [plugin],
    resolve: { conditions },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: join(root, 'test/crash/stops/part-process.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'part.mjs' } },
    },
  });
  if (!isPut) throw new Error(`${mutant?.id}: ${mutant?.file} was not read`);
  return join(outDir, 'part.mjs');
}

function run(file, { part, count }) {
  const words = [file, '--part', part, '--count', String(count)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', maxBuffer: largestOutput });
  if (status !== 0) throw new Error(`${part} ended with ${status}: ${stderr}`);
  const { points, faults } = JSON.parse(stdout);
  const rules = new Map();
  for (const { rule } of faults) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  return { points, rules };
}
