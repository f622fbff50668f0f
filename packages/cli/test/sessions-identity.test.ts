import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, type Entry, type JsonValue, type Session } from '@varve/core';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const key = 'agent:main:telegram:direct:123';

/** Text with what goes wrong elsewhere: lone surrogates, zeros, other ends of lines, ends of JSON. */
const anyText = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    fc.constantFrom(
      '\ud800',
      '\udc00x',
      '\u0000',
      '\u2028',
      '\u2029',
      '\r\n',
      '\n',
      '"}',
      '","crc":"00000000"}',
      '\u202e',
    ),
  ),
  { minLength: 1, maxLength: 5 },
);
const text = anyText.map((parts) => `a${parts.join('')}`);

/** One thing that happens in a session. */
type Act = (session: Session, random: { readonly seq: number }) => Promise<unknown>;

function ask(content: string): Act {
  return (session) => session.ingest({ role: 'user', content });
}

function answer(said: string, thought: string): Act {
  const providerOptions = { anthropic: { signature: 'c2ln', more: [1, { a: said }] } };
  return (session) =>
    session.ingest(
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: thought, providerOptions },
          { type: 'text', text: said },
        ],
        stop: 'stop',
      },
      { usage: { inputTokens: 10, outputTokens: 3, cacheReadTokens: 5 } },
    );
}

function callTool(input: JsonValue, said: string): Act {
  return async (session, { seq }) => {
    const call = { type: 'tool-call', toolCallId: `c${seq}`, toolName: 'read', input } as const;
    await session.ingest({ role: 'assistant', content: [call] });
    const output = { type: 'text', value: `${said}${'line of a file\n'.repeat(300)}` } as const;
    await session.ingest({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: `c${seq}`, toolName: 'read', output }],
    });
  };
}

const show: Act = (session) =>
  session.ingest({
    role: 'user',
    content: [
      { type: 'image', image: 'aGFyYm91cg==', mediaType: 'image/png' },
      { type: 'file', data: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' },
    ],
  });

const rewind: Act = async (session) => {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  const target = entries.filter(({ type }) => type === 'message').at(-2);
  if (target !== undefined) await session.moveHead(target.id, { reason: 'rewind' });
};

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' } as const;

const assemble: Act = (session) => session.assemble({ model });
const compact: Act = (session) => session.compact('manual', { model });

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: text.map(ask) },
  { weight: 3, arbitrary: fc.tuple(text, text).map(([said, thought]) => answer(said, thought)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.dictionary(text, text, { maxKeys: 2 }), text).map(([input, said]) => callTool(input, said)),
  },
  { weight: 2, arbitrary: fc.constantFrom(show, rewind, assemble, compact) },
  text.map(
    (value): Act =>
      (session) =>
        session.set('thinking', value),
  ),
  fc.option(text).map(
    (value): Act =>
      (session) =>
        session.setState('todo', value),
  ),
  text.map(
    (value): Act =>
      (session) =>
        session.record('acme:note', { value, list: [1, null, { value }] }),
  ),
);

/** Plays acts to a session of a new store, and puts an entry of a later version behind them. */
async function play(root: string, acts: readonly Act[]): Promise<void> {
  await using store = jsonlStore({ root, durability: 'os' });
  const clock = manualClock(Date.UTC(2026, 2, 4, 8));
  await using host = await createHost({
    store,
    clock,
    plugins: [ttlPruning({ ttl: '5m' })],
    budget: { inputTokens: 30_000 },
  });
  await using sessions = createSessions({ host });
  const names = { label: 'Work', displayName: 'Ada \u2028', identity: 'ada' };
  await sessions.use(
    key,
    async (session) => {
      await session.ingest({ role: 'system', content: 'You are a harbour master.' }, { key: 'first' });
      for (const [seq, one] of acts.entries()) {
        clock.advance(400_000);
        await one(session, { seq });
      }
    },
    names,
  );
  const [record] = await host.sessions.list({ key });
  const sessionId = record?.sessionId ?? '';
  await host.close();
  const journal = await store.open(sessionId);
  const entries = (await journal.tail()).entries;
  const { seq = 0, id = null } = entries.at(-1) ?? {};
  const later = {
    v: 2,
    id: `01J${String(seq + 1).padStart(23, '0')}`,
    parentId: id,
    seq: seq + 1,
    at: 5,
    type: 'hologram',
    waves: [1.5e300, -0, 'a'],
  };
  await journal.append([later as unknown as Entry], { expectedSeq: seq });
  await journal.close();
}

interface Shown {
  readonly record: { readonly sessionId: string; readonly rev: number; readonly currentSince: number | null };
}

/** All that the command line and the next prompt say of the session. */
async function everythingSaid(root: string): Promise<object> {
  const { record, ...shown }: Shown = JSON.parse((await run(['sessions', 'show', key, '--root', root, '--json'])).out);
  // Each store has its own count of changes, and its own line of generations.
  const { rev: _rev, currentSince: _since, ...same } = record;
  const tail = await run(['sessions', 'tail', key, '--root', root, '--json', '--lines', '10000']);
  await using store = jsonlStore({ root });
  await using host = await createHost({
    store,
    clock: manualClock(Date.UTC(2026, 2, 5)),
    budget: { inputTokens: 30_000 },
  });
  await using session = await host.open(String(record.sessionId), { readOnly: true });
  const prompt = await session.assemble({ model, dryRun: true });
  return { record: same, shown, tail: tail.out, code: tail.code, prompt };
}

