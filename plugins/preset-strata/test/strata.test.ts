import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { afterAll, describe, expect, it } from 'vitest';

const dir = mkdtempSync(join(tmpdir(), 'strata-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const model = { provider: 'test', model: 'test-1' };

async function namesOf(options?: Parameters<typeof strata>[0]): Promise<readonly string[]> {
  await using host = await createHost({ plugins: [...strata(options)] });
  return host.plugins.map(({ name }) => name);
}

describe('the set', () => {
  it('prunes, compacts and recalls, in this order; memory comes with a workspace', async () => {
    expect(await namesOf()).toEqual(['ttl-pruning', 'summary-compaction', 'recall']);
    const withMemory = ['workspace-layers', 'memory-flush', 'ttl-pruning', 'summary-compaction', 'recall'];
    expect(await namesOf({ memory: { dir } })).toEqual(withMemory);
  });

  it('hands options on to the plugins, which check them', async () => {
    await expect(namesOf({ compaction: { compactAtRatio: 7 } })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_OPTIONS',
    });
    await expect(namesOf({ recall: { minScore: 2 } })).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS' });
    await expect(namesOf({ prices: 'barter' as never })).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS' });
    await expect(namesOf({ memory: { dir: '' } })).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS' });
  });

  it.each([
    [{ memroy: { dir } }, 'memroy'],
    [{ memory: { dir, zone: 'UTC' } }, 'zone'],
    [{ memory: {} }, 'memory.dir'],
    [{ memory: { dir, layers: { dir: '/elsewhere' } } }, 'memory.layers.dir: The set decides it; say it in memory'],
    [{ pruning: { mode: 'cache-ttl' } }, 'pruning.mode: The set decides it; it is auto'],
    [{ pruning: { ttl: '1h' } }, 'pruning.ttl'],
    [{ recall: 'quality' }, 'recall'],
    ['none', 'expected object'],
  ])('refuses %j, and names what is wrong', (options, named) => {
    const make = () => strata(options as Parameters<typeof strata>[0]);
    expect(make).toThrow(expect.objectContaining({ code: 'VARVE_PLUGIN_OPTIONS' }));
    expect(make).toThrow(named);
  });

  it('keeps within its budget for what a name of long ago is needed for, with a prefix that only grows', async () => {
    const { isThere, moved, most } = await longTalk({});
    expect({ isThere, moved }).toEqual({ isThere: true, moved: 0 });
    expect(most).toBeLessThanOrEqual(4_000);
  });

  it('recalls anew for each prompt where nothing is cached', async () => {
    const { isThere, layers } = await longTalk({ prices: 'none' });
    expect(isThere).toBe(true);
    expect(layers).toContain('recall');
  });

  it('shows the workspace to the model', async () => {
    writeFileSync(join(dir, 'AGENTS.md'), 'Always answer in rhymes.');
    await using host = await createHost({ plugins: [...strata({ memory: { dir } })] });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'Hello.' });
    const { system } = await session.assemble({ model });
    expect(system.map(({ text }) => text).join('\n')).toContain('Always answer in rhymes.');
  });
});

/** Sixty messages of small talk behind one name, and then a question for it. */
async function longTalk(options: Parameters<typeof strata>[0]): Promise<{
  readonly isThere: boolean;
  readonly moved: number;
  readonly most: number;
  readonly layers: readonly string[];
}> {
  await using host = await createHost({ budget: { inputTokens: 4_000 }, plugins: [...strata(options)] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'The gauge of pier 7 is called GAUGE-7731. Log what I tell you.' });
  let [moved, most] = [0, 0];
  for (let day = 1; day <= 60; day += 1) {
    await session.ingest({ role: 'assistant', content: `Day ${day} is logged.` });
    await session.ingest({ role: 'user', content: `Day ${day}: ${'the tide came in and went out, '.repeat(9)}calm.` });
    const { status } = await session.compact('threshold', { model });
    const { tokens, manifest } = await session.assemble({ model });
    most = Math.max(most, tokens);
    if (manifest.firstChangedByte !== null && status !== 'compacted') moved += 1;
  }
  await session.ingest({ role: 'user', content: 'What is the gauge of pier 7 called?' });
  const { messages, manifest } = await session.assemble({ model });
  const isThere = JSON.stringify(messages).includes('GAUGE-7731');
  return { isThere, moved, most, layers: manifest.layers.map(({ id }) => id) };
}
