import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, definePlugin } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { openAiConversations, piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const session = folder.file('session.jsonl', piSession({ tasks: 12 }));
const flags = ['--budget', '4k', '--plugins', 'summary-compaction'];
const root = join(folder.path, 'journals');

async function json(argv: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { code, out, err } = await run([...argv, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('varve explain', () => {
  it('gives one verdict for every message of a request', async () => {
    const explanation = await json(['explain', session, ...flags]);
    expect(explanation).toMatchObject({ session: 'session', request: 48, budget: 4_000 });
    expect(explanation.entries).toHaveLength(95);
    const kinds = explanation.totals.map((total: { verdict: string }) => total.verdict);
    expect(kinds).toEqual(expect.arrayContaining(['kept', 'summarised']));
    const entries = explanation.totals.reduce((sum: number, total: { entries: number }) => sum + total.entries, 0);
    expect(entries).toBe(95);
  });

  it('prints ranges where the verdict repeats, and single lines with --all', async () => {
    const { out } = await run(['explain', session, ...flags]);
    expect(out).toMatch(/^Request 48: [\d,]+ of 4,000 tokens for anthropic\/claude-sonnet-4-5/m);
    expect(out).toMatch(/^layers: summary [\d,]+ tokens$/m);
    expect(out).toMatch(/^#1–#\d+ +\d+ msgs +[\d,]+ summarised by #\d+ +\d+ user, \d/m);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/summarised \d+ messages \([\d,]+ tokens\)/);
    const wide = await run(['explain', session, ...flags], { isTTY: true, columns: 110, env: { NO_COLOR: '1' } });
    expect(wide.out.split('\n').filter((line) => /^#/.test(line) && line.length > 110)).toEqual([]);
    expect(out).toContain('Numbers missing in between are entries that are no messages');
    const roomy = await run(['explain', session, ...flags], { isTTY: true, columns: 130, env: { NO_COLOR: '1' } });
    expect(roomy.out).toMatch(/^#1–#\d+ .* line:\d+–line:\d+ /m);
    const all = await run(['explain', session, ...flags, '--all']);
    expect(all.out.split('\n').filter((line) => /^#\d+ /.test(line))).toHaveLength(95);
  });

  it('explains a conversation of the store, also one that was imported and of which no prompt was made', async () => {
    const env = { VARVE_HOME: join(folder.path, 'home') };
    const imported = await run(['sessions', 'import', session, '--key', 'agent:main:main', '--json'], { env });
    expect(imported).toMatchObject({ code: 0 });
    const [{ sessionId }] = JSON.parse(imported.out).lines;
    const { code, out, err } = await run(['explain', sessionId], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^No request was made yet; the first one: [\d,]+ tokens for any model$/m);
    expect(out).toMatch(/^#2.*kept/m);
    const one = await run(['explain', 'agent:main:main', '--entry', '2', '--json'], { env });
    expect(JSON.parse(one.out).entries).toMatchObject([{ seq: 2, role: 'user', verdict: { kind: 'kept' } }]);
    const record = await run(['explain', 'agent:main:main', '--entry', '1'], { env });
    expect(record.err).toContain('Entry #1 is no message: its type is transcripts:importing.');
    const none = await run(['explain', 'agent:main:other'], { env });
    expect(none.err).toContain('There is no session "agent:main:other"');
  });

  it('explains the request and the entry that are asked for', async () => {
    const { request, entries } = await json(['explain', session, '--request', '3', '--entry', '1']);
    expect(request).toBe(3);
    expect(entries).toMatchObject([{ seq: 1, role: 'user', verdict: { kind: 'kept' } }]);
    expect(entries[0].key).toMatch(/^line:\d+$/);
    expect((await run(['explain', session, '--entry', '1'])).out).toContain(` ${entries[0].key} `);
    expect(entries[0].preview).toMatch(/^Task 1: look into/);
  });

  it('shows notes beside layers, and who recalled an entry beside its verdict', async () => {
    const noting = definePlugin({
      name: 'recall',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: { '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) } },
      apply: ({ hooks }) =>
        hooks.shape.tapPromise('note', (draft) =>
          draft.addNote({ id: `now-${draft.items.length}`, items: [{ text: 'It was clay.', seqs: [1] }] }, 'clay'),
        ),
    });
    const noted = join(folder.path, 'noted');
    await using store = jsonlStore({ root: noted });
    await using host = await createHost({ store, plugins: [noting()] });
    const open = await host.open('noted');
    const model = { provider: 'p', model: 'm' };
    for (const content of ['What was it?', 'Again?']) await open.ingest({ role: 'user', content });
    await open.assemble({ model });
    const several = await host.open('several');
    for (const content of ['What was it?', 'Again?', 'Once more?']) {
      await several.ingest({ role: 'user', content });
      await several.assemble({ model });
    }
    await host.close();
    const { out } = await run(['explain', 'noted', '--root', noted]);
    expect(out).toMatch(/^notes: recall:now-2 behind #2 \d+ tokens$/m);
    expect(out).toMatch(/^#1 +user +\d+ kept, recalled by recall +What was it\?$/m);
    expect(out).toMatch(/^#2 +user +\d+ kept +Again\?$/m);
    const sum = await run(['explain', 'several', '--root', noted]);
    expect(sum.out).toMatch(/^notes: 3 notes of recall, \d+ tokens; --all lists them$/m);
    const listed = await run(['explain', 'several', '--root', noted, '--all']);
    expect(listed.out.match(/^notes: recall:now-\d behind #\d \d+ tokens$/gm)).toHaveLength(3);
    const explanation = await json(['explain', 'noted', '--root', noted]);
    expect(explanation).toMatchObject({ notes: [{ id: 'now-2', by: 'recall', afterSeq: 2, seqs: [1] }] });
    expect(explanation.entries[0]).toMatchObject({ verdict: { kind: 'kept' }, recalledBy: ['recall'] });
  });

  it('reads a journal that was kept, and changes nothing in it', async () => {
    await run(['replay', session, ...flags, '--root', root]);
    const path = join(root, 'agents', 'main', 'sessions', 'session.jsonl');
    const before = readFileSync(path);
    const fresh = await json(['explain', session, ...flags]);
    for (const argv of [['session'], [session], ['--session', 'session']]) {
      const kept = await json(['explain', ...argv, '--root', root]);
      expect(kept.entries).toEqual(fresh.entries);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(join(root, 'agents', 'main', 'sessions'))).toEqual(['session.jsonl']);
  });

  it('explains one conversation of several', async () => {
    const file = folder.file('several.jsonl', openAiConversations(3));
    expect(await json(['explain', file, '--item', '2'])).toMatchObject({ session: 'several.2', request: 2 });
    const first = await run(['explain', file]);
    expect(first.out).toMatch(/^The first of 3 conversations; --item <number> shows another\.\n/);
    await run(['replay', file, '--root', root]);
    expect(await json(['explain', file, '--item', '3', '--root', root])).toMatchObject({ session: 'several.3' });
  });

  it('compares two requests', async () => {
    const replay = await json(['replay', session, ...flags]);
    const turn: number = replay.compactions[0].turn;
    const diff = await json(['explain', session, ...flags, '--diff', `${turn},${turn - 1}`]);
    expect(diff).toMatchObject({ earlier: turn - 1, later: turn, arrived: 2 });
    expect(diff.entries.length).toBeGreaterThan(0);
    expect(diff.entries[0]).toMatchObject({ seq: 1, earlier: { kind: 'kept' }, later: { kind: 'summarised' } });
    expect(diff.layers).toMatchObject([{ id: 'summary', earlier: 0 }]);
    expect(diff.firstChangedByte).toEqual(expect.any(Number));
    const { out } = await run(['explain', session, ...flags, '--diff', `${turn - 1},${turn}`]);
    expect(out).toMatch(/^layer summary: 0 → \d+ tokens$/m);
    expect(out).toMatch(new RegExp(`^entry +role +request ${turn - 1} +request ${turn} +begins$`, 'm'));
    const kept = join(folder.path, 'compared');
    await run(['replay', session, ...flags, '--root', kept]);
    const bytes: number[] = [];
    for (let request = 2; request <= 48; request += 1) {
      const { firstChangedByte } = await json(['explain', 'session', '--root', kept, '--request', `${request}`]);
      bytes.push(firstChangedByte ?? Infinity);
    }
    const least = Math.min(...bytes);
    const wide = await json(['explain', 'session', '--root', kept, '--diff', '1,48']);
    expect(wide.firstChange).toEqual({ request: bytes.indexOf(least) + 2, byte: least });
    const { out: wideText } = await run(['explain', 'session', '--root', kept, '--diff', '1,48']);
    expect(wideText).toContain('smallest first changed byte in requests 2 to 48, each against the one before: ');
    const calm = await run(['explain', session, '--diff', '1,2']);
    expect(calm.out).toContain('2 messages arrived, 0 verdicts changed');
    expect(calm.out).toContain('first byte of request 2 that differs from request 1: none: it only grew');
  });

  // arguments · code · part of what is said
  const wrong: readonly [argv: readonly string[], code: string, said: string][] = [
    [[], 'VARVE_USAGE', 'nothing to explain'],
    [['--root', join(folder.path, 'nowhere')], 'VARVE_USAGE', 'There is no session in'],
    [['--root', root], 'VARVE_USAGE', 'those that are there: "session"'],
    [['unheard-of', '--root', root], 'VARVE_STORE_MISSING', 'sessions that are there: "session"'],
    [[session, '--session', 'session'], 'VARVE_USAGE', '--session names a session'],
    [['unheard-of', '--root', root], 'VARVE_STORE_MISSING', 'no journal of session "unheard-of"'],
    [['session', '--root', join(folder.path, 'nowhere')], 'VARVE_STORE_MISSING', 'no journal'],
    [
      ['session', '--root', root, '--entry', '2'],
      'VARVE_ENTRY_UNKNOWN',
      'Entry #2 is no message: its type is request.',
    ],
    [['session', '--root', root, '--entry', '99999'], 'VARVE_ENTRY_UNKNOWN', 'no entry #99999'],
    [[session, '--request', '999'], 'VARVE_ENTRY_UNKNOWN', 'no request 999'],
    [[session, '--entry', '9999'], 'VARVE_ENTRY_UNKNOWN', 'entry #9999'],
    [[session, '--request', 'x'], 'VARVE_USAGE', 'no whole number'],
    [[session, '--diff', '3'], 'VARVE_USAGE', 'does not name two requests'],
    [[session, '--diff', '3,999'], 'VARVE_ENTRY_UNKNOWN', 'no request 999'],
  ];

  it.each(wrong)('ends %j with 2 and %s', async (argv, code, said) => {
    const result = await run(['explain', ...argv]);
    expect({ code: result.code, out: result.out }).toEqual({ code: 2, out: '' });
    expect(result.err).toContain(said);
    expect(result.err).toContain(`code: ${code}`);
  });
});
