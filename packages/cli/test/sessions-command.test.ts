import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { run } from './captured-io.ts';
import { piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const root = join(folder.path, 'store');

async function json(argv: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { code, out, err } = await run([...argv, '--root', root, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('varve sessions', async () => {
  for (const [name, tasks] of [
    ['first', 2],
    ['second', 12],
  ] as const) {
    const file = folder.file(`${name}.jsonl`, piSession({ tasks }));
    await run(['replay', file, '--root', root, '--budget', '4k', '--plugins', 'summary-compaction']);
  }

  it('lists the sessions of a store, last used first', async () => {
    const { sessions, more } = await json(['sessions', 'list']);
    expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual(['second', 'first']);
    expect(sessions[0].counters).toMatchObject({ messages: 96, requests: 48 });
    expect(more).toBe(false);
    const { out } = await run(['sessions', 'list', '--root', root]);
    expect(out.split('\n')[0]).toMatch(/^session +msgs +prompt +spent +updated \(UTC\) +key$/);
    expect(out.split('\n')[1]).toMatch(/^second +96 +[\d.]+k +\S+ +2025-05-01 \d\d:\d\d/);
  });

  it('lists as many as are asked for, and those with a text, a state or an agent', async () => {
    expect(await json(['sessions', 'list', '--limit', '1'])).toMatchObject({
      sessions: [{ sessionId: 'second' }],
      more: true,
    });
    expect((await run(['sessions', 'list', '--root', root, '--limit', '1'])).out).toContain('There are more');
    expect((await json(['sessions', 'list', '--text', 'FIR'])).sessions).toMatchObject([{ sessionId: 'first' }]);
    expect((await json(['sessions', 'list', '--state', 'archived'])).sessions).toEqual([]);
    expect((await json(['sessions', 'list', '--agent', 'other'])).sessions).toEqual([]);
    expect((await run(['sessions', 'list', '--root', root, '--agent', 'other'])).out).toMatch(/^No session in .*\n$/);
  });

  it('shows a session by its key, however many later ones hold the same words', async () => {
    const many = join(folder.path, 'many');
    await using store = jsonlStore({ root: many, durability: 'os' });
    await using host = await createHost({ store });
    await (await host.open('wanted', { key: 'agent:main' })).close();
    const later = Array.from({ length: 1_001 }, (_, index) => {
      const patch = { key: `agent:main:${index}`, updatedAt: 8_640_000_000_000_000 };
      return store.sessions.put(`later-${index}`, patch, { expectedRev: 0 });
    });
    await Promise.all(later);
    const { code, out } = await run(['sessions', 'show', 'agent:main', '--root', many, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).record).toMatchObject({ sessionId: 'wanted', key: 'agent:main' });
  });

  it('shows no compaction that was rewound', async () => {
    const rewound = join(folder.path, 'rewound');
    await using store = jsonlStore({ root: rewound });
    await using host = await createHost({ store });
    const session = await host.open('one');
    const model = { provider: 'test', model: 'test-1' };
    for (let turn = 0; turn < 8; turn += 1) {
      await session.ingest({ role: 'user', content: `Question ${turn}. ${'clay '.repeat(400)}` });
      await session.ingest({ role: 'assistant', content: `Answer ${turn}.` });
    }
    const last = session.view.messages().at(-1);
    expect(await session.compact('manual', { model })).toMatchObject({ status: 'compacted' });
    const shown = async () => JSON.parse((await run(['sessions', 'show', 'one', '--root', rewound, '--json'])).out);
    expect(await shown()).toMatchObject({ lastCompaction: { trigger: 'manual', by: expect.any(String) } });
    await session.moveHead(last?.id ?? '', { reason: 'rewind' });
    expect(await shown()).toMatchObject({ lastCompaction: null });
  });

  it('cuts a long name between two characters', async () => {
    const cut = join(folder.path, 'cut');
    await using store = jsonlStore({ root: cut });
    await store.sessions.put(`${'x'.repeat(34)}😀${'x'.repeat(34)}`, {}, { expectedRev: 0 });
    const { out } = await run(['sessions', 'list', '--root', cut], { isTTY: true, columns: 120 });
    expect(out).toMatch(/^x{34}… /m);
    const file = folder.file(`${'y'.repeat(99)}😀.jsonl`, piSession({ tasks: 1 }));
    await run(['replay', file, '--root', cut]);
    expect((await store.sessions.get('y'.repeat(99)))?.counters.messages).toBeGreaterThan(0);
  });

  it('lists nothing where there is no store, and makes none', async () => {
    const nowhere = join(folder.path, 'nowhere');
    const { code, out } = await run(['sessions', 'list', '--json'], { env: { VARVE_HOME: nowhere } });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ root: nowhere, sessions: [], more: false, next: null });
    expect((await run(['sessions', 'list', '--root', nowhere])).out).toBe(`There is no store in ${nowhere}.\n`);
    expect(readdirSync(folder.path)).not.toContain('nowhere');
  });

  it('shows one session: counters, settings, last compaction, health', async () => {
    const shown = await json(['sessions', 'show', 'second']);
    expect(shown).toMatchObject({
      record: { sessionId: 'second', counters: { messages: 96, requests: 48 } },
      lastCompaction: { by: 'summary-compaction', trigger: 'threshold', toSeq: expect.any(Number) },
      health: { ok: true, compaction: { failures: 0, isBlocked: false }, malformed: 0 },
    });
    const { out } = await run(['sessions', 'show', 'second', '--root', root]);
    expect(out).toMatch(/^messages +96, 12 of the user, the last at 2025-05-01 /m);
    expect(out).toMatch(
      /^compactions +\d+, the last is #\d+ of .*, by summary-compaction \(threshold\): #\d+ to #\d+/m,
    );
    expect(out).toMatch(/^health +good$/m);
  });

  it('finds a session by its key, and works while another process writes', async () => {
    const own = join(folder.path, 'written');
    await using store = jsonlStore({ root: own });
    await using host = await createHost({ store });
    const session = await host.open('a1b2', { key: 'agent:main:main' });
    await session.ingest({ role: 'user', content: 'Hello?' });
    await session.set('model', 'openai/gpt-5');
    const names = (): readonly string[] => readdirSync(own, { recursive: true }).map(String).sort();
    const before = names();
    const { code, out } = await run(['sessions', 'show', 'agent:main:main', '--root', own]);
    expect(code).toBe(0);
    expect(out).toMatch(/^session +a1b2\nkey +agent:main:main$/m);
    expect(out).toMatch(/^settings +model openai\/gpt-5$/m);
    expect((await run(['sessions', 'list', '--root', own])).out).toMatch(/^a1b2 .* agent:main:main$/m);
    expect(names()).toEqual(before);
    await session.ingest({ role: 'user', content: 'Still there?' });
  });

  it('shows settings as people say them, and none that say nothing', async () => {
    const own = join(folder.path, 'settings');
    await using store = jsonlStore({ root: own });
    await using host = await createHost({ store });
    const session = await host.open('1f0c3a52-0000-4000-8000-000000000001', { key: 'agent:main:main' });
    await session.set('model', null);
    await session.set('send', { mode: 'inherit', until: null, at: 5 });
    const shown = async () => (await run(['sessions', 'show', 'agent:main:main', '--root', own])).out;
    expect(await shown()).toMatch(/^settings +none$/m);
    await session.set('send', { mode: 'deny', until: Date.UTC(2026, 2, 4, 8, 30), at: 5 });
    await session.set('thinking', 'high');
    expect(await shown()).toMatch(/^settings +send off until 2026-03-04 08:30, thinking high$/m);
    await session.set('send', 'off');
    expect(await shown()).toMatch(/^settings +send off, thinking high$/m);
  });

  it('finds a session by its name in varve chat, of whichever agent', async () => {
    const own = join(folder.path, 'chats');
    for (const argv of [['garden'], ['garden', '--agent', 'ada'], ['Shed', '--agent', 'ada']]) {
      await run(['chat', ...argv, '--root', own, '--model', 'offline'], { stdin: 'Hello.\n' });
    }
    const found = async (name: string) => run(['sessions', 'show', name, '--root', own]);
    expect((await found('shed')).out).toMatch(/^key +agent:ada:terminal:direct:shed$/im);
    const two = await found('garden');
    expect(two.code).toBe(2);
    expect(two.err).toContain('"agent:ada:terminal:direct:garden", "agent:main:terminal:direct:garden"');
  });

  it('prints the last messages, however many other entries stand among them, and as many as there are', async () => {
    const own = join(folder.path, 'sparse');
    await using store = jsonlStore({ root: own, durability: 'os' });
    await using host = await createHost({ store });
    const session = await host.open('sparse');
    for (let index = 1; index <= 6; index += 1) {
      await session.ingest({ role: 'user', content: `Message ${index}.` });
      for (let other = 0; other < 7 * index; other += 1) await session.set('verbose', other);
    }
    await session.close();
    const tail = async (
      ...argv: readonly string[]
    ): Promise<readonly { type: string; message?: { content: string } }[]> => {
      const { code, out } = await run(['sessions', 'tail', 'sparse', '--root', own, '--json', ...argv]);
      expect(code).toBe(0);
      return out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    for (const count of [1, 2, 4, 6, 50]) {
      const messages = await tail('--messages', '--lines', `${count}`);
      const first = Math.max(1, 7 - count);
      expect(messages.map(({ message }) => message?.content)).toEqual(
        Array.from({ length: 7 - first }, (_, index) => `Message ${first + index}.`),
      );
    }
    expect((await tail('-n', '3')).map(({ type }) => type)).toEqual(['setting', 'setting', 'setting']);
    expect(await tail('-n', '1000')).toHaveLength(6 + 7 * 21);
  });

  it('cuts nothing for a file or another program, and short ids and few columns on a narrow terminal', async () => {
    const own = join(folder.path, 'wide');
    await using store = jsonlStore({ root: own });
    await using host = await createHost({ store });
    const sessionId = '1f0c3a52-0000-4000-8000-000000000002';
    const key = `agent:main:telegram:direct:${'9'.repeat(90)}`;
    const session = await host.open(sessionId, { key });
    const words = 'clay '.repeat(500).trim();
    await session.ingest({ role: 'user', content: words });
    await session.close();
    const piped = await run(['sessions', 'list', '--root', own]);
    expect(piped.out).toContain(sessionId);
    expect(piped.out).toContain(key);
    expect((await run(['sessions', 'tail', key, '--root', own])).out).toContain(words);
    for (const columns of [40, 60, 80, 120]) {
      const terminal = { isTTY: true, columns, env: { NO_COLOR: '1' } };
      const { out } = await run(['sessions', 'list', '--root', own], terminal);
      expect(out).toMatch(/^1f0c3a52 /m);
      for (const line of out.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      const tail = await run(['sessions', 'tail', key, '--root', own], terminal);
      expect(Math.max(...tail.out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(Math.max(60, columns));
    }
  });

  it.each<[argv: readonly string[], code: string, said: string]>([
    [['show', 'unheard-of', '--root', root], 'VARVE_STORE_MISSING', 'sessions that are there: "first", "second"'],
    [['show', 'one', '--root', join(folder.path, 'nowhere')], 'VARVE_STORE_MISSING', 'There is no store in'],
    [['show'], 'VARVE_USAGE', 'Missing required argument'],
    [['show'], 'VARVE_USAGE', 'See varve sessions show --help.'],
    [['list', '--limit', '0'], 'VARVE_USAGE', 'no whole number'],
    [['list', '--state', 'gone'], 'VARVE_USAGE', 'Allowed choices are open, archived'],
    [['list', 'too', 'much'], 'VARVE_USAGE', 'Too many arguments'],
  ])('ends %j with 2 and %s', async (argv, code, said) => {
    const result = await run(['sessions', ...argv]);
    expect({ code: result.code, out: result.out }).toEqual({ code: 2, out: '' });
    expect(result.err).toContain(said);
    expect(result.err).toContain(`code: ${code}`);
  });
});
