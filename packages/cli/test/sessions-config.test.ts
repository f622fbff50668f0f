import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** A folder with a configuration, and how the command line is run in it. */
function project(name: string, config: object) {
  const cwd = folder.folder(`${name}/project`);
  writeFileSync(join(cwd, 'varve.config.json5'), JSON.stringify(config));
  const env = { HOME: folder.folder(`${name}/home`) };
  return {
    cwd,
    run: (argv: readonly string[], stdin = '') => run(argv, { cwd, env, stdin }),
    json: async (argv: readonly string[]): Promise<ReturnType<typeof JSON.parse>> => {
      const { code, out, err } = await run([...argv, '--json'], { cwd, env });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    },
  };
}

describe('varve sessions with a configuration', () => {
  it('works on the store that the configuration says, as varve chat does', async () => {
    const at = project('same', { store: { root: '../st' } });
    expect((await at.run(['chat', '--model', 'offline'], 'Hello there.\n')).code).toBe(0);
    const root = join(folder.path, 'same', 'st');
    expect(await at.json(['sessions', 'list'])).toMatchObject({ root, sessions: [{ key: 'agent:main:main' }] });
    const main = 'agent:main:main';
    expect((await at.json(['sessions', 'show', main])).record.key).toBe(main);
    expect((await at.json(['sessions', 'tree'])).totals.sessions).toBe(1);
    for (const argv of [
      ['tail', main],
      ['export', main],
    ]) {
      expect((await at.run(['sessions', ...argv])).out).toContain('Hello there.');
    }
    expect((await at.run(['sessions', 'compact', main, '--dry-run', '--model', 'a/b'])).out).not.toContain('error');
    expect(await at.json(['sessions', 'fork', main])).toMatchObject({ key: null });
    expect((await at.json(['sessions', 'maintain'])).root).toBe(root);
    const reset = await at.json(['sessions', 'reset', main]);
    expect(await at.json(['sessions', 'restore', reset.previousSessionId])).toMatchObject({ key: main });
    expect((await at.json(['sessions', 'archive', main])).lines).toMatchObject([{ outcome: 'done' }]);
    const none = await at.run(['sessions', 'list', '--config', 'none']);
    expect(none.out).toBe(`There is no store in ${join(folder.path, 'same', 'home', '.varve')}.\n`);
  });

  it('carries over what the configuration says when a conversation is reset', async () => {
    const at = project('carried', { store: { root: 'st' }, session: { carryOver: { settings: { topic: 'never' } } } });
    mkdirSync(join(at.cwd, 'st'));
    await using store = jsonlStore({ root: join(at.cwd, 'st') });
    await using host = await createHost({ store });
    await using sessions = createSessions({ host });
    await sessions.use('agent:main:main', async (session) => {
      await session.ingest({ role: 'user', content: 'Hello.' });
      for (const name of ['topic', 'colour']) await session.set(name, 'blue');
    });
    await sessions.close();
    await at.json(['sessions', 'reset', 'agent:main:main']);
    const { settings } = await at.json(['sessions', 'show', 'agent:main:main']);
    expect(settings).toMatchObject({ colour: 'blue' });
    expect(settings).not.toHaveProperty('topic');
  });

  it('says what is wrong with the configuration', async () => {
    const at = project('wrong', { store: { roots: 'st' } });
    const { code, err } = await at.run(['sessions', 'list']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('code: VARVE_CONFIG_INVALID') });
  });
});
