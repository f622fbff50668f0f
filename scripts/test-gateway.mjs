// Loads a gateway, ends one in the middle of turns, and kills one of two that share a PostgreSQL server:
//
//     pnpm test:gateway [--seconds N] [--sessions N] [--rate N] [--messages N] [--only load,stop,two]
//
// The database is that of DATABASE_URL, or one whose programs come with npm. Prints what was measured and what holds, and,
// last, `N passed, N failed`.
import { parseArgs } from 'node:util';
import { startServer } from '../packages/stores/test/postgres/start-server.ts';
import { runLoad } from '../test/gateway/run-load.ts';
import { runStop } from '../test/gateway/run-stop.ts';
import { runTwo } from '../test/gateway/run-two.ts';

process.exitCode = await main();

async function main() {
  const { only, ...numbers } = options();
  let [passed, failed] = [0, 0];
  const show = (/** @type {import('../test/gateway/check.ts').Part} */ { lines, checks }) => {
    for (const line of lines) console.log(line);
    for (const { name, faults } of checks) {
      console.log(`${faults.length === 0 ? '✓' : '✗'} ${name}`);
      for (const fault of faults.slice(0, 10)) console.log(`    ${fault}`);
      if (faults.length === 0) passed += 1;
      else failed += 1;
    }
  };
  if (only.includes('stop')) show(await runStop());
  if (only.includes('two')) show(await two(numbers));
  if (only.includes('load')) show(await runLoad(numbers));
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** @param {{ readonly messages: number }} numbers */
async function two({ messages }) {
  const server = await startServer({ isDurable: true });
  if ('reason' in server) return { lines: [`skipped: ${server.reason}`], checks: [] };
  try {
    return await runTwo({ server, sessions: 30, messages });
  } finally {
    await server.stop();
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      sessions: { type: 'string', default: '200' },
      rate: { type: 'string', default: '20' },
      messages: { type: 'string', default: '20' },
      only: { type: 'string', default: 'stop,two,load' },
    },
  });
  const [seconds, sessions, rate, messages] = [values.seconds, values.sessions, values.rate, values.messages].map(
    Number,
  );
  const numbers = { seconds: seconds ?? 0, sessions: sessions ?? 0, rate: rate ?? 0, messages: messages ?? 0 };
  if (!Object.values(numbers).every((value) => Number.isSafeInteger(value) && value > 0)) {
    throw new Error('--seconds, --sessions, --rate and --messages are whole numbers above 0');
  }
  return { ...numbers, only: values.only.split(',') };
}
