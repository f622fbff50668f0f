// Judges the bodies that `varve replay FILE --bodies DIR` wrote against the transcript:
//
//     node test/oracle/check.mjs FILE DIR --budget 32k [--system-tokens N] [--replay REPORT] [--json]
//
// REPORT is what `varve replay --json` printed in the same run: its figures are held against the manifests.
// Imports nothing of this repository. Exit code 0: no violation; 1: violations; 2: it could not judge.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { judge } from './judge.mjs';

/** Examples that are printed of each kind. */
const examples = 3;

main();

function main() {
  try {
    const options = optionsOf(process.argv.slice(2));
    const judgement = judge(options);
    if (options.json) console.log(JSON.stringify(judgement));
    else print(judgement);
    process.exitCode = judgement.violations.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(`oracle: ${error.message}`);
    process.exitCode = 2;
  }
}

function optionsOf(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      budget: { type: 'string' },
      'system-tokens': { type: 'string' },
      replay: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [source, bodies] = positionals;
  if (positionals.length !== 2 || values.budget === undefined) {
    throw new Error('usage: check.mjs FILE DIR --budget 32k [--system-tokens N] [--replay REPORT] [--json]');
  }
  const budget = values.budget === 'none' ? Infinity : numberOf(values.budget);
  const systemTokens = numberOf(values['system-tokens'] ?? '0');
  const rows = values.replay === undefined ? undefined : JSON.parse(readFileSync(values.replay, 'utf8')).requests;
  return { source, bodies, budget, systemTokens, rows, json: values.json === true };
}

function numberOf(text) {
  const [, digits, thousand] = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text) ?? [];
  if (digits === undefined) throw new Error(`"${text}" is no number of tokens`);
  return Number(digits) * (thousand === '' ? 1 : 1000);
}

function print({ format, items, requests, dropped, rewrites, summarised, largest, violations }) {
  console.log(`${format}, items ${items}, largest body ${largest} tokens`);
  console.log(`requests with a summary ${summarised}, with a named action ${rewrites}`);
  for (const kind of new Set(violations.map((violation) => violation.kind))) {
    const found = violations.filter((violation) => violation.kind === kind);
    console.log(`${kind}: ${found.length}`);
    for (const { request, what } of found.slice(0, examples)) console.log(`  request ${request}: ${what}`);
  }
  console.log(`requests ${requests}, violations ${violations.length}, dropped ${dropped}`);
}
