import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { jsonLines } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

interface Account {
  readonly read: number;
  readonly messages: number;
  readonly settings: number;
  readonly records: Readonly<Record<string, number>>;
  readonly left: readonly { readonly what: string; readonly count: number; readonly why: string }[];
}

interface Line {
  readonly from: string;
  readonly outcome: string;
  readonly sessionId: string | null;
  readonly key: string | null;
  readonly why: string | null;
  readonly lines?: Account;
}

async function importLines(argv: readonly string[], root: string): Promise<readonly Line[]> {
  const { code, out, err } = await run(['sessions', 'import', ...argv, '--root', root, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('error') });
  return JSON.parse(out).lines;
}

async function textsIn(root: string, session: string): Promise<readonly string[]> {
  const { out } = await run(['sessions', 'tail', session, '--root', root, '--messages', '--lines', '1000', '--json']);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.stringify(JSON.parse(line).message.content));
}

function sumOf({ messages, settings, records, left }: Account): number {
  const all = [...Object.values(records), ...left.map(({ count }) => count)];
  return all.reduce((sum, count) => sum + count, messages + settings);
}

function hashOf(path: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

const times = { timestamp: '2026-03-04T08:00:00.000Z' };
const user = (text: string): object => ({ role: 'user', content: [{ type: 'text', text }] });
const called = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } };
const call = { role: 'assistant', content: [called], provider: 'fake', model: 'fake-1', stopReason: 'toolUse' };
const result = { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'found' }] };

/** The same conversation as each version keeps it, with a blank line and one that nobody can read. */
function session(version: 1 | 2 | 3 | 4, id = 'made-up'): string {
  const name = version === 3 ? 'custom' : 'hookMessage';
  const header = version === 1 ? { provider: 'fake', modelId: 'fake-1', thinkingLevel: 'high' } : { version };
  const entries: readonly object[] = [
    { type: 'message', message: user('Where?') },
    { type: 'message', message: call },
    { type: 'message', message: result },
    { type: 'message', message: { role: name, customType: 'acme', content: 'A hook says so.', display: true } },
    { type: 'thinking_level_change', thinkingLevel: 'low' },
    { type: 'custom', customType: 'acme', data: { a: 1 } },
    { type: 'custom', customType: 'large', data: { a: 'x'.repeat(5_000) } },
    {
      type: 'compaction',
      summary: 'They looked.',
      tokensBefore: 10,
      ...(version === 1 ? { firstKeptEntryIndex: 2 } : { firstKeptEntryId: '2' }),
    },
    { type: 'message', message: user('And then?') },
  ];
  const tree = (entry: object, at: number): object =>
    version === 1 ? entry : { ...entry, id: String(at), parentId: at === 0 ? null : String(at - 1) };
  const lines = entries.map((entry, at) => ({ ...tree(entry, at), ...times }));
  return `${jsonLines([{ type: 'session', id, cwd: '/', ...header, ...times }, ...lines])}\n{"type":"mess`;
}

describe('a conversation that was exported in the form of OpenClaw', () => {
  it('is there once, however often it is imported, and whatever the file is called', async () => {
    const root = join(folder.path, 'exported-twice');
    const lines = [
      { type: 'session', version: 3, id: 'aa11', cwd: '/', ...times },
      { type: 'message', id: 'm1', parentId: null, message: user('Hello?'), ...times },
    ];
    const [first] = await importLines([folder.file('one.jsonl', jsonLines(lines)), '--key', 'agent:main:main'], root);
    expect(first).toMatchObject({ outcome: 'imported' });
    const exported = await run(['sessions', 'export', 'agent:main:main', '--format', 'openclaw', '--root', root]);
    const [copy] = await importLines([folder.file('copy.jsonl', exported.out)], root);
    const again = await importLines([folder.file('copy-again.jsonl', exported.out)], root);
    expect(again).toMatchObject([{ outcome: 'skipped', sessionId: copy?.sessionId, why: 'it is there already' }]);
    const { out } = await run(['sessions', 'list', '--root', root, '--json']);
    expect(JSON.parse(out).sessions).toHaveLength(copy?.sessionId === first?.sessionId ? 1 : 2);
  });
});

