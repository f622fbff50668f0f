// Runs the tests that the case table names, and no others, and says of each case whether it holds:
//
//     pnpm test:cases [--json] [--only R-08,P-16] [--workers N]
//     pnpm test:cases --write-page
//
// Prints the table, or one JSON object with --json, and last how many cases passed. Ends with 1 when one that can be shown
// did not pass, was skipped, or names a test that is not there. --write-page runs nothing: it writes the tables of
// docs/explanation/cases.md anew.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fillPage } from '../test/cases/case-page.ts';
import { formatCases, isShort, judgeCases } from '../test/cases/case-report.ts';
import { caseFamilies, caseRows } from '../test/cases/case-table.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Files with more names than a terminal has columns are piped: a line of that width is still read well. */
const columnsWithoutTerminal = 160;

process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      workers: { type: 'string', default: '2' },
      'write-page': { type: 'boolean', default: false },
    },
  });
  if (values['write-page']) return writePage();
  const wished = values.only?.split(',');
  const rows = caseRows.filter(({ id }) => wished === undefined || wished.includes(id));
  const files = [...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))];
  const results = judgeCases(rows, files.length === 0 ? [] : await runTests(files, values.workers));
  if (values.json) console.log(JSON.stringify({ cases: results }, null, 2));
  else console.log(formatCases(caseFamilies, { results, columns: process.stdout.columns ?? columnsWithoutTerminal }));
  return isShort(results) ? 1 : 0;
}

function writePage() {
  const page = join(root, 'docs/explanation/cases.md');
  writeFileSync(page, fillPage(readFileSync(page, 'utf8'), caseFamilies));
  return 0;
}

/** How each test of the files ended. */
async function runTests(files, workers) {
  const folder = mkdtempSync(join(tmpdir(), 'varve-cases-'));
  const report = join(folder, 'report.json');
  try {
    await runVitest([
      'run',
      ...files,
      '--project',
      '!packages/core with lite-tapable',
      '--reporter=json',
      `--outputFile=${report}`,
      `--maxWorkers=${workers}`,
    ]);
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title, status }) => ({
        file: relative(root, name),
        title: [...ancestorTitles, title].join(' > '),
        status: status === 'passed' || status === 'failed' ? status : 'skipped',
      })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resolves when the tests have run, whatever came of them: the report says that. */
function runVitest(options) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, ...options], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('error', reject);
    child.on('exit', resolve);
  });
}
