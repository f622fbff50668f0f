// Lets three hosts share one PostgreSQL server: one is killed again and again, one is cut off from the server, and a judge
// that knows the tables, and nothing of the product, holds what is in them against what was acknowledged and paid:
//
//     pnpm test:postgres [--appends N] [--sessions N] [--hosts N] [--at-once N] [--calm N] [--seed N]
//
// The server is that of DATABASE_URL, or one whose programs come with npm. Prints what happened and what holds, and, last,
// `N passed, N failed`.
import { parseArgs } from 'node:util';
import { startServer } from '../packages/stores/test/postgres/start-server.ts';
import { buildHostWorker } from '../test/many-hosts/build-host-worker.ts';
import { checksOf, formatRun } from '../test/many-hosts/hosts-table.ts';
import { runHosts } from '../test/many-hosts/run-hosts.ts';

process.exitCode = await main();

async function main() {
  const given = options();
  const server = await startServer({ isDurable: true });
  if ('reason' in server) {
    console.log(`skipped: ${server.reason}`);
    console.log('0 passed, 0 failed');
    return 0;
  }
  console.log(`seed ${given.seed}, ${given.appends} appends on ${given.sessions} sessions, ${given.hosts} hosts`);
  const worker = await buildHostWorker();
  try {
    const result = await runHosts({ ...given, server, worker: worker.file, onProgress: (text) => console.log(text) });
    console.log(formatRun(result));
    const checks = checksOf(result);
    const failed = checks.filter(({ faults }) => faults.length > 0).length;
    console.log(`${checks.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    worker.remove();
    await server.stop();
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      appends: { type: 'string', default: '20000' },
      sessions: { type: 'string', default: '50' },
      hosts: { type: 'string', default: '3' },
      'at-once': { type: 'string', default: '8' },
      calm: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
    },
  });
  const given = [values.appends, values.sessions, values.hosts, values['at-once'], values.calm, values.seed];
  const [appends = 0, sessions = 0, hosts = 0, atOnce = 0, calm = 0, seed = 0] = given.map(Number);
  const numbers = { appends, sessions, hosts, atOnce, calm, seed };
  if (!Object.values(numbers).every((value) => Number.isSafeInteger(value) && value > 0)) {
    throw new Error('--appends, --sessions, --hosts, --at-once, --calm and --seed are whole numbers above 0');
  }
  return numbers;
}