describe('the import of a session of pi or OpenClaw', () => {
  it.each([1, 2, 3, 4] as const)('accounts for every line of version %i', async (version) => {
    const root = join(folder.path, `version-${version}`);
    const file = folder.file(`version-${version}.jsonl`, session(version));
    const [line] = await importLines([file, '--id', 'one', '--key', 'agent:main:main'], root);
    const { lines } = line ?? {};
    if (lines === undefined) throw new Error('there is no account');
    // Ten entries and a header; the blank line is none.
    expect(lines.read).toBe(11);
    expect(sumOf(lines)).toBe(lines.read);
    expect(lines).toMatchObject({ messages: 5, records: { custom: 1, compaction: 1 } });
    // The header of version 1 says which model it began with; that of version 4 may say what is not known.
    expect(lines.settings).toBe(version === 1 ? 2 : 1);
    const left = Object.fromEntries(lines.left.map(({ what, count }) => [what, count]));
    const header = version === 2 || version === 3 ? { header: 1 } : {};
    expect(left).toEqual({ custom: 1, 'damaged line': 1, ...header });
    for (const { why } of lines.left) expect(why).toMatch(/^[a-z]/);
    const texts = await textsIn(root, 'one');
    expect(texts).toHaveLength(5);
    expect(texts.join()).toContain('A hook says so.');
    const { out } = await run(['sessions', 'import', file, '--root', join(folder.path, `text-${version}`)]);
    expect(out).toContain('11 lines read: 5 × message, ');
    expect(out).toContain('1 × damaged line (left out: it cannot be read; the journal says where it stood)');
  });

  it('tells of every file of a store, and why nothing was made of it', async () => {
    const state = folder.folder('openclaw-state');
    for (const agent of ['main', 'helper']) {
      const sessions = folder.folder(`openclaw-state/agents/${agent}/sessions`);
      const id = `aaaaaaaa-0000-4000-8000-00000000000${agent.length}`;
      writeFileSync(join(sessions, 'sessions.json'), JSON.stringify({ [`agent:${agent}:main`]: { sessionId: id } }));
      writeFileSync(join(sessions, `${id}.jsonl`), session(3, id));
    }
    const sessions = join(state, 'agents', 'main', 'sessions');
    writeFileSync(join(sessions, 'old.jsonl.reset.2026-03-04T08-00-00.000Z'), session(3));
    writeFileSync(join(sessions, 'orphan.jsonl'), session(3));
    writeFileSync(join(sessions, 'notes.txt'), 'notes');
    const before = hashOf(state);
    const root = join(folder.path, 'whole-state');
    const planned = await importLines([state, '--dry-run'], root);
    const lines = await importLines([state], root);
    expect(hashOf(state)).toBe(before);
    expect(lines.map(({ outcome, key, why }) => [outcome, key, why])).toEqual([
      ['imported', 'agent:helper:main', null],
      ['imported', 'agent:main:main', null],
      ['skipped', null, 'it is no transcript'],
      ['skipped', null, expect.stringContaining('it was put away, and nothing says of which conversation')],
      ['skipped', null, expect.stringContaining('no entry of the index names it')],
    ]);
    for (const [at, { lines: account }] of lines.entries()) expect(planned[at]?.lines).toEqual(account);
    const reset = join(sessions, 'old.jsonl.reset.2026-03-04T08-00-00.000Z');
    const [old] = await importLines([reset, '--key', 'agent:main:main'], root);
    const { out } = await run(['sessions', 'show', old?.sessionId ?? '', '--root', root, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      generation: 'earlier',
      record: { state: 'archived', key: 'agent:main:main' },
    });
  });

  it('brings in the conversations of two agents whose sessions have one id', async () => {
    const state = folder.folder('one-id');
    const id = 'aaaaaaaa-0000-4000-8000-000000000009';
    for (const agent of ['main', 'work']) {
      const sessions = folder.folder(`one-id/agents/${agent}/sessions`);
      writeFileSync(join(sessions, 'sessions.json'), JSON.stringify({ [`agent:${agent}:main`]: { sessionId: id } }));
      writeFileSync(join(sessions, `${id}.jsonl`), session(3, id).replace('Where?', `Where, ${agent}?`));
    }
    const root = join(folder.path, 'from-one-id');
    const lines = await importLines([state], root);
    expect(lines.map(({ outcome }) => outcome)).toEqual(['imported', 'imported']);
    for (const agent of ['main', 'work'])
      expect((await textsIn(root, `agent:${agent}:main`)).join()).toContain(`Where, ${agent}?`);
    const again = await importLines([state], root);
    expect(again.map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual(
      lines.map(({ sessionId }) => ['skipped', sessionId]),
    );
  });

  it('fails where another conversation has the id that is asked for', async () => {
    const root = join(folder.path, 'asked-id');
    const file = folder.file('asked-id.jsonl', session(3));
    await importLines([file, '--id', 'one', '--key', 'agent:main:main'], root);
    const argv = ['sessions', 'import', file, '--id', 'one', '--key', 'agent:main:direct:other', '--root', root];
    const { code, out } = await run(argv);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('is that of another conversation') });
  });
});

