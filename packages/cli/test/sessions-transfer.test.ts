import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, type Message } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { jsonLines, openAiConversations, piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const source = join(folder.path, 'source');
const key = 'agent:main:telegram:direct:123';
const hostile = 'Colours: \u001b[31mred\u001b[0m, 港口, \u202eback\u202c.';

async function json(argv: readonly string[], root: string, code = 0): Promise<ReturnType<typeof JSON.parse>> {
  const result = await run(['sessions', ...argv, '--root', root, '--json']);
  expect({ code: result.code, err: result.err }).toEqual({ code, err: '' });
  return JSON.parse(result.out);
}

/** Messages of a session, as their roles and what they say. */
async function messagesIn(root: string, name: string): Promise<readonly Message[]> {
  const { out } = await run(['sessions', 'tail', name, '--root', root, '--messages', '--lines', '1000', '--json']);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).message);
}

/** Says something in a session, so that it is no longer the beginning of another one. */
async function goOn(root: string, sessionId: string): Promise<void> {
  await using store = jsonlStore({ root, durability: 'os' });
  await using host = await createHost({ store, clock: manualClock(Date.UTC(2026, 2, 5)) });
  await (await host.open(sessionId)).ingest({ role: 'user', content: 'Something else.' });
}

function firstLines(file: string, count: number): string {
  return `${readFileSync(file, 'utf8').split('\n').slice(0, count).join('\n')}\n`;
}

/** A conversation with everything: a tool, an answer that was rewound, a compaction, settings. */
async function talk(): Promise<void> {
  await using store = jsonlStore({ root: source, durability: 'os' });
  const clock = manualClock(Date.UTC(2026, 2, 4, 8));
  await using host = await createHost({ store, clock });
  await using sessions = createSessions({ host });
  const names = { label: 'Work', displayName: 'Ada', identity: 'ada' };
  await sessions.use(
    key,
    async (session) => {
      await session.set('model', 'anthropic/claude-sonnet-4-5');
      const task = await session.ingest({ role: 'user', content: hostile });
      await session.ingest({ role: 'assistant', content: 'A wrong answer.' });
      await session.moveHead(task.id, { reason: 'rewind' });
      const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a.ts' } } as const;
      await session.ingest({ role: 'assistant', content: [{ type: 'text', text: 'I look.' }, call] });
      const output = { type: 'json', value: { lines: 3 } } as const;
      const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output } as const;
      await session.ingest({ role: 'tool', content: [result] });
      for (let turn = 0; turn < 10; turn += 1) {
        clock.advance(1_000);
        await session.ingest({ role: 'user', content: `Question ${turn}: ${'clay '.repeat(300)}` });
        await session.ingest({ role: 'assistant', content: `Answer ${turn}.` });
      }
    },
    names,
  );
}

