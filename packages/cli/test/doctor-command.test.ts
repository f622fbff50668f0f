import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { foreignJournal, request, userMessage } from './foreign-journal.ts';
import { piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => `${name} ${readFileSync(join(parentPath, name), 'latin1')}`).sort();
}

function breaker(data: object): object {
  return { type: 'core:compaction-breaker', data: { failures: 0, lowYields: 0, lastSeq: 2, why: '', ...data } };
}

describe('varve doctor', () => {
  it('finds nothing to fear where there is no store yet, and makes none', async () => {
    const root = join(folder.path, 'nowhere');
    const { code, out, err } = await run(['doctor', '--root', root]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('There is no store in');
    expect(out.trimEnd().split('\n').at(-1)).toMatch(
      /^looked at 0 sessions, 0 lines, 0 bytes in .*: 0 errors, 0 warnings, 1 note$/,
    );
    expect(existsSync(root)).toBe(false);
    const home = await run(['doctor', '--json'], { env: { VARVE_HOME: root } });
    expect(JSON.parse(home.out)).toMatchObject({ root, findings: [{ level: 'note' }], counts: { error: 0, note: 1 } });
  });

  it('reads a whole store without changing it, and says how much that was', async () => {
    const root = join(folder.path, 'healthy');
    const file = folder.file('healthy.jsonl', piSession({ tasks: 3 }));
    await run(['replay', file, '--root', root]);
    const before = filesBelow(root);
    const { code, out } = await run(['doctor', '--root', root, '--json']);
    expect(code).toBe(0);
    const { findings, looked, counts } = JSON.parse(out);
    expect(findings).toEqual([]);
    expect(counts).toEqual({ error: 0, warning: 0, note: 0 });
    expect(looked.sessions).toBe(1);
    expect(looked.entries).toBeGreaterThan(24);
    expect(looked.bytes).toBeGreaterThan(10_000);
    expect(filesBelow(root)).toEqual(before);
  });

  // what the record says · how many entries follow · what is found
  it.each<[data: object, later: number, level: string | null, said: string]>([
    [{ failures: 3, why: 'the model is gone' }, 0, 'error', 'The last 3 compactions failed: the model is gone.'],
    [{ failures: 3, why: 'the model is gone' }, 60, 'warning', 'The last 3 compactions failed'],
    [{ failures: 1, why: 'no luck' }, 0, 'warning', 'The last compaction failed: no luck.'],
    [{ lowYields: 2 }, 0, 'error', 'freed less than a tenth'],
    [{ lowYields: 2 }, 60, null, ''],
    [{ failures: 0 }, 0, null, ''],
    [{ failures: 'many' }, 0, null, ''],
  ])('says of a session whose compactions ended as %j, %i entries ago: %s', async (data, later, level, said) => {
    const root = join(folder.path, `breaker-${JSON.stringify(data).length}-${later}-${level}`);
    const more = Array.from({ length: later }, (_, index) => userMessage(`more ${index}`));
    foreignJournal(root, { sessionId: 'one', entries: [userMessage('one'), request(), breaker(data), ...more] });
    const { code, out } = await run(['doctor', '--root', root, '--json']);
    const { findings: all } = JSON.parse(out);
    const findings = all.filter((finding: { code: string }) => finding.code.startsWith('compaction'));
    expect(code).toBe(level === 'error' ? 1 : 0);
    if (level === null) expect(findings).toEqual([]);
    else {
      expect(findings).toHaveLength(1);
      expect(findings[0]).toMatchObject({ level, sessionId: 'one', text: expect.stringContaining(said) });
      expect(findings[0].fix).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('groups what it found by session, with the fix of each, in colours on a terminal only', async () => {
    const root = join(folder.path, 'grouped');
    for (const sessionId of ['one', 'two']) {
      const entries = [userMessage('one'), request(), breaker({ failures: 3, why: 'no model' }), { type: 'other' }];
      foreignJournal(root, { sessionId, entries });
    }
    const { code, out } = await run(['doctor', '--root', root]);
    expect(code).toBe(1);
    expect(out).not.toContain('\u001B');
    expect(out).toMatch(/^session one\n {2}error +The last 3 [^\n]*\n[^\n]*\n {10}fix: [^\n]*\n {2}error /m);
    expect(out.match(/^session two$/gm)).toHaveLength(1);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(
      /^looked at 2 sessions, 8 lines, .*: 4 errors, 1 warning, 0 notes$/,
    );
    const coloured = await run(['doctor', '--root', root], { isTTY: true });
    expect(coloured.out).toContain('\u001B[');
    expect(stripVTControlCharacters(coloured.out)).toBe(out);
    const plain = await run(['doctor', '--root', root], { isTTY: true, env: { NO_COLOR: '1' } });
    expect(plain.out).toBe(out);
  });

  it('finds damage in a journal', async () => {
    const root = join(folder.path, 'damaged');
    const file = foreignJournal(root, { sessionId: 'one', entries: [userMessage('one'), request()] });
    appendFileSync(file, '{"v":1,"id":"torn');
    const { out } = await run(['doctor', '--root', root, '--json']);
    expect(JSON.parse(out).findings).toContainEqual(expect.objectContaining({ sessionId: 'one', file }));
  });

  it('says that a root is none, and that a plugin does not load', async () => {
    const file = folder.file('a-file', '');
    const root = await run(['doctor', '--root', file, '--json']);
    expect(root.code).toBe(1);
    expect(JSON.parse(root.out).findings).toMatchObject([{ level: 'error', code: 'root-unusable', file }]);
    const plugin = await run(['doctor', '--root', join(folder.path, 'nowhere'), '--plugins', 'unheard-of', '--json']);
    expect(plugin.code).toBe(1);
    expect(JSON.parse(plugin.out).findings[0]).toMatchObject({ level: 'error', code: 'plugins-refused' });
    const twice = ['--plugins', 'ttl-pruning,ttl-pruning'];
    expect((await run(['doctor', '--root', join(folder.path, 'nowhere'), ...twice])).out).toContain('error');
  });

  it('looks into every agent’s folder, and passes over what is no journal', async () => {
    const root = join(folder.path, 'agents');
    foreignJournal(root, { sessionId: 'one', entries: [userMessage('one')] });
    foreignJournal(join(root, 'agents', 'main', 'sessions'), { sessionId: 'elsewhere', entries: [userMessage('no')] });
    mkdirSync(join(root, 'agents', 'empty'), { mode: 0o700 });
    const { code, out } = await run(['doctor', '--root', root, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).looked).toMatchObject({ sessions: 1, entries: 1 });
  });

  it('is interrupted by its signal', async () => {
    const root = join(folder.path, 'interrupted');
    foreignJournal(root, { sessionId: 'one', entries: [userMessage('one')] });
    const { code, out, err } = await run(['doctor', '--root', root], { signal: AbortSignal.abort() });
    expect({ code, out, err }).toEqual({ code: 130, out: '', err: 'interrupted\n' });
  });
});
