// Prints the score card of everything in this repository that has a contract, as `varve plugin check` gives it: plugins,
// engines, stores, adapters and model ports.
//
//     pnpm score-cards
//
// PostgreSQL is that of DATABASE_URL, or one whose programs come with npm. Prints, last, `N passed, N failed`: cards.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '@varve/cli';
import { startServer } from '../packages/stores/test/postgres/start-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'varve-score-cards-'));
writeFileSync(join(folder, 'AGENTS.md'), 'Say less.\n');
writeFileSync(join(folder, 'MEMORY.md'), 'Ada likes tea.\n');

/** Options of plugins that do nothing without them. */
const options = {
  'memory-flush': { dir: join(folder, 'flushed'), timeZone: 'UTC' },
  'workspace-layers': { dir: folder, timeZone: 'UTC', shareWithGroups: true },
};

/** A set of plugins, each of which has a card of its own. */
const sets = ['preset-strata'];

const server = await startServer();
const counts = { passed: 0, failed: 0 };
try {
  for (const name of readdirSync('plugins').filter((one) => existsSync(join('plugins', one, 'package.json')))) {
    if (sets.includes(name)) continue;
    const given = options[name] === undefined ? [] : ['--options', JSON.stringify(options[name])];
    await card([join('plugins', name), ...given]);
  }
  for (const name of ['openMemoryStore', 'openJsonlStore', 'openPostgresStore']) {
    if (name === 'openPostgresStore' && 'reason' in server) console.log(`skipped ${name}: ${server.reason}`);
    else await card(['scripts/score-cards/shipped-stores.ts', '--kind', 'store', '--export', name, '--timeout', '60s']);
  }
  await card(['scripts/score-cards/shipped-adapters.ts', '--kind', 'adapter']);
  await card(['scripts/score-cards/shipped-model-ports.ts', '--kind', 'model-port']);
} finally {
  if (!('reason' in server)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** @param {readonly string[]} argv */
async function card(argv) {
  const { stdout, stderr } = process;
  const code = await runCli(['plugin', 'check', ...argv], { stdout, stderr, env: environment() });
  stdout.write('\n');
  counts[code === 0 ? 'passed' : 'failed'] += 1;
}

function environment() {
  if ('reason' in server) return process.env;
  const { host, port, access } = server;
  const [user, password] = [access.user, access.password].map(encodeURIComponent);
  return { ...process.env, DATABASE_URL: `postgresql://${user}:${password}@${host}:${port}/${access.database}` };
}
