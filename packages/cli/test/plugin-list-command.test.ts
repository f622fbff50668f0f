import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

interface Listed {
  readonly name: string;
  readonly why: string;
  readonly moved: boolean;
  readonly listed: number;
  readonly startMs: number;
  readonly taps: readonly { readonly hook: string; readonly name: string }[];
}

async function listed(argv: readonly string[]): Promise<readonly Listed[]> {
  const done = await run(['plugin', 'list', '--json', ...argv]);
  expect(done).toMatchObject({ code: 0, err: '' });
  return (JSON.parse(done.out) as { readonly plugins: readonly Listed[] }).plugins;
}

describe('varve plugin list', () => {
  it('has the plugins of the configuration in their order, with what they tap and how long they took', async () => {
    const off = folder.file('off.json5', '{ global: { recall: { enabled: false } } }');
    const names = (await listed(['--config', 'none'])).map(({ name }) => name);
    expect(names).toEqual([
      'instructions',
      'ttl-pruning',
      'summary-compaction',
      'recall',
      'reset-policy',
      'send-policy',
    ]);
    const without = await listed(['--config', off]);
    expect(without.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'recall'));
    const compaction = without.find(({ name }) => name === 'summary-compaction');
    expect(compaction?.taps.map(({ hook }) => hook)).toEqual(['shouldCompact', 'compact']);
    for (const { startMs, why } of without) {
      expect(startMs).toBeGreaterThan(0);
      expect(why).toBe('as listed');
    }
  });

  it('says behind whom a plugin runs that was moved', async () => {
    const workspace = folder.folder('workspace');
    const config = folder.file(
      'memory.json5',
      JSON.stringify({ agents: { ada: { memory: { dir: workspace, flush: { enabled: true } } } } }),
    );
    const plugins = await listed(['--config', config, '--agent', 'ada']);
    for (const [index, { listed: position, moved, why }] of plugins.entries()) {
      const isLater = plugins.slice(0, index).some((earlier) => earlier.listed > position);
      expect(moved).toBe(isLater);
      expect(why).toMatch(moved ? /^behind [a-z-]+, which / : /^as listed$/);
    }
    expect(plugins.map(({ name }) => name)).toEqual(expect.arrayContaining(['workspace-layers', 'memory-flush']));
  });

  it('prints a table, and says which configuration it is of', async () => {
    const config = folder.file('table.json5', '{}');
    const done = await run(['plugin', 'list', '--config', config]);
    expect(done.code).toBe(0);
    expect(done.out).toContain(config);
    expect(done.out).toMatch(/^run plugin +version start ms listed why there +hooks$/m);
    expect(done.out).toMatch(/^ +2 ttl-pruning +\S+ +\d+\.\d +2 as listed +shape$/m);
  });

  it('says what keeps plugins from starting', async () => {
    const config = folder.file('wrong.json5', '{ global: { pruning: { ttl: "soon" } } }');
    const done = await run(['plugin', 'list', '--config', config]);
    expect(done).toMatchObject({ code: 2, out: '' });
    expect(done.err).toMatch(/^fix: ./m);
  });
});
