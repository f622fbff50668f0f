import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '@varve/cli';
import { createHost } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock } from '@varve/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { type CaptureOptions, run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const main = 'agent:main:main';

interface Made {
  readonly root: string;
  /** Runs `varve sessions …` on the store, and reads what it prints as JSON. */
  json(argv: readonly string[], code?: number): Promise<ReturnType<typeof JSON.parse>>;
  run(argv: readonly string[], options?: CaptureOptions): ReturnType<typeof run>;
}

/** A store with some conversations, last used long ago. */
async function store(name: string, turns: Readonly<Record<string, number>>): Promise<Made> {
  const root = join(folder.path, name);
  await using kept = jsonlStore({ root, durability: 'os' });
  const clock = manualClock(Date.UTC(2025, 0, 1));
  await using host = await createHost({ store: kept, clock });
  let ids = 0;
  await using sessions = createSessions({
    host,
    randomId: () => `${String(++ids).padStart(8, '0')}-0000-4000-8000-000000000000`,
  });
  for (const [key, count] of Object.entries(turns)) {
    await sessions.use(key, async (session) => {
      for (let turn = 1; turn <= count; turn += 1) {
        clock.advance(1_000);
        await session.ingest({ role: 'user', content: `Question ${turn}: ${'clay '.repeat(150)}` });
        await session.assemble({ model });
        await session.ingest({ role: 'assistant', content: `Answer ${turn}.` });
      }
    });
  }
  const runHere: Made['run'] = (argv, options) => run(['sessions', ...argv, '--root', root], options);
  return {
    root,
    run: runHere,
    json: async (argv, expected = 0) => {
      const { code, out, err } = await runHere([...argv, '--json']);
      expect({ code, err }).toEqual({ code: expected, err: '' });
      return JSON.parse(out);
    },
  };
}

describe('varve sessions compact, expand and undo', () => {
  it('compacts a session, shows what the summary stands for, and takes it back', async () => {
    const { run: runHere, json } = await store('compact', { [main]: 12 });
    const planned = await json(['compact', main, '--budget', '2k', '--dry-run']);
    expect(planned.plan).toMatchObject({ trigger: 'manual', range: { from: { seq: 1 } } });
    expect((await json(['show', main])).lastCompaction).toBeNull();
    const outcome = await json(['compact', main, '--budget', '2k', '--focus', 'the clay']);
    expect(outcome).toMatchObject({ status: 'compacted', entry: { trigger: 'manual', instructions: 'the clay' } });
    const { range, seq } = outcome.entry;
    const { out } = await runHere(['expand', main]);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ +#1 .* user +Question 1: clay clay/);
    expect(lines.at(-1)).toMatch(new RegExp(`^ +#${range.to.seq} `));
    expect((await runHere(['expand', main, `#${seq}`])).out).toBe(out);
    expect(await json(['undo', main])).toMatchObject({ undone: { seq, type: 'compaction' } });
    expect((await json(['show', main])).lastCompaction).toBeNull();
    expect(await runHere(['expand', main])).toMatchObject({ code: 2, out: '' });
  });

  it('says what it needs, and what there is not', async () => {
    const { run: runHere } = await store('compact-errors', { [main]: 1 });
    const unknown = await runHere(['undo', main, '99']);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.err).toContain('There is no entry "99"');
    const message = await runHere(['undo', main, '1']);
    expect(message.err).toContain('code: VARVE_UNDO_TYPE');
    const noModel = await runHere(['compact', main, '--model', 'claude']);
    expect(noModel.err).toContain('"claude" names no model');
    expect(await runHere(['compact', main])).toMatchObject({ code: 1, out: expect.stringContaining('smaller') });
  });
});

