import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadConfig } from '@varve/cli';
import { describe, expect, it, vi } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
let places = 0;

/** A home folder with a working folder in it, and files by their path from home. */
function place(files: Readonly<Record<string, string>>): { readonly home: string; readonly cwd: string } {
  places += 1;
  const home = folder.folder(`home-${places}`);
  const cwd = join(home, 'project', 'part');
  mkdirSync(cwd, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return { home, cwd };
}

interface Answer {
  readonly code: number;
  readonly root: string;
  readonly config: { readonly file: string; readonly form: string } | null;
  readonly findings: readonly {
    readonly level: string;
    readonly code: string;
    readonly text: string;
    readonly fix: string;
  }[];
}

async function doctor(
  { home, cwd }: { readonly home: string; readonly cwd: string },
  { argv = [], env = {} }: { readonly argv?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<Answer> {
  const { code, out, err } = await run(['doctor', '--json', ...argv], { env: { HOME: home, ...env }, cwd });
  return out === '' ? { code, root: err, config: null, findings: [] } : { code, ...JSON.parse(out) };
}

const typed = `
import { defineConfig, type VarveConfig } from '@varve/sessions/config';
const hours: number = 5;
export default defineConfig({ session: { reset: { atHour: hours } }, store: { root: './journals' } }) satisfies VarveConfig;
`;

describe('a configuration file', () => {
  it.each([
    ['varve.config.ts', typed],
    ['varve.config.mjs', `export default { store: { root: 'journals' }, session: { reset: { atHour: 5 } } };`],
    ['varve.config.js', `module.exports = { store: { root: 'journals' }, session: { reset: { atHour: 5 } } };`],
    ['varve.config.json5', `// hours\n{ session: { reset: { atHour: 5, } }, store: { root: "journals" } }`],
    ['varve.config.json', `{ "session": { "reset": { "atHour": 5 } }, "store": { "root": "journals" } }`],
    [
      '\uFEFFvarve.config.json'.slice(1),
      `\uFEFF{ "session": { "reset": { "atHour": 5 } }, "store": { "root": "journals" } }`,
    ],
  ])('is found above the working folder: %s', async (name, text) => {
    const at = place({ [`project/${name}`]: text });
    const answer = await doctor(at, { argv: ['--for', 'agent:main:main'] });
    expect(answer.findings.filter(({ level }) => level !== 'note')).toEqual([]);
    expect(answer).toMatchObject({
      code: 0,
      root: join(at.home, 'project', 'journals'),
      config: { file: join(at.home, 'project', name), form: 'varve' },
      effective: { values: { reset: { atHour: 5 } }, sources: { 'reset.atHour': { path: 'session.reset.atHour' } } },
    });
  });

  it('may lie in the store, and is looked for there last', async () => {
    const at = place({ '.varve/varve.config.json5': `{ global: { thinking: 'high' } }` });
    expect((await doctor(at)).config?.file).toBe(join(at.home, '.varve', 'varve.config.json5'));
    writeFileSync(join(at.cwd, 'varve.config.json'), '{}');
    expect((await doctor(at)).config?.file).toBe(join(at.cwd, 'varve.config.json'));
  });

  it('is not looked for above the home folder, nor above the root of a repository', async () => {
    const outside = place({ 'varve.config.json': '{}', 'project/.git/HEAD': '' });
    expect((await doctor(outside)).config).toBeNull();
    const inner = { home: join(outside.home, 'project'), cwd: outside.cwd };
    expect((await doctor(inner)).config).toBeNull();
  });

  it('is left alone with --config none, and read in place of another with --config', async () => {
    const at = place({ 'project/varve.config.json': '{}', 'other.json5': `{ store: { root: '~/elsewhere' } }` });
    expect((await doctor(at, { argv: ['--config', 'none'] })).config).toBeNull();
    const answer = await doctor(at, { argv: ['--config', '../../other.json5'] });
    expect(answer).toMatchObject({ root: join(at.home, 'elsewhere'), config: { file: join(at.home, 'other.json5') } });
  });

  it('says where the store is, unless --root says it, or VARVE_HOME where the file was only found', async () => {
    const at = place({ 'project/varve.config.json': `{ store: { root: 'a' } }` });
    const env = { VARVE_HOME: join(at.home, 'b') };
    expect((await doctor(at)).root).toBe(join(at.home, 'project', 'a'));
    expect((await doctor(at, { env })).root).toBe(join(at.home, 'b'));
    const argv = ['--config', '../varve.config.json'];
    expect((await doctor(at, { env, argv })).root).toBe(join(at.home, 'project', 'a'));
    expect((await doctor(at, { env, argv: [...argv, '--root', join(at.home, 'c')] })).root).toBe(join(at.home, 'c'));
  });

  // what the file is called · what is in it · what is said of it
  it.each([
    ['varve.config.json5', '{ session: ', /is not JSON5: .*at 1:12/],
    ['varve.config.ts', 'throw new Error("no luck today")', /failed: no luck today/],
    ['varve.config.ts', 'export const config = {};', /no default export/],
    ['varve.config.ts', 'export default {', /failed: /],
    ['varve.config.js', 'export default 5', /no default export/],
    ['varve.config.js', 'module.exports = 5', /no default export/],
  ])('is a finding when it cannot be read: %s with %s', async (name, text, said) => {
    const at = place({ [`project/${name}`]: text });
    const { code, findings } = await doctor(at);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ level: 'error', code: 'config-unreadable', text: expect.stringMatching(said) }),
    );
  });

  it('is a finding when it is not there, is a folder, or is one of two', async () => {
    const at = place({ 'project/varve.config.json': '{}', 'project/varve.config.ts': 'export default {}' });
    const texts = await Promise.all(
      [[], ['--config', 'nowhere.json5'], ['--config', '..']].map(async (argv) => {
        const { findings } = await doctor(at, { argv });
        return findings.find(({ level }) => level === 'error')?.text;
      }),
    );
    expect(texts).toEqual([
      expect.stringMatching(/two configurations/),
      expect.stringMatching(/nowhere\.json5" cannot be read: ENOENT/),
      expect.stringMatching(/cannot be read: EISDIR/),
    ]);
  });

  it('is a finding for every problem, with path, value, why and fix', async () => {
    const at = place({
      'project/varve.config.json5': `{ session: { reset: { atHour: 24 } }, agents: { main: { modle: 'x' } } }`,
    });
    const { code, findings } = await doctor(at);
    expect(code).toBe(1);
    expect(findings.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        text: expect.stringMatching(/^session\.reset\.atHour is 24: /),
        fix: expect.stringMatching(/0 to 23/),
      }),
      expect.objectContaining({ text: 'agents.main.modle: There is no such setting.', fix: 'Did you mean "model"?' }),
    ]);
  });

  it.each(['varve.config.ts', 'small.json5'])('is among the examples, without a warning: %s', async (name) => {
    const file = join(import.meta.dirname, '../../../examples/configuration', name);
    const { code, config, findings } = await doctor(place({}), { argv: ['--config', file] });
    expect({ code, file: config?.file }).toEqual({ code: 0, file });
    expect(findings.filter(({ level }) => level !== 'note')).toEqual([]);
  });

  it('is a finding where a plugin would refuse what it says', async () => {
    const at = place({
      'project/varve.config.json5': `{ session: { sendPolicy: { rules: [{ action: 'deny', match: { during: { from: '08:00', to: '08:00' } } }] } } }`,
    });
    const { code, findings } = await doctor(at);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'config-invalid', text: expect.stringMatching(/during\.to is "08:00"/) }),
    );
  });

  it('is not run when it was only found and somebody else put it there', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only an administrator can give a file to somebody else');
    const at = place({ 'project/varve.config.ts': typed });
    const file = join(at.home, 'project', 'varve.config.ts');
    chownSync(file, 54_321, 54_321);
    const { code, findings } = await doctor(at);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/belongs to another user/) }),
    );
    expect(await doctor(at, { argv: ['--config', file] })).toMatchObject({ code: 0, config: { file } });
  });

  it('is refused when it never ends', async ({ signal }) => {
    const program = `const never = new Promise(() => {});
      never.then = (...given) => {
        globalThis.isConfigAwaited = true;
        return Promise.prototype.then.apply(never, given);
      };
      export default never;`;
    const waiting = place({ 'project/varve.config.ts': program });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const loading = loadConfig(join(waiting.home, 'project/varve.config.ts'), { env: {} });
      const refused = expect(loading).rejects.toMatchObject({
        code: 'VARVE_CONFIG_UNREADABLE',
        message: expect.stringContaining('had not ended after 10 s'),
      });
      while (Reflect.get(globalThis, 'isConfigAwaited') !== true) await setImmediate(undefined, { signal });
      vi.advanceTimersByTime(10_000);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });

  it('is refused in few words however much is wrong', async () => {
    const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name${index}`, 1]));
    const many = place({ 'project/varve.config.json5': JSON.stringify(names) });
    const thrown: unknown = await loadConfig(join(many.home, 'project/varve.config.json5'), { env: {} }).catch(
      (e) => e,
    );
    const { code, details } = thrown as { readonly code: string; readonly details: unknown };
    expect(code).toBe('VARVE_CONFIG_INVALID');
    expect(JSON.stringify(details)).toContain('99980 more names');
    expect(JSON.stringify(details).length).toBeLessThan(20_000);
  });

  it('compiles nothing into a cache on the disk', async () => {
    const at = place({ 'project/varve.config.ts': typed });
    const loaded = await loadConfig('varve.config.ts', { env: { HOME: at.home }, cwd: join(at.home, 'project') });
    expect(loaded.config.session?.reset).toEqual({ atHour: 5 });
    writeFileSync(join(at.home, 'project', 'varve.config.ts'), typed.replace('= 5', '= 6'));
    const again = await loadConfig('varve.config.ts', { env: { HOME: at.home }, cwd: join(at.home, 'project') });
    expect(again.config.session?.reset).toEqual({ atHour: 6 });
  });
});

describe('the folders of other tools', () => {
  it.each([
    [`{ store: { root: '~/.openclaw/varve' } }`, 'store.root'],
    [`{ store: { root: '~/.openclaw' } }`, 'store.root'],
    [`{ store: { root: '../.openclaw/x/../y' } }`, 'store.root'],
    [`{ store: { root: '~/link/deep/inside' } }`, 'store.root'],
    [`{ agents: { ada: { memory: { dir: '~/.openclaw/workspace' } } } }`, 'agents.ada.memory.dir'],
    [
      `{ store: { root: '~/s/ada/sessions/x', imports: [{ path: '~/s/{agentId}/sessions/sessions.json' }] } }`,
      'store.root',
    ],
  ])('are no place for what is written: %s', async (text, path) => {
    const at = place({ 'project/varve.config.json5': text, '.openclaw/openclaw.json': '{}' });
    symlinkSync(join(at.home, '.openclaw'), join(at.home, 'link'));
    const { code, findings } = await doctor(at);
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({
        level: 'error',
        text: expect.stringMatching(new RegExp(`^${path} is .*another tool keeps its own`)),
        fix: expect.stringMatching(/folder of its own/),
      }),
    );
  });

  it('are no place for a store that --root or VARVE_HOME names either', async () => {
    const at = place({ '.openclaw/openclaw.json': '{}' });
    const inside = join(at.home, '.openclaw', 'varve');
    for (const options of [{ argv: ['--root', inside] }, { env: { VARVE_HOME: inside } }]) {
      const { code, root } = await doctor(at, options);
      expect(code).toBe(2);
      expect(root).toMatch(/another tool keeps its own[\s\S]*fix: Name another folder/);
    }
    const state = join(at.home, 'state');
    const moved = await doctor(at, { argv: ['--root', join(state, 'x')], env: { OPENCLAW_STATE_DIR: state } });
    expect(moved.code).toBe(2);
  });

  it('are told from those that only begin with the same letters', async () => {
    const at = place({ 'project/varve.config.json5': `{ store: { root: '~/.openclaw-journals' } }` });
    expect(await doctor(at)).toMatchObject({ code: 0, root: join(at.home, '.openclaw-journals') });
  });
});

describe('varve doctor --for', () => {
  const forKey = (at: ReturnType<typeof place>, key: string, options = {}) =>
    run(['doctor', '--for', key], { env: { HOME: at.home }, cwd: at.cwd, ...options });

  it('names the file, and says of a key that routing never gives where its messages go', async () => {
    const session = `identityLinks: { ada: ['telegram:1'] }, bindings: []`;
    const at = place({ 'project/varve.config.json5': `{ session: { dmScope: 'main', ${session} } }` });
    const file = join(at.home, 'project', 'varve.config.json5');
    const key = 'agent:main:discord:direct:7';
    const { out } = await forKey(at, key);
    expect(out).toContain(`What holds for ${key}, by ${file}:\n`);
    expect(out).toMatch(
      /^note: Routing gives no message the key .*: session\.dmScope is "main": they go to agent:main:main\.$/m,
    );
    expect((await forKey(at, 'agent:main:main')).out).not.toContain('Routing gives');
    const none = place({});
    expect((await forKey(none, 'agent:main:main')).out).toContain(
      'What holds for agent:main:main, without a configuration:',
    );
  });

  // how direct chats are told apart · key · what is said of it
  it.each<[dmScope: string, key: string, said: string | null]>([
    ['per-peer', 'agent:main:direct:7', null],
    ['per-peer', 'agent:main:telegram:direct:7', 'keys of that form come with "per-channel-peer"'],
    ['per-channel-peer', 'agent:main:telegram:direct:7', null],
    ['per-channel-peer', 'agent:main:telegram:direct:1', 'that is ada, whose messages go to agent:main:direct:~ada'],
    ['per-channel-peer', 'agent:main:direct:~ada', null],
    ['per-channel-peer', 'agent:main:direct:~bob', 'session.identityLinks has no "bob"'],
    ['main', 'agent:main:terminal:direct:garden', null],
    ['main', 'agent:main:telegram:group:-1', null],
    ['main', 'global', 'session.scope is "per-sender"'],
    ['main', 'agent:main:cron:news', null],
  ])('under dmScope %s says of %s: %s', async (dmScope, key, said) => {
    const text = `{ session: { dmScope: '${dmScope}', identityLinks: { ada: ['telegram:1'] } } }`;
    const { out } = await forKey(place({ 'project/varve.config.json5': text }), key);
    const [, note = null] = /^note: (.*)$/m.exec(out) ?? [];
    if (said === null) expect(note).toBeNull();
    else expect(note).toContain(said);
  });

  it('shows values whole where they go to a file or another program', async () => {
    const reason = 'the office is closed on every day that has a name';
    const rules = `[{ action: 'deny', match: { chatType: 'group' }, reason: '${reason}' }]`;
    const at = place({ 'project/varve.config.json5': `{ session: { sendPolicy: { rules: ${rules} } } }` });
    expect((await forKey(at, 'agent:main:main')).out).toContain(reason);
    const narrow = await forKey(at, 'agent:main:main', { isTTY: true, columns: 80 });
    expect(narrow.out).not.toContain(reason);
  });
});

it('says once what is to be done about several warnings', async () => {
  const settings = `global: { compaction: { keepRecentTokens: 9, keepRecentMessages: 3 } }`;
  const at = place({ 'project/varve.config.json5': `{ ${settings} }` });
  const { out } = await run(['doctor'], { env: { HOME: at.home }, cwd: at.cwd });
  expect(out.match(/ warning /g)).toHaveLength(2);
  expect(out.match(/Nothing, if that is meant/g)).toHaveLength(1);
});

it('takes a name that is linked to two people for an error, in the words of Varve and of OpenClaw', async () => {
  const session = `session: { identityLinks: { ada: ['telegram:1'], bob: ['Telegram:1'] }`;
  for (const [name, text] of [
    ['varve.config.json5', `{ ${session} } }`],
    ['openclaw.json', `{ ${session}, mainKey: 'main' } }`],
  ] as const) {
    const at = place({ [`project/${name}`]: text });
    const answer = await doctor(at, { argv: ['--config', join(at.home, 'project', name)] });
    expect(answer.code).toBe(1);
    const text_ = expect.stringContaining('is linked to both "ada" and "bob"');
    expect(answer.findings).toContainEqual(expect.objectContaining({ level: 'error', text: text_ }));
  }
});
