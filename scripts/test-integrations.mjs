// Lets agents of the AI SDK and of LangChain work through sixty rounds of tools behind a window of 16 000 tokens, on the
// loopback interface: with nothing, with what the framework itself has, and with a session around their model.
//
//     pnpm test:integrations [--only FRAMEWORK] [--json FILE]
//
// Prints a table, what does not hold with Varve, and, last, `N passed, N failed`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loopMeans, runLoop, shortcomingsOf } from '../test/integrations/long-loop.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } });
const { only, json } = values;

const results = [];
for (const means of loopMeans) {
  if (only !== undefined && !means.framework.toLowerCase().includes(only.toLowerCase())) continue;
  results.push(await runLoop(means));
}

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
const lines = results.map((result) => [
  result.framework,
  result.means,
  `${result.requests} + ${result.summaries}`,
  String(result.refused),
  String(result.sentTokens),
  String(result.longest),
  percent(result.reused),
  percent(result.ruleShown),
  result.factShown ? 'yes' : 'no',
  result.error ?? 'to its end',
]);
const head = ['framework', 'with', 'requests', 'refused', 'tokens', 'longest', 'reused', 'rule', 'fact', 'ended'];
const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => (line[column] ?? '').length)));
for (const line of [head, ...lines])
  console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);

let failed = 0;
for (const result of results) {
  const short = shortcomingsOf(result);
  if (short.length === 0) continue;
  failed += 1;
  console.log(`\n${result.framework} with ${result.means}`);
  for (const line of short) console.log(`  ${line}`);
}
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