/** What is used of Node's own SQLite, which not every Node has. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: readonly unknown[]): void };
    close(): void;
  };
}

async function sqlite(): Promise<Sqlite | null> {
  const name = 'node:sqlite';
  return import(name).then((found) => found as Sqlite).catch(() => null);
}

describe('the import of a database of OpenClaw', () => {
  it('says which Node can read it, where this one cannot', async (context) => {
    if ((await sqlite()) !== null) context.skip('this Node can read it');
    const agent = folder.folder('unread/agents/main/agent');
    writeFileSync(join(agent, 'openclaw-agent.sqlite'), 'SQLite format 3');
    const root = join(folder.path, 'nothing');
    const { code, err } = await run(['sessions', 'import', join(folder.path, 'unread'), '--root', root]);
    expect(code).toBe(2);
    expect(err).toContain('which this Node cannot read');
    expect(err).toContain('node@24');
  });

  it('brings in each conversation, and what was said before a reset as an earlier generation', async (context) => {
    const { DatabaseSync } = (await sqlite()) ?? {};
    if (DatabaseSync === undefined) return context.skip('this Node has no SQLite');
    const agent = folder.folder('database/agents/main/agent');
    const database = new DatabaseSync(join(agent, 'openclaw-agent.sqlite'));
    database.exec(`
      CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, entry_json TEXT);
      CREATE TABLE session_windows (session_id TEXT, session_key TEXT, created_at INTEGER);
      CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);
    `);
    const id = 'aaaaaaaa-0000-4000-8000-000000000001';
    const entry = JSON.stringify({ sessionId: id, displayName: 'Work' });
    database.prepare('INSERT INTO session_nodes VALUES (?, ?, ?)').run('agent:main:work', id, entry);
    database.prepare('INSERT INTO session_windows VALUES (?, ?, ?)').run(id, 'agent:main:work', 1);
    const events = [
      { type: 'session', version: 4, id, cwd: '/' },
      { type: 'message', id: 'a', parentId: null, message: user('Before.') },
      { type: 'reset', id: 'b', parentId: 'a', reason: 'new' },
      { type: 'message', id: 'c', parentId: 'b', message: user('After.') },
    ];
    for (const [seq, event] of events.entries()) {
      const line = JSON.stringify({ ...event, ...times });
      database.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, NULL)').run(id, seq, line);
    }
    database.close();
    const before = hashOf(join(folder.path, 'database'));
    const root = join(folder.path, 'from-database');
    const lines = await importLines([join(folder.path, 'database')], root);
    expect(hashOf(join(folder.path, 'database'))).toBe(before);
    expect(lines.map(({ outcome, key }) => [outcome, key])).toEqual([
      ['imported', 'agent:main:work'],
      ['imported', 'agent:main:work'],
    ]);
    expect(lines.reduce((sum, { lines: account }) => sum + (account?.read ?? 0), 0)).toBe(events.length);
    expect(lines[0]?.sessionId).toBe(id);
    expect((await textsIn(root, 'agent:main:work')).join()).toBe('[{"type":"text","text":"After."}]');
    const { out } = await run(['sessions', 'show', lines[1]?.sessionId ?? '', '--root', root, '--json']);
    expect(JSON.parse(out)).toMatchObject({ generation: 'earlier', record: { state: 'archived' } });
    const again = await importLines([join(folder.path, 'database')], root);
    expect(again.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
  });
});
