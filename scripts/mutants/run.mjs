// Shows that the judge of replays is awake: puts one fault after the other into a copy of the built product, replays a
// made-up session with it, and expects the judge to find that fault. The product itself must come out clean.
//
//     node scripts/mutants/run.mjs [ID…]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProduct } from './copy-product.mjs';
import { makeTranscript } from './make-transcript.mjs';
import { mutants } from './mutants.mjs';

const budget = '16k';
const leastCompactions = 2;
const largestOutput = 64 * 1024 * 1024;

const root = join(import.meta.dirname, '../..');
const oracle = join(root, 'test/oracle/check.mjs');

process.exitCode = main(process.argv.slice(2));

function main(ids) {
  const unknown = ids.filter((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown.length > 0) throw new Error(`there is no mutant ${unknown.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'varve-mutants-'));
  try {
    const product = { folder, varve: copyProduct({ from: root, to: folder }), source: join(folder, 'session.jsonl') };
    writeFileSync(product.source, makeTranscript());
    const asked = mutants.filter(({ id }) => ids.length === 0 || ids.includes(id));
    const clean = [...new Set(asked.map(({ plugins }) => plugins))].map((plugins) => judgeProduct(product, plugins));
    const rows = [...clean, ...asked.map((mutant) => judgeMutant(product, mutant))];
    const failed = rows.filter((passed) => !passed).length;
    console.log(`${rows.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The product as it is. What the mutants need must happen in the session: compactions, edits, messages left out. */
function judgeProduct(product, plugins) {
  const { kinds, requests, compactions, edits, dropped } = replayAndJudge(product, plugins);
  const isRich = { default: compactions >= leastCompactions, 'ttl-pruning': edits > 0, none: dropped > 0 };
  const passed = kinds.size === 0 && requests > 0 && isRich[plugins ?? 'default'];
  const what = `plugins ${plugins ?? 'default'}: requests ${requests}, compactions ${compactions}, edits ${edits}, dropped ${dropped}`;
  return report({ passed, id: 'product', finds: 'nothing', kinds, what });
}

/**
 * One fault, put in and taken out again.
 *
 * @param {{ folder: string, varve: string, source: string }} product
 * @param {import('./mutants.mjs').Mutant} mutant
 */
function judgeMutant(product, { id, what, plugins, within, from, to, finds }) {
  const { path, text } = placeOf(from, { id, within, folder: product.folder });
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const { kinds } = replayAndJudge(product, plugins);
    return report({ passed: kinds.has(finds), id, finds, kinds, what });
  } finally {
    writeFileSync(path, text);
  }
}

/** The one file that holds a text, once: a fault that hits nothing, or two places, would prove nothing. */
function placeOf(from, { id, within, folder }) {
  const dist = join(folder, within, 'dist');
  // What was built from sources that are gone is never run.
  const isCurrent = (name) => existsSync(join(root, within, 'src', name.replace(/\.js$/, '.ts')));
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const files = names.filter(isCurrent).map((name) => {
    return { path: join(dist, name), text: readFileSync(join(dist, name), 'utf8') };
  });
  const found = files.flatMap((file) => Array(file.text.split(from).length - 1).fill(file));
  if (found.length === 1) return found[0];
  throw new Error(`${id}: "${from}" stands ${found.length} times in ${within}, and must stand there once`);
}

function report({ passed, id, finds, kinds, what }) {
  const found = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ') || 'nothing';
  console.log(
    [passed ? 'passed' : 'FAILED', id.padEnd(20), `expected ${finds}`.padEnd(26), found, `(${what})`].join('  '),
  );
  return passed;
}

/** Replays the session with the copy as it is now; gives the kinds of violations with how many there are. */
function replayAndJudge({ folder, varve, source }, plugins) {
  const [bodies, report] = [join(folder, 'bodies'), join(folder, 'replay.json')];
  const chosen = plugins === undefined ? [] : ['--plugins', plugins];
  const replay = node([varve, 'replay', source, '--budget', budget, '--bodies', bodies, '--json', ...chosen]);
  if (replay.stdout === '') throw new Error(`the replay printed nothing: ${replay.stderr}`);
  writeFileSync(report, replay.stdout);
  const judged = node([oracle, source, bodies, '--budget', budget, '--replay', report, '--json']);
  if (judged.stdout === '') throw new Error(`the judge gave up: ${judged.stderr}`);
  const { violations, requests, dropped } = JSON.parse(judged.stdout);
  const kinds = new Map();
  for (const { kind } of violations) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const { compactions, totals } = JSON.parse(replay.stdout);
  return { kinds, requests, dropped, compactions: compactions.length, edits: totals.edits };
}

function node(words) {
  return spawnSync(process.execPath, words, { encoding: 'utf8', maxBuffer: largestOutput });
}