describe('varve sessions fork, reset, archive and restore', () => {
  it('resets a conversation and lets the old session go on again', async () => {
    const { json, run: runHere } = await store('reset', { [main]: 2 });
    const reset = await json(['reset', main, '--reason', 'spring']);
    expect(reset).toMatchObject({ key: main, previousSessionId: '00000001-0000-4000-8000-000000000000' });
    expect(await json(['show', main])).toMatchObject({ generation: 'current', record: { counters: { messages: 0 } } });
    expect(await json(['restore', '00000001'])).toMatchObject({ key: main, previousSessionId: reset.sessionId });
    const shown = await json(['show', main]);
    expect(shown).toMatchObject({ generation: 'current', record: { counters: { messages: 4 } } });
    expect(shown.generations).toHaveLength(2);
    expect((await runHere(['show', main])).out).toMatch(/^generation {2}the current one of 2$/m);
  });

  it('archives what is named or found, says what became of each, and restores by key', async () => {
    const { json, run: runHere } = await store('archive', {
      [main]: 1,
      'agent:main:hook:a': 1,
      'agent:main:hook:b': 1,
    });
    const planned = await json(['archive', '--kind', 'hook', '--dry-run']);
    expect(planned.lines.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['planned', 'planned']);
    expect((await json(['list', '--state', 'archived'])).sessions).toEqual([]);
    const { out } = await runHere(['archive', '--kind', 'hook']);
    expect(out).toMatch(/^done {4}00000003-\S+ agent:main:hook:b\ndone .*\n2 sessions archived\.\n$/);
    expect((await json(['list', '--state', 'archived'])).sessions).toHaveLength(2);
    const { out: tail } = await runHere(['tail', 'agent:main:hook:a']);
    expect(tail).toContain('Question 1');
    expect(await json(['restore', 'agent:main:hook:a'])).toMatchObject({ key: 'agent:main:hook:a' });
    expect((await json(['archive', main, 'agent:main:hook:b'])).lines).toMatchObject([
      { key: 'agent:main:hook:b', outcome: 'skipped', why: 'it is archived already' },
      { key: main, outcome: 'done' },
    ]);
    expect((await runHere(['archive'])).err).toContain('No session is named');
    expect((await runHere(['archive', main, '--kind', 'hook'])).err).toContain('one or the other');
  });

  it('restores a session without a key, and says of an open one that it is not archived', async () => {
    const { json, run: runHere } = await store('keyless', { [main]: 1 });
    const { sessionId } = await json(['fork', main, '--at', '2']);
    expect((await runHere(['restore', sessionId])).out).toMatch(
      /^skipped .*: it is not archived\n1 session skipped\.\n$/,
    );
    await json(['archive', sessionId]);
    expect(await json(['restore', sessionId])).toMatchObject({ key: null, sessionId, outcome: 'done' });
    expect((await json(['show', sessionId])).record.state).toBe('open');
  });

  it('forks a conversation under another key, and a session at an entry', async () => {
    const { json, run: runHere } = await store('fork', { [main]: 3 });
    const forked = await json(['fork', main, '--key', 'agent:main:direct:ada']);
    expect(forked).toMatchObject({ key: 'agent:main:direct:ada', from: '00000001-0000-4000-8000-000000000000' });
    expect(await json(['show', 'agent:main:direct:ada'])).toMatchObject({
      generation: 'current',
      record: { counters: { messages: 6 } },
    });
    const copy = await json(['fork', main, '--at', '3']);
    expect(copy.key).toBeNull();
    expect((await json(['show', copy.sessionId])).record.counters.messages).toBe(2);
    expect((await runHere(['fork', main, '--key', 'agent:main:direct:ada'])).err).toContain('code: VARVE_KEY_TAKEN');
    expect((await runHere(['fork', main, '--most-tokens', '10'])).err).toContain('code: VARVE_FORK_TOO_LARGE');
  });

  it('maintains a store: says first what it would do', async () => {
    const { json, run: runHere } = await store('maintain', { [main]: 1, 'agent:main:cron:news:run:1': 1 });
    const planned = await runHere(['maintain']);
    expect(planned.code).toBe(0);
    expect(planned.out).toMatch(/^planned 00000001-\S+ agent:main:main: last updated \d+ d ago$/m);
    expect(planned.out).toContain('2 sessions would be archived. Looked at 2 open sessions.\nNothing was changed');
    expect((await json(['list', '--state', 'archived'])).sessions).toEqual([]);
    const done = await json(['maintain', '--older-than', 'none', '--apply']);
    expect(done.lines).toMatchObject([{ key: 'agent:main:cron:news:run:1', rule: 'run', outcome: 'done' }]);
    expect(await json(['maintain', '--older-than', 'none', '--most-bytes', '10'])).toMatchObject({
      lines: [{ key: main, rule: 'size', outcome: 'planned' }],
    });
    expect((await runHere(['maintain', '--older-than', 'soon'])).err).toContain('no span of time');
    expect(await json(['maintain', '--keep-recent', 'none', '--older-than', '0'])).toMatchObject({
      lines: [{ key: main }],
    });
  });

  it('compresses what is archived, reads and restores it, and deletes only what it is asked to', async () => {
    const { root, json, run: runHere } = await store('archives', { [main]: 2, 'agent:main:direct:bob': 1 });
    const archives = (): readonly string[] => readdirSync(join(root, 'agents/main/archive'));
    const only = ['--older-than', 'none', '--runs-older-than', 'none'];
    await json(['archive', main]);
    const { out } = await runHere(['maintain', ...only, '--compress-after', '0']);
    expect(out).toMatch(/^planned 00000001-\S+ agent:main:main: archived 0 min ago$/m);
    expect(out).toContain('1 session would be packed. Looked at 1 open session and 1 archived.\nNothing was changed');
    expect(out).not.toContain('No session is archived');
    expect((await json(['maintain', ...only, '--compress-after', '0', '--apply'])).lines).toMatchObject([
      { key: main, action: 'compress', rule: 'compress', outcome: 'done' },
    ]);
    expect(archives()).toEqual(['00000001-0000-4000-8000-000000000000.jsonl.gz']);
    expect((await json(['list', '--state', 'archived'])).sessions).toMatchObject([{ key: main, isPacked: true }]);
    expect((await runHere(['list'])).out).toContain(' archived, packed ');
    expect(await json(['show', main])).toMatchObject({ isPacked: true });
    expect((await runHere(['show', main])).out).toMatch(/^journal .*\d entries, packed$/m);
    expect((await runHere(['tail', main])).out).toContain('Question 2');
    expect((await runHere(['export', main])).out).toContain('Answer 1.');
    expect((await runHere(['maintain', ...only])).out).toContain('No session is archived. Looked at 1 open session');
    await json(['restore', main]);
    expect(archives()).toEqual([]);
    const { record, isPacked } = await json(['show', main]);
    expect({ record, isPacked }).toMatchObject({
      record: { state: 'open', counters: { messages: 4 } },
      isPacked: false,
    });
    await json(['archive', main]);
    const deleting = ['maintain', ...only, '--compress-after', 'none', '--delete-archived-after', '0'];
    expect((await runHere(deleting)).out).toContain('1 session would be deleted.');
    expect((await json([...deleting, '--apply'])).lines).toMatchObject([{ action: 'delete', outcome: 'done' }]);
    expect((await json(['list', '--state', 'archived'])).sessions).toEqual([]);
    expect(readdirSync(root, { recursive: true })).not.toContainEqual(expect.stringContaining('00000001'));
  });
});

