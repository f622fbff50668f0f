// Replays every transcript below the given folders at several budgets, and lets the independent judge hold each request
// against the source:
//
//     node scripts/test-transcripts.mjs DIR… [--budgets 16k,32k,64k]
//
// Prints a line a file and, last, `N passed, N failed, N skipped`. What is no transcript is named and skipped.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

/** Files that are replayed at one time. */
const parallel = 2;
const defaultBudgets = '16k,32k,64k';

const root = join(import.meta.dirname, '..');
const varve = join(root, 'packages/cli/bin/varve.js');
const oracle = join(root, 'test/oracle/check.mjs');

/** Codes of files that are no transcript. */
const noTranscript = ['VARVE_TRANSCRIPT_FORMAT', 'VARVE_TRANSCRIPT_EMPTY', 'VARVE_TRANSCRIPT_TOO_LARGE'];

process.exitCode = await main();

async function main() {
  const { values, positionals: folders } = parseArgs({
    allowPositionals: true,
    options: { budgets: { type: 'string', default: defaultBudgets } },
  });
  if (folders.length === 0) {
    console.error('usage: test-transcripts DIR… [--budgets 16k,32k,64k]');
    return 2;
  }
  const files = folders.flatMap(filesBelow);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const budgets = values.budgets.split(',').map((budget) => budget.trim());
  await inParallel(files, async ({ path, name }) => {
    const result = await testFile(path, budgets);
    counts[result.status] += 1;
    console.log(`${result.status}  ${name}  ${result.text}`);
  });
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

/** Every file below a folder, in the order of their names. */
function filesBelow(folder) {
  if (!statSync(folder).isDirectory()) return [{ path: folder, name: folder }];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return paths.map((path) => ({ path, name: relative(folder, path) }));
}

async function inParallel(values, work) {
  const waiting = [...values];
  const next = async () => {
    for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) await work(value);
  };
  await Promise.all(Array.from({ length: parallel }, next));
}

/** Replays and judges one file at each budget; the first reason to skip it holds for all. */
async function testFile(path, budgets) {
  const started = performance.now();
  const judged = [];
  for (const budget of budgets) {
    const result = await testBudget(path, budget);
    if (result.skipped !== undefined) return { status: 'skipped', text: result.skipped };
    judged.push({ budget, ...result });
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const faults = judged.flatMap(({ budget, faults }) => faults.map((fault) => `at ${budget} ${fault}`));
  const { format = 'unknown', items = 0 } = judged.find((one) => one.format !== undefined) ?? {};
  const of = (name) => judged.map((one) => one[name] ?? '-').join('/');
  const counts = ['requests', 'dropped', 'violations'].map((name) => `${name} ${of(name)}`);
  const text = [format, `items ${items}`, ...counts, `${seconds} s`, ...faults].join(', ');
  return { status: faults.length === 0 ? 'passed' : 'failed', text };
}

async function testBudget(path, budget) {
  const folder = mkdtempSync(join(tmpdir(), 'varve-transcript-'));
  try {
    const [bodies, report] = [join(folder, 'bodies'), join(folder, 'replay.json')];
    const replay = await run([varve, 'replay', path, '--budget', budget, '--bodies', bodies, '--json'], report);
    if (replay.code === 2) return notReplayed(replay.stderr);
    const printed = readFileSync(report, 'utf8');
    if (printed === '') return { faults: [`replay: exit code ${replay.code}: ${errorIn(replay.stderr)}`] };
    const faults = replay.code === 0 ? [] : [`replay: ${reportedFaults(printed)}`];
    const output = join(folder, 'oracle.json');
    const { code, stderr } = await run(
      [oracle, path, bodies, '--budget', budget, '--replay', report, '--json'],
      output,
    );
    if (code === 2 && stderr.includes('no call of a model')) return { skipped: 'no call of a model in it', faults };
    if (code === 2 && stderr.includes('no transcript that the judge can read')) return notJudged(printed, faults);
    if (code !== 0 && code !== 1) return { faults: [...faults, errorIn(stderr)] };
    const judgement = JSON.parse(readFileSync(output, 'utf8'));
    const { violations } = judgement;
    const { format } = JSON.parse(printed);
    if (format !== judgement.format) faults.push(`read as ${format}, judged as ${judgement.format}`);
    return { ...judgement, violations: violations.length, faults: [...faults, ...faultsOf(violations)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a script of Node; its output goes into a file, for it may be large. */
function run(words, file) {
  const output = openSync(file, 'w');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', output, 'pipe'] });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      closeSync(output);
      resolve({ code, stderr });
    });
  });
}

function notReplayed(stderr) {
  const line = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(stderr)?.[1];
  const message = line('error') ?? stderr.trim();
  return noTranscript.includes(line('code') ?? '') ? { skipped: message } : { faults: [message] };
}

/** A format that the judge cannot read is no fault of the replay, unless the replay found one of its own. */
function notJudged(printed, faults) {
  return faults.length > 0 ? { faults } : { skipped: `the judge has no reader for ${JSON.parse(printed).format}` };
}

/** The line of a crash that says what it was. */
function errorIn(stderr) {
  const lines = stderr.split('\n');
  return lines.find((line) => /error/i.test(line)) ?? lines[0];
}

/** Why a replay that ran to its end says that something failed. */
function reportedFaults(text) {
  const { requests, totals, health } = JSON.parse(text);
  const counts = ['failed', 'refused', 'invalid'].map((name) => `${name} ${totals[name]}`);
  const first = requests.find(({ error, invalid }) => error !== undefined || invalid !== undefined);
  const why = first?.error?.message ?? first?.invalid ?? JSON.stringify(health.findings?.[0] ?? health);
  return `${counts.join(', ')}: ${first === undefined ? '' : `call ${first.turn}: `}${why}`;
}

/** The kinds of violations with how many there are, and the first of each. */
function faultsOf(violations) {
  return [...new Set(violations.map(({ kind }) => kind))].map((kind) => {
    const found = violations.filter((violation) => violation.kind === kind);
    return `${kind} ${found.length} (request ${found[0].request}: ${found[0].what})`;
  });
}
