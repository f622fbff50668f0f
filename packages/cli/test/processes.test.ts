import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { claudeSession, piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const home = dirname(import.meta.dirname);
const fromSource = ['--conditions=@varve/source', '--import', 'tsx', join(home, 'src', 'bin.ts')];
const exec = promisify(execFile);

async function varve(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await exec(process.execPath, [...fromSource, ...argv], {
    cwd: home,
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

function digestOf(path: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(path).sort()) hash.update(name).update(readFileSync(join(path, name)));
  return hash.digest('hex');
}

describe('varve in processes of its own', () => {
  it.each([
    ['pi.jsonl', piSession({ tasks: 25 })],
    ['claude.jsonl', claudeSession({ tasks: 30, words: 200 })],
  ])('writes the same bodies of %s whatever the place and the language', async (name, content) => {
    const file = folder.file(name, content);
    const places = [
      { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' },
    ];
    const digests = await Promise.all(
      places.map(async (place, index) => {
        const bodies = join(folder.path, `${name}-${index}`);
        await varve(['replay', file, '--budget', '4k', '--bodies', bodies, '--json'], place);
        return digestOf(bodies);
      }),
    );
    expect(digests[0]).toBe(digests[1]);
  });

  it('says nothing when its reader goes away', async () => {
    const file = folder.file('piped.jsonl', piSession({ tasks: 100, words: 10 }));
    const child = spawn(process.execPath, [...fromSource, 'replay', file, '--all'], { cwd: home });
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdout.resume();
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      said += data.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, said }).toEqual({ code: 0, said: '' });
  });

  it('says in one line that the disk is full', async (context) => {
    if (!existsSync('/dev/full')) context.skip('this system has no device that is always full');
    const file = folder.file('full.jsonl', piSession({ tasks: 2 }));
    for (const argv of [['replay', file], ['replay', file, '--json'], ['--help']]) {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [...fromSource, ...argv], { cwd: home, stdio: ['ignore', full, 'pipe'] });
      let said = '';
      child.stderr?.on('data', (data: Buffer) => {
        said += data.toString();
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      closeSync(full);
      expect({ code, said: said.split('\n')[0] }).toEqual({
        code: 2,
        said: 'error: The output cannot be written: ENOSPC.',
      });
      expect(said).not.toMatch(/^ +at /m);
    }
  });

  it('stops at Ctrl-C with what it has, and leaves nothing behind', async () => {
    const file = folder.file('stopped.jsonl', piSession({ tasks: 6_000 }));
    const temporary = folder.folder('tmp');
    const bodies = join(folder.path, 'stopped');
    const argv = [...fromSource, 'replay', file, '--bodies', bodies, '--json'];
    const child = spawn(process.execPath, argv, { cwd: home, env: { ...process.env, TMPDIR: temporary } });
    const bodiesWritten = (): number => {
      const staging = existsSync(bodies) ? readdirSync(bodies).filter((name) => name.startsWith('.varve-bodies-')) : [];
      return staging.reduce((sum, name) => sum + readdirSync(join(bodies, name)).length, 0);
    };
    const watching = setInterval(() => {
      if (bodiesWritten() < 20) return;
      clearInterval(watching);
      child.kill('SIGINT');
    }, 20);
    let out = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(130);
    const replay = JSON.parse(out);
    expect(replay.interrupted).toBe(true);
    expect(replay.requests.length).toBeGreaterThanOrEqual(20);
    expect(readdirSync(temporary).filter((name) => name.startsWith('varve-replay-'))).toEqual([]);
    const numbered = readdirSync(bodies).filter((name) => /^\d{6}\.json$/.test(name));
    expect(readdirSync(bodies)).toEqual(numbered);
    expect(numbered).toHaveLength(replay.requests.length);
  });

  it('runs as the installed program does', async (context) => {
    if (!existsSync(join(home, 'dist', 'bin.js'))) context.skip('it has not been built');
    const { stdout } = await exec(process.execPath, [join(home, 'bin', 'varve.js'), '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
