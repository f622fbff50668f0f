import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const package_ = dirname(import.meta.dirname);
const fromSource = [
  '--conditions=@varve/source',
  '--import',
  import.meta.resolve('tsx'),
  join(package_, 'src', 'bin.ts'),
];
const exec = promisify(execFile);

const config = `{
  session: {
    dmScope: 'main',
    identityLinks: { grace: ['telegram:42'] },
    reset: { mode: 'daily', atHour: 4 },
    store: '~/.openclaw/agents/{agentId}/sessions/sessions.json',
    mainKey: 'main',
  },
  agent: { contextPruning: { mode: 'cache-ttl', ttl: '5m' }, workspace: '~/.openclaw/workspace' },
}
`;

/** A home folder as OpenClaw leaves it, with a configuration that points into it. */
function openClawHome(name: string): string {
  const home = folder.folder(name);
  const sessions = join(home, '.openclaw', 'agents', 'main', 'sessions');
  mkdirSync(sessions, { recursive: true });
  mkdirSync(join(home, '.openclaw', 'workspace', 'memory'), { recursive: true });
  const sessionId = '5f0c6a52-7d4e-4f0f-8a43-0b5a6c1d2e3f';
  writeFileSync(join(sessions, 'sessions.json'), JSON.stringify({ 'agent:main:main': { sessionId, updatedAt: 1 } }));
  const lines = [
    { type: 'session', version: 3, id: sessionId, timestamp: '2026-01-01T00:00:00.000Z', cwd: home },
    {
      type: 'message',
      id: 'a1b2c3d4',
      parentId: null,
      timestamp: '2026-01-01T00:00:01.000Z',
      message: { role: 'user', content: 'hi' },
    },
  ];
  writeFileSync(join(sessions, `${sessionId}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  writeFileSync(join(home, '.openclaw', 'workspace', 'MEMORY.md'), 'remember\n');
  writeFileSync(join(home, '.openclaw', 'openclaw.json'), config);
  writeFileSync(join(home, 'varve.config.json5'), config);
  return home;
}

/** Every file and folder below a folder: its content, and when it was changed. */
function stateOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .concat(root)
    .map((path) => {
      const { mtimeNs, ctimeNs, mode } = lstatSync(path, { bigint: true });
      const hash = lstatSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
      return `${path} ${hash} ${mtimeNs} ${ctimeNs} ${mode}`;
    })
    .sort();
}

describe('a configuration of OpenClaw', () => {
  it.each<[argv: readonly string[], input: string]>([
    [['doctor', '--for', 'agent:main:telegram:direct:42'], ''],
    [['doctor', '--config', '.openclaw/openclaw.json', '--json'], ''],
    [['sessions', 'list', '--json'], ''],
    [['chat', '--model', 'offline'], 'Hello there.\n/status\n/new\nAgain.\n'],
  ])('keeps every byte below its store as it was: %j', async (argv, input) => {
    const home = openClawHome(
      argv
        .slice(0, 3)
        .join('-')
        .replaceAll(/[^a-z-]/g, ''),
    );
    const before = stateOf(join(home, '.openclaw'));
    const { HOME: _home, VARVE_HOME: _varve, ...env } = process.env;
    const running = exec(process.execPath, [...fromSource, ...argv], { cwd: home, env: { ...env, HOME: home } });
    running.child.stdin?.end(input);
    const { stdout } = await running;
    expect(stdout).not.toBe('');
    expect(stateOf(join(home, '.openclaw'))).toEqual(before);
  });

  it('would show a file that was touched', () => {
    const home = openClawHome('touched');
    const before = stateOf(join(home, '.openclaw'));
    writeFileSync(join(home, '.openclaw', 'openclaw.json'), config);
    expect(stateOf(join(home, '.openclaw'))).not.toEqual(before);
  });

  it('loads as it is from the file that VARVE_OPENCLAW_CONFIG names', async (context) => {
    const { VARVE_OPENCLAW_CONFIG: file = '' } = process.env;
    if (!existsSync(file)) return context.skip('VARVE_OPENCLAW_CONFIG names no file of OpenClaw');
    const { code, out } = await run(['doctor', '--config', file, '--json'], { env: { HOME: folder.folder('empty') } });
    const { config: read, findings } = JSON.parse(out);
    expect({ code, form: read.form }).toEqual({ code: 0, form: 'openclaw' });
    const warnings = findings.filter(({ level }: { level: string }) => level === 'warning');
    expect(warnings).toHaveLength(read.warnings.length);
    for (const { path, text } of read.warnings) expect(`${path}: ${text}`).toMatch(/^[\w.[\]]+: .+\.$/);
  });
});
