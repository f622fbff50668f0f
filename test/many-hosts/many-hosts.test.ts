import { afterAll, describe, expect, it } from 'vitest';
import { startServer } from '../../packages/stores/test/postgres/start-server.ts';
import { buildHostWorker } from './build-host-worker.ts';
import { corruptions } from './corruptions.ts';
import { checksOf } from './hosts-table.ts';
import { judgeHosts } from './oracle/judge-hosts.ts';
import { type RunResult, runHosts } from './run-hosts.ts';

/** The whole run, `pnpm test:postgres`, has 20,000 appends on 50 sessions; this is another one. */
const options = { seed: 1_000_001, appends: 500, sessions: 12, hosts: 3, atOnce: 6, calm: 120 };

const server = await startServer();
let running: Promise<RunResult> | null = null;

/** Begun by the first test that asks, and shared by all. */
function run(): Promise<RunResult> {
  running ??= (async () => {
    if ('reason' in server) throw new Error(server.reason);
    const worker = await buildHostWorker();
    try {
      return await runHosts({ ...options, server, worker: worker.file });
    } finally {
      worker.remove();
    }
  })();
  return running;
}

afterAll(async () => {
  if (!('reason' in server)) await server.stop();
});

describe('hosts that share a database, one of them killed and one cut off again and again', () => {
  it('store what they acknowledge once and in order, and pay no call twice', async (context) => {
    if ('reason' in server) return context.skip(server.reason);
    const result = await run();
    const faults = checksOf(result).flatMap(({ what, faults: found }) => found.map((fault) => `${what}: ${fault}`));
    expect(faults).toEqual([]);
    expect(result.kills).toBeGreaterThan(1);
    expect(result.cuts).toBeGreaterThan(1);
    expect(judgeHosts(result.seen).messages).toBeGreaterThanOrEqual(options.appends * 0.9);
  });
});

describe('the judge of such runs', () => {
  it.for(corruptions)('finds it when $name', async ({ finds, corrupt }, context) => {
    if ('reason' in server) return context.skip(server.reason);
    const { seen } = await run();
    expect(judgeHosts(corrupt(seen)).faults.map(({ rule }) => rule)).toContain(finds);
  });
});