describe('varve sessions beside another process', async () => {
  const made = await store('held', { 'agent:main:direct:free': 1 });
  const sessionId = '11111111-1111-4111-8111-111111111111';
  const key = 'agent:main:direct:held';
  const held = await hold([made.root, sessionId, key]);
  afterAll(() => held.kill());

  it('reads, and leaves no trace', async () => {
    const names = (): readonly string[] => readdirSync(made.root, { recursive: true }).map(String).sort();
    const before = names();
    expect((await made.json(['show', key])).entries).toBe(1);
    expect((await made.json(['list'])).sessions).toHaveLength(2);
    expect((await made.json(['tree'])).totals.sessions).toBe(2);
    expect((await made.run(['tail', key])).out).toContain('Hello from another process.');
    expect((await made.run(['export', key])).out).toContain('Hello from another process.');
    expect((await made.run(['compact', key, '--dry-run', '--model', 'a/b'])).code).toBe(0);
    expect((await made.run(['maintain'])).code).toBe(0);
    expect(names()).toEqual(before);
    expect((await made.json(['show', key])).record.counters).toMatchObject({ messages: 1, userMessages: 1 });
    const { sessions } = await made.json(['list']);
    const marks = sessions.map((one: { key: string; isBehind: boolean }) => [one.key, one.isBehind]);
    expect(new Map(marks)).toEqual(
      new Map([
        [key, true],
        ['agent:main:direct:free', false],
      ]),
    );
    const { out } = await made.run(['list']);
    expect(out).toMatch(/^11111111-\S+ +0\+ /m);
    expect(out).toContain('+: behind its journal');
  });

  it('forks it as it is', async () => {
    const other = await store('fork-held', {});
    const child = await hold([other.root, sessionId, key]);
    try {
      const forked = await other.json(['fork', key, '--key', 'agent:main:direct:~ada']);
      expect((await other.json(['show', forked.sessionId])).record.counters.messages).toBe(1);
    } finally {
      child.kill();
    }
  });

  it.each<readonly [command: string, ...flags: string[]]>([['compact', '--model', 'a/b'], ['undo'], ['reset']])(
    'refuses to %s what it writes, and says which process it is',
    async (command, ...flags) => {
      const refused = await made.run([command, key, ...flags]);
      expect(refused).toMatchObject({ code: 2, out: '' });
      expect(refused.err).toContain(`is being written by process ${held.pid} on`);
      expect(refused.err).toContain('code: VARVE_STORE_LOCKED');
    },
  );

  it('archives all others, and says of that one who works with it', async () => {
    const { lines } = await made.json(['archive', '--agent', 'main']);
    expect(lines).toMatchObject([
      { key, outcome: 'skipped', why: expect.stringContaining(`process ${held.pid} on`) },
      { key: 'agent:main:direct:free', outcome: 'done' },
    ]);
  });

  it('follows what is stored there, until it is interrupted', async () => {
    const interrupt = new AbortController();
    const printed: string[] = [];
    const print = (chunk: Buffer): void => {
      printed.push(chunk.toString());
      if (printed.length === 1) held.stdin?.write('And one more thing.\n');
      if (printed.at(-1)?.includes('And one more thing.') === true) interrupt.abort();
    };
    const stdout = new Writable({ write: (chunk, _encoding, done) => done(void print(chunk)) });
    const io = { stdout, stderr: stdout, env: {}, signal: interrupt.signal };
    const argv = ['sessions', 'tail', key, '--follow', '--messages', '--root', made.root];
    expect(await runCli(argv, io)).toBe(130);
    expect(printed).toEqual([
      expect.stringContaining('Hello from another process.'),
      expect.stringContaining('And one more thing.'),
    ]);
  });
});

/** A process that holds a session open for writing. */
async function hold(argv: readonly string[]): Promise<ChildProcess> {
  const home = dirname(import.meta.dirname);
  const flags = [
    '--conditions=@varve/source',
    '--import',
    'tsx',
    fileURLToPath(import.meta.resolve('./hold-session.ts')),
  ];
  const child = spawn(process.execPath, [...flags, ...argv], { cwd: home, stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}