describe('varve sessions export and import', async () => {
  await talk();
  const exported = join(folder.path, 'whole.jsonl');
  await run(['sessions', 'compact', key, '--root', source, '--budget', '3k']);
  await run(['sessions', 'export', key, '--root', source, '--out', exported]);
  const { record } = await json(['show', key], source);

  it('brings a whole journal from one store into another, entry by entry', async () => {
    const root = join(folder.path, 'whole');
    expect(await json(['import', exported, '--dry-run'], root)).toMatchObject({
      isDryRun: true,
      lines: [{ outcome: 'planned', key, messages: 24 }],
    });
    expect(readdirSync(folder.path)).not.toContain('whole');
    const { lines } = await json(['import', exported], root);
    expect(lines).toMatchObject([{ outcome: 'imported', sessionId: record.sessionId, key, messages: 24 }]);
    const { out: again } = await run(['sessions', 'export', key, '--root', root]);
    expect(again.split('\n').slice(1)).toEqual(readFileSync(exported, 'utf8').split('\n').slice(1));
    const shown = await json(['show', key], root);
    expect(shown).toMatchObject({
      generation: 'current',
      record: { label: 'Work', displayName: 'Ada', identity: 'ada', counters: record.counters },
      settings: { model: 'anthropic/claude-sonnet-4-5' },
      lastCompaction: { trigger: 'manual' },
      health: { ok: true },
    });
    const { code } = await run(['doctor', '--root', root]);
    expect(code).toBe(0);
  });

  it('gives a journal another id where its own is taken, and leaves the conversation to the one that goes on', async () => {
    const root = join(folder.path, 'other');
    const shorter = folder.file('shorter.jsonl', firstLines(exported, 9));
    await json(['import', shorter], root);
    await goOn(root, record.sessionId);
    const { lines } = await json(['import', exported], root);
    expect(lines[0].sessionId).not.toBe(record.sessionId);
    expect(lines[0].why).toBe(`there is a session ${record.sessionId} already`);
    expect((await json(['show', key], root)).record.sessionId).toBe(record.sessionId);
    expect(await json(['show', lines[0].sessionId], root)).toMatchObject({
      generation: 'earlier',
      record: { state: 'archived' },
    });
    const again = await json(['import', exported], root);
    expect(again.lines).toMatchObject([{ outcome: 'skipped', sessionId: lines[0].sessionId }]);
  });

  it.each([1, 2, 9])('goes on with a journal whose import was cut short behind line %i', async (count) => {
    const root = join(folder.path, `cut-journal-${count}`);
    await json(['import', exported], root);
    const agent = join(root, 'agents', 'main');
    const [name = ''] = readdirSync(join(agent, 'sessions'));
    const stored = join(agent, 'sessions', name);
    writeFileSync(stored, firstLines(stored, count));
    rmSync(join(agent, 'sessions.jsonl'));
    const { lines } = await json(['import', exported], root);
    expect(lines).toMatchObject([{ outcome: 'imported', sessionId: record.sessionId, messages: 24, why: null }]);
    const { out } = await run(['sessions', 'export', key, '--root', root]);
    expect(out.split('\n').slice(1)).toEqual(readFileSync(exported, 'utf8').split('\n').slice(1));
    expect(readdirSync(join(agent, 'sessions')).filter((one) => one.endsWith('.jsonl'))).toEqual([name]);
  });

  it('counts the time in the archive from the import, not from what was said', async () => {
    const root = join(folder.path, 'kept');
    await json(['import', folder.file('short.jsonl', firstLines(exported, 9))], root);
    await goOn(root, record.sessionId);
    const { lines } = await json(['import', exported], root);
    const old = folder.file('old.jsonl', piSession({ tasks: 1 }));
    const other = await json(['import', old, '--key', key], root);
    const argv = ['maintain', '--delete-archived-after', '30d', '--apply'];
    await run(['sessions', ...argv, '--root', root]);
    for (const { sessionId } of [...lines, ...other.lines]) {
      expect(await json(['show', sessionId], root)).toMatchObject({ record: { state: 'archived' } });
    }
  });

  it('comes into the archive where the conversation was put away, so that what was forbidden stays so', async () => {
    const root = join(folder.path, 'put-away');
    const muted = ['chat', key, '--root', root, '--config', 'none'];
    await run(muted, { stdin: '/send off\n' });
    await run(['sessions', 'archive', key, '--root', root]);
    const { lines } = await json(['import', exported], root);
    expect(await json(['show', lines[0].sessionId], root)).toMatchObject({ record: { state: 'archived' } });
    expect((await run(muted, { stdin: 'hello\n' })).out).toContain('Not sent');
  });

  it('leaves a journal alone that is there already, also where it has gone on', async () => {
    const root = join(folder.path, 'twice');
    await json(['import', exported], root);
    const same = { outcome: 'skipped', sessionId: record.sessionId, key, why: 'it is there already' };
    for (const argv of [
      ['import', exported],
      ['import', exported, '--dry-run'],
    ]) {
      expect((await json(argv, root)).lines).toMatchObject([same]);
    }
    await json(['undo', key], root);
    expect((await json(['import', exported], root)).lines).toMatchObject([same]);
    expect((await json(['list'], root)).sessions).toHaveLength(1);
    const { lines } = await json(['import', exported, '--key', 'agent:main:direct:copy'], root);
    expect(lines).toMatchObject([{ outcome: 'imported', key: 'agent:main:direct:copy' }]);
  });

  it('brings in the file of a store, too', async () => {
    const folderOf = join(source, 'agents', 'main', 'sessions');
    const [file = ''] = readdirSync(folderOf).filter((name) => name.endsWith('.jsonl'));
    const root = join(folder.path, 'raw');
    const { lines } = await json(['import', join(folderOf, file)], root);
    expect(lines).toMatchObject([{ outcome: 'imported', sessionId: record.sessionId, messages: 24 }]);
    expect((await json(['show', key], root)).record.counters).toEqual(record.counters);
  });

  it.each<readonly [format: string, read: string]>([
    ['flat', 'flat-lines'],
    ['openclaw', 'pi'],
  ])('writes a conversation as %s, and reads the same messages back', async (format, read) => {
    const file = join(folder.path, `as-${format}.jsonl`);
    const said = await json(['export', key, '--format', format, '--out', file], source);
    expect(said).toMatchObject({ format, out: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const root = join(folder.path, format);
    const { lines } = await json(['import', file, '--key', key], root);
    expect(lines).toMatchObject([{ outcome: 'imported', key, refused: 0 }]);
    expect(JSON.parse((await run(['replay', file, '--json'])).out).format).toBe(read);
    const messages = await messagesIn(root, key);
    const text = JSON.stringify(messages);
    expect(text).toContain(JSON.stringify(hostile).slice(1, -1));
    expect(text).not.toContain('A wrong answer.');
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(11);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(text).toContain('"toolName":"read","input":{"path":"a.ts"}');
    const times = (await run(['sessions', 'tail', key, '--root', root, '--lines', '1'])).out;
    expect(times).toContain('2026-03-04 08:00');
  });

  it('prints nothing that a terminal obeys', async () => {
    for (const format of ['varve', 'flat', 'openclaw', 'store.json', 'sessions.json']) {
      const named = format.endsWith('.json') ? [] : [key];
      const { out } = await run(['sessions', 'export', ...named, '--root', source, '--format', format]);
      expect(out).not.toMatch(/[\u202e\u202c]/);
      expect(out).not.toContain('\u001b');
      for (const line of out.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it('writes the list of conversations in two forms', async () => {
    const store = JSON.parse((await run(['sessions', 'export', '--root', source, '--format', 'store.json'])).out);
    expect(store.sessions[key]).toMatchObject({
      id: record.sessionId,
      kind: 'direct',
      peer: '123',
      channel: 'telegram',
      createdAt: '2026-03-04T08:00:00.000Z',
    });
    const openClaw = JSON.parse((await run(['sessions', 'export', '--root', source, '--format', 'sessions.json'])).out);
    expect(openClaw[key]).toMatchObject({ sessionId: record.sessionId, sessionStartedAt: Date.UTC(2026, 2, 4, 8) });
  });

  it('imports each conversation of a file into a session of its own', async () => {
    const root = join(folder.path, 'several');
    const file = folder.file('several.jsonl', openAiConversations(3));
    const { lines } = await json(['import', file, '--agent', 'work'], root);
    expect(lines.map(({ from, messages }: { from: string; messages: number }) => [from, messages])).toEqual([
      [`${file}#1`, 5],
      [`${file}#2`, 5],
      [`${file}#3`, 5],
    ]);
    expect((await json(['list', '--agent', 'work'], root)).sessions).toHaveLength(3);
    const one = await json(['import', file, '--item', '2', '--key', 'agent:work:main'], join(folder.path, 'one'));
    expect(one.lines).toMatchObject([{ from: file, outcome: 'imported', key: 'agent:work:main', messages: 5 }]);
    expect(JSON.stringify(await messagesIn(join(folder.path, 'one'), 'agent:work:main'))).toContain('Question 2:');
  });

  it.each<readonly [what: string, argv: readonly string[], said: string]>([
    ['a file that is there already', ['export', key, '--out', exported], 'there is a file of that name'],
    ['all sessions as a journal', ['export'], 'No session is named'],
    ['one session as a list', ['export', key, '--format', 'store.json'], 'holds all sessions'],
    ['a file that is none', ['import', join(folder.path, 'nowhere.jsonl')], 'cannot be read'],
    ['a folder without a store', ['import', folder.path], 'has no sessions.json'],
    ['a file that is no transcript', ['import', folder.file('notes.txt', 'nothing\n')], 'not a transcript'],
    [
      'a journal with a line that is missing',
      ['import', folder.file('gap.jsonl', `${readFileSync(exported, 'utf8').split('\n').toSpliced(3, 1).join('\n')}`)],
      'Line 4 of',
    ],
  ])('refuses %s', async (_, argv, said) => {
    const { code, out, err } = await run(['sessions', ...argv, '--root', source]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(said);
  });
});

describe('the import of a store of OpenClaw', () => {
  const ids = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'] as const;
  const store = folder.folder('openclaw/agents/helper/sessions');
  const outside = folder.file('secret.jsonl', piSession({ tasks: 1 }));
  const index = {
    'agent:helper:main': {
      sessionId: ids[0],
      updatedAt: 1_746_090_000_000,
      chatType: 'direct',
      displayName: 'Main',
      providerOverride: 'openai',
      modelOverride: 'gpt-5',
      thinkingLevel: 'high',
      verboseLevel: 'on',
      sendPolicy: 'deny',
    },
    'agent:helper:telegram:group:-100:topic:7': {
      sessionId: ids[1],
      updatedAt: 1_746_090_000_000,
      channel: 'telegram',
    },
    'agent:helper:cron:news': { sessionId: ids[1] },
    'agent:helper:cron:lost': { sessionId: 'cccccccc-0000-4000-8000-000000000003' },
    'agent:helper:direct:escape': { sessionId: 'x', sessionFile: '../../../../secret.jsonl' },
    'agent:helper:direct:link': { sessionId: 'link' },
    'agent:helper:direct:named': { sessionId: 'by-a-name' },
    'agent:helper:direct:nothing': { label: 5 },
    'agent:helper:direct:null': null,
  };
  symlinkSync(outside, join(store, 'link.jsonl'));
  writeFileSync(join(store, 'by-a-name.jsonl'), piSession({ tasks: 1 }));
  writeFileSync(join(store, 'sessions.json'), JSON.stringify(index));
  writeFileSync(join(store, `${ids[0]}.jsonl`), piSession({ tasks: 2 }));
  writeFileSync(join(store, `${ids[1]}.jsonl`), piSession({ tasks: 1 }));
  const before = readdirSync(store).map((name) => [name, statSync(join(store, name)).mtimeMs]);
  const root = join(folder.path, 'from-openclaw');

  it('keeps keys, names, times and settings, and reads nothing but the folder', async () => {
    expect(readdirSync(folder.path)).toContain('secret.jsonl');
    expect(outside).toContain('secret.jsonl');
    const { lines } = await json(['import', store], root);
    const outcomes = lines.map((line: { key: string; outcome: string }) => [line.key, line.outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      'agent:helper:main': 'imported',
      'agent:helper:telegram:group:-100:topic:7': 'imported',
      'agent:helper:cron:news': 'skipped',
      'agent:helper:cron:lost': 'skipped',
      'agent:helper:direct:escape': 'skipped',
      'agent:helper:direct:link': 'skipped',
      'agent:helper:direct:named': 'imported',
      'agent:helper:direct:nothing': 'skipped',
      'agent:helper:direct:null': 'skipped',
    });
    const shown = await json(['show', 'agent:helper:main'], root);
    expect(shown).toMatchObject({
      generation: 'current',
      record: { sessionId: ids[0], agentId: 'helper', displayName: 'Main', counters: { userMessages: 2 } },
      settings: { model: 'openai/gpt-5', thinking: 'high', verbose: 'on', send: 'deny' },
    });
    expect(new Date(shown.record.createdAt).toISOString()).toMatch(/^2025-05-01T08:00/);
    expect(readdirSync(store).map((name) => [name, statSync(join(store, name)).mtimeMs])).toEqual(before);
  });

  it('imports nothing twice', async () => {
    const { lines } = await json(['import', join(store, 'sessions.json')], root);
    const there = lines.filter(({ why }: { readonly why: string }) => why === 'it is there already');
    expect(there).toHaveLength(3);
    expect((await json(['list'], root)).sessions).toHaveLength(3);
  });

  it('goes on with what was cut short', async () => {
    const cut = join(folder.path, 'cut-short');
    await json(['import', store], cut);
    const folderOf = join(cut, 'agents', 'helper', 'sessions');
    const name = readdirSync(folderOf).find((one) => one.startsWith(ids[0])) ?? '';
    const whole = readFileSync(join(folderOf, name), 'utf8').split('\n');
    writeFileSync(join(folderOf, name), `${whole.slice(0, 8).join('\n')}\n`);
    const { lines } = await json(['import', store], cut);
    expect(lines[0]).toMatchObject({ outcome: 'imported', sessionId: ids[0] });
    const said = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message));
    expect(said(await messagesIn(cut, 'agent:helper:main'))).toEqual(said(await messagesIn(root, 'agent:helper:main')));
  });

  it('takes a folder of OpenClaw for no store of its own', async () => {
    const theirs = folder.folder('.openclaw');
    for (const argv of [['import', store], ['list'], ['reset', 'agent:helper:main']]) {
      mkdirSync(join(theirs, 'agents'), { recursive: true });
      const { code, err } = await run(['sessions', ...argv, '--root', theirs]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('another tool keeps its own') });
    }
    expect(readdirSync(theirs, { recursive: true })).toEqual(['agents']);
  });

  it('refuses an index that it cannot read, and makes nothing of it', async () => {
    const broken = folder.folder('broken/sessions');
    mkdirSync(join(folder.path, 'target'));
    for (const [content, why] of [
      ['{"agent:main:main": ', 'it is no JSON'],
      ['[]', 'it holds no object'],
      ['', 'it is no JSON'],
    ] as const) {
      writeFileSync(join(broken, 'sessions.json'), content);
      const { code, err } = await run(['sessions', 'import', broken, '--root', join(folder.path, 'target')]);
      expect(code).toBe(2);
      expect(err).toContain(why);
    }
    expect(readdirSync(join(folder.path, 'target'))).toEqual([]);
    expect(await run(['sessions', 'import', store, '--key', 'agent:main:main'])).toMatchObject({ code: 2 });
  });
});

it('writes to no file behind a symbolic link that is there already', async () => {
  const link = join(folder.path, 'link.jsonl');
  symlinkSync(join(folder.path, 'behind.jsonl'), link);
  const { code } = await run(['sessions', 'export', key, '--root', source, '--out', link]);
  expect(code).toBe(2);
  expect(readdirSync(folder.path)).not.toContain('behind.jsonl');
});

it('reads lines of every kind in a transcript', async () => {
  const root = join(folder.path, 'kinds');
  const file = folder.file(
    'kinds.jsonl',
    jsonLines([
      { role: 'user', content: 'Hello.', timestamp: '2026-03-04T08:00:00Z' },
      { role: 'tool', name: 'read', input: { path: 'a' }, output: { lines: 1 }, timestamp: '2026-03-04T08:00:01Z' },
      { role: 'assistant', content: 'Hi.', timestamp: '2026-03-04T08:00:02Z' },
    ]),
  );
  const { lines } = await json(['import', file, '--key', 'main', '--id', 'chosen'], root);
  expect(lines).toMatchObject([{ outcome: 'imported', key: 'agent:main:main', sessionId: 'chosen', messages: 4 }]);
});
