import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { run } from './captured-io.ts';
import { giantCall, jsonLines, openAiConversations, piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const session = folder.file('session.jsonl', piSession({ tasks: 30 }));
const small = folder.file('small.jsonl', piSession({ tasks: 2 }));

describe('varve replay', () => {
  it('prints a table, a chart and a summary', async () => {
    const { code, out, err } = await run(['replay', session, '--budget', '6k', '--system-tokens', '1k']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^turn msgs tokens system summ\. +hist\. +live full +read write +cost actions$/m);
    expect(out).toMatch(/compaction$/m);
    expect(out).toMatch(/\d+ rows left out; --all prints them\.$/m);
    expect(out).toMatch(/█ system {2}▓ summary {2}▒ history {2}░ live {2}▲ compaction {2}┄ budget 6k$/m);
    expect(out).toMatch(
      /^replayed +120 requests, 240 messages, budget 6,000 tokens, 1,000 of them system, with legacy-/m,
    );
    expect(out).toMatch(/^done +\d+ compactions, \d+ edits, 0 entries dropped, 0 invalid$/m);
    expect(out).toMatch(/^cost .* input-token equivalents; sending everything .*: 0\.\d\d of it$/m);
  });

  it('fits into 80 columns and has no colours when it is no terminal', async () => {
    const { out } = await run(['replay', session, '--budget', '6k']);
    expect(out).not.toContain('\u001B');
    const picture = out.split('\n').filter((line) => /│|└|▲|request 1/.test(line));
    expect(picture.length).toBeGreaterThan(12);
    expect(picture.filter((line) => line.length > 80)).toEqual([]);
  });

  it('uses colours and the width of a terminal, unless NO_COLOR is set', async () => {
    const wide = await run(['replay', session, '--budget', '6k'], { isTTY: true, columns: 140 });
    expect(wide.out).toContain('\u001B[');
    const lines = stripVTControlCharacters(wide.out).split('\n');
    expect(lines.find((line) => line.includes('└'))).toHaveLength(8 + 120);
    expect(lines[0]).toContain('budget');
    const plain = await run(['replay', session], { isTTY: true, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001B');
  });

  it('prints every row with --all', async () => {
    const { out } = await run(['replay', session, '--all']);
    expect(out.split('\n').filter((line) => /^ *\d+ +\d+ .*\d%/.test(line))).toHaveLength(120);
    expect(out).not.toContain('left out');
  });

  it('draws short transcripts, and says when there is nothing to send', async () => {
    const one = folder.file('one.jsonl', piSession({ tasks: 1, calls: 0 }));
    expect((await run(['replay', one])).out).toMatch(/^replayed +1 request, 2 messages/m);
    const two = folder.file('two.jsonl', openAiConversations(1));
    expect((await run(['replay', two])).out).toContain('└──────\n');
    const none = folder.file('none.json', JSON.stringify([{ role: 'user', content: 'Hello?' }]));
    const { code, out } = await run(['replay', none]);
    expect(code).toBe(0);
    expect(out).toContain('holds no call of a model');
  });

  it('tells another model from an edit or a cut, and empty messages from dropped ones', async () => {
    const say = (role: string, model?: string): object => {
      const content = role === 'user' || model !== undefined ? [{ type: 'text', text: role }] : [];
      return { type: 'message', message: { role, content, ...(model === undefined ? {} : { model }) } };
    };
    const answers = ['claude-opus-4-6', 'claude-sonnet-4-5', undefined, 'claude-sonnet-4-5'];
    const lines = answers.flatMap((model) => [say('user'), say('assistant', model)]);
    const file = folder.file('models.jsonl', jsonLines([{ type: 'session', version: 3, id: 'a', cwd: '/' }, ...lines]));
    const { out } = await run(['replay', file]);
    expect(out).toContain('◇ another model');
    expect(out).not.toContain('edit or cut');
    expect(out).toMatch(/^done .* 0 entries dropped, 1 empty message not sent, 0 invalid$/m);
  });

  it('prints exactly one JSON object with --json', async () => {
    const { code, out } = await run([
      'replay',
      session,
      '--budget',
      '6000',
      '--plugins',
      'summary-compaction',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(out.endsWith('}\n')).toBe(true);
    const replay = JSON.parse(out);
    expect(replay).toMatchObject({ file: session, format: 'pi', entries: 240, health: { ok: true } });
    expect(replay.settings).toMatchObject({ budget: 6_000, plugins: [expect.stringMatching(/^summary-compaction@/)] });
    expect(replay.requests).toHaveLength(120);
    expect(Object.keys(replay.requests[0])).toEqual(
      expect.arrayContaining([
        'turn',
        'tokens',
        'budget',
        'layers',
        'actions',
        'dropped',
        'cacheRead',
        'cacheWrite',
        'cost',
      ]),
    );
    expect(Object.keys(replay.requests[0].layers)).toEqual([
      'system',
      'summary',
      'history',
      'live',
      'notes',
      'volatile',
    ]);
    expect(replay.compactions.length).toBe(replay.totals.compactions);
    expect(replay.totals.compactions).toBeGreaterThan(0);
  });

  it.each(['8k', '8000', '0.008m', '8K', '8_000'])('reads a budget of %s', async (budget) => {
    const { out } = await run(['replay', small, '--budget', budget, '--json']);
    expect(JSON.parse(out).settings.budget).toBe(8_000);
  });

  it('reads no budget and no plugins', async () => {
    const { out } = await run(['replay', session, '--budget', 'none', '--plugins', 'none', '--json']);
    const { settings, requests, totals } = JSON.parse(out);
    expect(settings).toMatchObject({ budget: null, plugins: [] });
    expect(requests[0].budget).toBeNull();
    expect(totals.costRatio).toBe(1);
  });

  it('keeps journals with --root, and says how to read them', async () => {
    const { out } = await run(['replay', session, '--root', join(folder.path, 'journals')]);
    expect(out).toMatch(/^journal +"session" in ".*journals"; varve explain reads it with --root$/m);
  });

  it('goes on under another name when two processes replay a file into one root', async () => {
    const root = join(folder.path, 'shared');
    const runs = await Promise.all([1, 2, 3].map(() => run(['replay', small, '--root', root, '--json'])));
    expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: '' })));
    const replays = runs.map(({ out }) => JSON.parse(out));
    expect(replays.map(({ sessions }) => sessions[0].session).sort()).toEqual(['small', 'small~2', 'small~3']);
    expect(replays.map(({ entries }) => entries)).toEqual([16, 16, 16]);
  });

  it('counts damaged lines, and replays the others', async () => {
    const lines = piSession({ tasks: 2 }).trimEnd().split('\n');
    const damaged = folder.file('damaged.jsonl', `${lines.join('\n{"torn\n')}\n`);
    const { out } = await run(['replay', damaged]);
    expect(out).toMatch(
      /^damaged +16 lines of the file could not be read, or only in part; the others were replayed$/m,
    );
    const { code, out: json } = await run(['replay', damaged, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(json)).toMatchObject({ entries: 16, totals: { damaged: 16 } });
    expect(JSON.parse((await run(['replay', small, '--json'])).out).totals.damaged).toBe(0);
    expect((await run(['replay', small])).out).not.toMatch(/^damaged/m);
  });

  it('says that there is no folder for temporary files, and what to set', async () => {
    vi.stubEnv('TMPDIR', join(folder.path, 'nowhere'));
    const { code, out, err } = await run(['replay', small]);
    vi.unstubAllEnvs();
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      /^error: The folder for temporary files, ".*nowhere", cannot be used: ENOENT\.\nfix: Set TMPDIR /,
    );
  });

  it('ends with 1 and one line when a request could not be made', async () => {
    const file = folder.file('giant.json', giantCall(6_000));
    const { code, out } = await run(['replay', file, '--budget', '1k']);
    expect(code).toBe(1);
    expect(out).toMatch(/impossible$/m);
    expect(out.trimEnd().split('\n').at(-1)).toBe('1 request could not be made within the budget.');
  });

  it('is interrupted by its signal and says so', async () => {
    const { code, out, err } = await run(['replay', session], { signal: AbortSignal.abort() });
    expect({ code, out, err }).toEqual({ code: 130, out: '', err: 'interrupted\n' });
  });
});

describe('a wrong use of varve', () => {
  const folderPath = folder.folder('a-folder');
  const hostile = folder.file('a\u001B[31m\nname$(x).jsonl', '');
  const binary = folder.file(
    'binary',
    Uint8Array.from({ length: 4_096 }, (_, index) => (index * 31) % 256),
  );
  const text = folder.file('notes.txt', 'These are notes, and no transcript.\n');
  // arguments · code · part of what is said
  const uses: readonly [argv: readonly string[], code: string, said: string][] = [
    [['replay', folder.file('empty.jsonl', '')], 'VARVE_TRANSCRIPT_EMPTY', 'holds no message'],
    [['replay', folderPath], 'VARVE_TRANSCRIPT_UNREADABLE', 'it is a directory'],
    [['replay', join(folder.path, 'nowhere')], 'VARVE_TRANSCRIPT_UNREADABLE', 'cannot be read'],
    [['replay', binary], 'VARVE_TRANSCRIPT_FORMAT', 'is not a transcript'],
    [['replay', text], 'VARVE_TRANSCRIPT_FORMAT', 'is not a transcript'],
    [['replay', hostile], 'VARVE_TRANSCRIPT_EMPTY', 'holds no message'],
    [['replay', small, '--budget', '0'], 'VARVE_USAGE', '"0" is no budget.'],
    [['replay', small, '--budget', '-5'], 'VARVE_USAGE', 'is no budget.'],
    [['replay', small, '--budget', 'lots'], 'VARVE_USAGE', '"lots" is no budget.'],
    [['replay', small, '--budget', '1'], 'VARVE_BUDGET_IMPOSSIBLE', 'Not one of 8 requests fits'],
    [['replay', small, '--budget', '12'], 'VARVE_BUDGET_IMPOSSIBLE', 'Not one of 8 requests fits'],
    [['replay', small, '--system-tokens', '32k'], 'VARVE_BUDGET_IMPOSSIBLE', 'cannot hold 32000 reserved'],
    [['replay', small, '--item', '2'], 'VARVE_TRANSCRIPT_ITEM', 'no conversation number 2'],
    [['replay', small, '--item', '0'], 'VARVE_USAGE', 'no whole number'],
    [['replay', small, '--gap', 'soon'], 'VARVE_USAGE', 'no span of time'],
    [['replay', small, '--cache-ttl', '2h'], 'VARVE_USAGE', 'no life of a prompt cache'],
    [['replay', small, '--plugins', 'ttl'], 'VARVE_USAGE', 'There is no plugin "ttl".'],
    [['replay', small, '--plugins', 'toString'], 'VARVE_USAGE', 'There is no plugin "toString".'],
    [['replay', small, '--plugins', ''], 'VARVE_USAGE', 'no list of plugins'],
    [['replay', small, '--bodies', small], 'VARVE_USAGE', 'there is a file of that name'],
    [['replay', small, '--bodies', join(small, 'below')], 'VARVE_USAGE', 'there is a file of that name'],
    [['replay', small, '--bodies', ''], 'VARVE_USAGE', '--bodies names no folder'],
    [['replay', small, '--root', small], 'VARVE_USAGE', 'there is a file of that name'],
    [['replay', small, '--budgt', '3'], 'VARVE_USAGE', 'Did you mean --budget?'],
    [['repaly', small], 'VARVE_USAGE', 'Did you mean replay?'],
    [['session'], 'VARVE_USAGE', 'Did you mean sessions?'],
    [['docter'], 'VARVE_USAGE', 'Did you mean doctor?'],
    [['sessions', 'lsit'], 'VARVE_USAGE', 'Did you mean list?'],
    [['replay'], 'VARVE_USAGE', 'Missing required argument'],
  ];

  it.each(uses)('of %j ends with 2 and %s', async (argv, code, said) => {
    const result = await run(argv);
    expect({ code: result.code, out: result.out }).toEqual({ code: 2, out: '' });
    const lines = result.err.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^error: /);
    expect(lines[0]).toContain(said);
    expect(lines[1]).toMatch(/^fix: ./);
    expect(lines[2]).toBe(`code: ${code}`);
    // A name with control characters must not reach the terminal as it is.
    expect(result.err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it.skipIf(!existsSync('/proc/self'))('of a folder in which nothing can be made ends, and says so', async () => {
    for (const option of ['--root', '--bodies']) {
      const { code, out, err } = await run(['replay', small, option, '/proc/nowhere/at/all']);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error: Cannot make the folder "\/proc\/nowhere\/at\/all": E[A-Z]+\.\nfix: /);
    }
  });

  it('shows the stack for VARVE_DEBUG only', async () => {
    const argv = ['replay', join(folder.path, 'nowhere')];
    expect((await run(argv)).err).not.toMatch(/^ +at /m);
    expect((await run(argv, { env: { VARVE_DEBUG: '1' } })).err).toMatch(/^ +at /m);
  });
});

describe('the help of varve', () => {
  it('has examples for each command', async () => {
    const commands = [['replay'], ['explain'], ['doctor'], ['sessions'], ['sessions', 'list'], ['sessions', 'show']];
    for (const argv of [['--help'], ['help', 'replay'], ...commands.map((command) => [...command, '--help'])]) {
      const { code, out, err } = await run(argv);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/Examples:\n {2}varve /);
      expect(out).toMatch(/^Exit codes:/m);
    }
  });

  it('has no line that is too long, but for what is typed', async () => {
    const commands = ['', 'replay', 'explain', 'compare', 'doctor', 'serve', 'sessions', 'sessions maintain'];
    for (const [columns, command] of [80, 120].flatMap((wide) => commands.map((one) => [wide, one] as const))) {
      const terminal = columns === 80 ? {} : { isTTY: true, columns };
      const { out } = await run([...command.split(' ').filter(Boolean), '--help'], terminal);
      const long = out
        .split('\n')
        .filter((line) => line.length > columns && !/^ {2}(varve |A plugin|legacy-)/.test(line));
      expect({ command, long }).toEqual({ command, long: [] });
    }
  });

  it('says its version, and needs a command', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await run([])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Usage: varve') });
  });
});
