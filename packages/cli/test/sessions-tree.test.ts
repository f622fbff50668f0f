import { join } from 'node:path';
import { createHost } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const root = join(folder.path, 'store');

/** Some conversations, with sub-agents, an earlier generation, and names that nobody should print as they are. */
async function talk(): Promise<void> {
  await using store = jsonlStore({ root, durability: 'os' });
  const clock = manualClock(Date.UTC(2026, 2, 4, 8));
  await using host = await createHost({ store, clock });
  let ids = 0;
  const randomId = (): string => `${String(++ids).padStart(8, '0')}-0000-4000-8000-000000000000`;
  await using sessions = createSessions({ host, randomId });
  const say = async (key: string, turns: number, names = {}): Promise<void> => {
    clock.advance(60_000);
    await sessions.use(
      key,
      async (session) => {
        for (let turn = 0; turn < turns; turn += 1) {
          await session.ingest({ role: 'user', content: `Question ${turn}. ${'clay '.repeat(200)}` });
          await session.assemble({ model: { provider: 'test', model: 'test-1' } });
          await session.ingest({ role: 'assistant', content: 'An answer.' });
        }
      },
      names,
    );
  };
  await say('agent:main:main', 6, { displayName: 'The \u001b[31mharbour' });
  clock.advance(60_000);
  await sessions.reset('agent:main:main', { reason: 'new' });
  await say('agent:main:main', 2);
  await say('agent:main:subagent:one', 1, { parentSessionKey: 'agent:main:main', label: 'research' });
  await say('agent:main:telegram:group:-1:topic:7', 1);
  for (let peer = 1; peer <= 4; peer += 1) await say(`agent:研究:direct:user${peer}`, peer);
}

const tree = (argv: readonly string[] = [], options = {}) =>
  run(['sessions', 'tree', '--root', root, ...argv], options);

describe('varve sessions tree', async () => {
  await talk();

  it('draws agents, kinds, conversations, and sub-agents below their parents', async () => {
    const { code, out, err } = await tree([], { isTTY: true, columns: 80, env: { NO_COLOR: '1' } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n').map((line) => line.replace(/ {2,}/g, '  '));
    expect(lines.slice(1, 8)).toEqual([
      expect.stringMatching(/^main {2}\d+ {2}20 2026-03-04 4 sessions$/),
      expect.stringMatching(/^├─ main {2}\d+ {2}18 2026-03-04 3 sessions$/),
      expect.stringMatching(/^│ {2}└─ The �\[31mharbour \(… █+ {2}\d+ {2}4 2026-03-04 00000002 \+1 earlier$/),
      expect.stringMatching(/^│ {2}└─ research \(sub-a… [█▏▎▍▌▋▊▉]+ /),
      expect.stringMatching(/^└─ groups /),
      expect.stringMatching(/^ {2}└─ telegram -1 /),
      expect.stringMatching(/^ {2}└─ topic 7 /),
    ]);
    expect(out).toContain('8 sessions, 1 of them archived, ');
    expect(out).not.toContain('\u001b');
  });

  it('cuts nothing, and draws plain characters, for a file or another program', async () => {
    const { out } = await tree();
    expect(out).toMatch(
      /^\| {2}`- The �\[31mharbour \(main conversation\) +#+ +\d+ +4 2026-03-04 08:03 00000002 \+1 earlier$/m,
    );
    expect(out).toMatch(/`- research \(sub-agent one\) /);
  });

  it('names a session without a key by the beginning of its id', async () => {
    const other = folder.folder('keyless');
    await using store = jsonlStore({ root: other });
    await using host = await createHost({ store });
    await (await host.open('b535cf9f-650f-49c7-8aaa-0123456789ab')).close();
    const drawn = await run(['sessions', 'tree', '--root', other], {
      isTTY: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(drawn.out).toMatch(/└─ b535cf9f +/);
    expect(drawn.out).not.toContain('b535cf9f-');
  });

  it('draws boxes and blocks on a terminal alone', async () => {
    const { out } = await tree([], { isTTY: true, columns: 110 });
    expect(out).toMatch(/├─ .*main/);
    expect(out).toMatch(/│ {2}└─ .*The /);
    expect(out).toMatch(/[█▏▎▍▌▋▊▉]/);
    const escapes = out.split('\u001b[');
    expect(escapes.length).toBeGreaterThan(10);
    expect(out).not.toContain('\u001b[31m');
    const { out: without } = await tree([], { isTTY: true, columns: 110, env: { NO_COLOR: '1' } });
    expect(without).not.toContain('\u001b');
  });

  it('draws so many conversations of a branch, and says how many more there are', async () => {
    const { out } = await tree(['--most', '2', '--agent', '研究']);
    expect(out).toMatch(/\|- user4 /);
    expect(out).toMatch(/\|- user3 /);
    expect(out).toMatch(/`- … and 2 more /);
    expect(out).not.toContain('user2');
  });

  it('draws earlier generations when it is asked to', async () => {
    expect((await tree(['--all'])).out).toMatch(/\|- 00000001 .* archived$/m);
    expect((await tree()).out).not.toContain('00000001');
  });

  it('keeps within the width of the terminal', async () => {
    for (const columns of [60, 80, 120]) {
      const { out } = await tree(['--all'], { isTTY: true, columns, env: { NO_COLOR: '1' } });
      const lengths = out
        .split('\n')
        .slice(0, -3)
        .map((line) => [...line].length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(columns);
    }
  });

  it('prints the tree as JSON', async () => {
    const { out } = await tree(['--json', '--kind', 'main']);
    const printed = JSON.parse(out);
    expect(printed).toMatchObject({ root, totals: { sessions: 2, archived: 1 } });
    expect(printed.agents[0].kinds[0].conversations[0].generations).toMatchObject([
      { isCurrent: true, messages: 4 },
      { isCurrent: false, messages: 12 },
    ]);
  });

  it('says where there is no store, and where there is nothing of what was asked for', async () => {
    const nowhere = join(folder.path, 'nowhere');
    expect(await run(['sessions', 'tree', '--root', nowhere])).toMatchObject({
      code: 0,
      out: `There is no store in ${nowhere}.\n`,
    });
    expect((await tree(['--agent', 'nobody'])).out).toMatch(/^No session in .* is what was asked for\.\n$/);
  });
});