async function exported(root: string, name: string): Promise<string> {
  const { code, out, err } = await run(['sessions', 'export', name, '--root', root]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

let count = 0;

/** Exports a session, imports it into an empty store, and exports it again. */
async function there(
  acts: readonly Act[],
): Promise<{ readonly from: string; readonly to: string; readonly text: string }> {
  count += 1;
  const [from, to] = [join(folder.path, `from-${count}`), join(folder.path, `to-${count}`)];
  await play(from, acts);
  const text = await exported(from, key);
  const file = folder.file(`session-${count}.jsonl`, text);
  const { code, out } = await run(['sessions', 'import', file, '--root', to, '--json']);
  expect({ code, lines: JSON.parse(out).lines }).toMatchObject({ code: 0, lines: [{ outcome: 'imported' }] });
  return { from, to, text };
}

describe('a session that is exported and imported', () => {
  it('is exported again as the same bytes, shows the same, and makes the same prompt', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
        const { from, to, text } = await there(acts);
        expect(await exported(to, key)).toBe(text);
        expect(await everythingSaid(to)).toEqual(await everythingSaid(from));
      }),
      { numRuns: 12 },
    );
  });

  it('keeps an entry of 1 MB, an answer that was rewound, and a fork with where it came from', async () => {
    const large = `${'港'.repeat(400_000)}\u2028\ud800`;
    const turn = [ask('Where?'), answer('There.', 'Hm.'), rewind, callTool({ path: 'a' }, 'a'), compact, assemble];
    const { from, to, text } = await there([...turn, ask(large), answer(large, 'Hm.'), ask('And now?')]);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(await exported(to, key)).toBe(text);
    const fork = ['sessions', 'fork', key, '--key', 'agent:main:direct:fork', '--json'];
    expect((await run([...fork, '--root', from])).code).toBe(0);
    const forked = await exported(from, 'agent:main:direct:fork');
    expect(forked.split('\n', 1)[0]).toContain('"forkedFrom":{"sessionId"');
    await run(['sessions', 'import', folder.file('fork.jsonl', forked), '--root', to]);
    expect(await exported(to, 'agent:main:direct:fork')).toBe(forked);
  });

  it('is the same from the file of a store, where messages hold other ends of lines', async () => {
    count += 1;
    const [from, to] = [join(folder.path, `from-${count}`), join(folder.path, `to-${count}`)];
    await play(from, [ask('one\u2028two\u2029three\r\nfour\u0085')]);
    const { record } = JSON.parse((await run(['sessions', 'show', key, '--root', from, '--json'])).out);
    const file = join(from, 'agents', 'main', 'sessions', `${record.sessionId}.jsonl`);
    await run(['sessions', 'import', file, '--root', to]);
    const entriesOf = async (root: string) => (await exported(root, key)).split('\n').slice(1);
    expect(await entriesOf(to)).toEqual(await entriesOf(from));
  });
});

describe('an export that leaves something out', async () => {
  const root = join(folder.path, 'losses');
  const acts = [ask('Where?'), answer('There.', 'Hm.'), rewind, callTool({ path: 'a' }, 'a'), show, assemble];
  await play(root, [...acts, (session) => session.set('thinking', 'high'), ask('And now?')]);

  it.each<readonly [format: string, lost: object]>([
    ['varve', {}],
    [
      'flat',
      {
        ...{ setting: 1, request: 1, 'entry that this version does not know': 1, 'rewound entry': 2 },
        ...{ key: 1, 'id of a call': 1, file: 1 },
      },
    ],
    [
      'openclaw',
      {
        ...{ setting: 1, request: 1, 'entry that this version does not know': 1, 'rewound entry': 2 },
        ...{ 'system message': 1, file: 1 },
      },
    ],
  ])('counts it and says it: %s', async (format, lost) => {
    const file = join(folder.path, `losses-${format}.jsonl`);
    const { out } = await run(['sessions', 'export', key, '--root', root, '--format', format, '--out', file, '--json']);
    expect(JSON.parse(out)).toMatchObject({ format, lost });
    const { err } = await run(['sessions', 'export', key, '--root', root, '--format', format]);
    expect(err).toMatch(format === 'varve' ? /^$/ : /^Left out: .*2 × rewound entry.*\.\n$/);
  });

  it('says how many entries a damaged journal lacks', async () => {
    const damaged = join(folder.path, 'damaged');
    await play(damaged, [ask('Where?'), ask('When?')]);
    const { record } = JSON.parse((await run(['sessions', 'show', key, '--root', damaged, '--json'])).out);
    const file = join(damaged, 'agents', 'main', 'sessions', `${record.sessionId}.jsonl`);
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').toSpliced(2, 1).join('\n'));
    const { err } = await run(['sessions', 'export', key, '--root', damaged]);
    expect(err).toBe('Left out: 1 × missing entry.\n');
  });
});
