import { emptyCounters, type SessionPatch, VarveError } from '@varve/core';
import { cronRunKey, type MaintenancePolicy, type MaintenanceReport } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conversations, conversations, idOf } from './many-records.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const say = (text: string) => ({ role: 'user', content: text }) as const;

const rulesOf = ({ lines }: MaintenanceReport) =>
  Object.fromEntries(lines.map(({ key, sessionId, rule, outcome }) => [key ?? sessionId, `${outcome} (${rule})`]));

/** Says something in conversations, and lets them sleep. */
async function talk({ sessions }: Conversations, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await sessions.use(key, (session) => session.ingest(say('Hello!')));
    await sessions.hibernate(key);
  }
}

const off = { olderThanMs: false, maxSessions: false, cronRunsOlderThanMs: false, orphans: false } as const;

describe('maintenance', () => {
  it('archives what is old, and can be asked what it would do', async () => {
    await using many = await conversations();
    const { clock, sessions } = many;
    await talk(many, ['agent:main:direct:old']);
    clock.advance(31 * dayMs);
    await talk(many, ['agent:main:direct:new']);
    clock.advance(2 * hourMs);
    const planned = await sessions.maintain({}, { dryRun: true });
    expect(planned).toMatchObject({ isDryRun: true, looked: 2, isCutShort: false });
    expect(planned.lines).toMatchObject([{ found: 'last updated 31 d ago', outcome: 'planned', rule: 'age' }]);
    expect(await sessions.current('agent:main:direct:old')).not.toBeNull();
    expect(rulesOf(await sessions.maintain())).toEqual({ 'agent:main:direct:old': 'done (age)' });
    expect(await sessions.current('agent:main:direct:old')).toBeNull();
    expect((await sessions.maintain()).lines).toEqual([]);
    const [record] = await sessions.generations('agent:main:direct:old');
    await sessions.restore('agent:main:direct:old', record?.sessionId ?? '');
    const said = await sessions.use('agent:main:direct:old', async ({ view }) => view.messages().length);
    expect(said).toBe(1);
  });

  it('archives runs of jobs and sessions of hooks after a day, and no job', async () => {
    await using many = await conversations();
    const runs = ['r1', 'r2'].map((run) => cronRunKey({ agentId: 'main', job: 'news', run }));
    await talk(many, [...runs, 'agent:main:hook:h1', 'agent:main:cron:news', 'agent:main:main']);
    many.clock.advance(23 * hourMs);
    expect((await many.sessions.maintain()).lines).toEqual([]);
    many.clock.advance(hourMs);
    expect(rulesOf(await many.sessions.maintain())).toEqual({
      [runs[0] ?? '']: 'done (run)',
      [runs[1] ?? '']: 'done (run)',
      'agent:main:hook:h1': 'done (run)',
    });
  });

  it('keeps the sessions that were updated last where there are too many, or too large ones', async () => {
    await using many = await conversations();
    const { clock, sessions } = many;
    const keys = ['a', 'b', 'c', 'd'].map((peer) => `agent:main:direct:${peer}`);
    for (const key of keys) {
      await talk(many, [key]);
      clock.advance(hourMs);
    }
    clock.advance(hourMs);
    const count = await sessions.maintain({ ...off, maxSessions: 3 }, { dryRun: true });
    expect(rulesOf(count)).toEqual({ 'agent:main:direct:a': 'planned (count)' });
    const bytesOf = ({ key }: { readonly key: string | null }): number => (key?.endsWith('d') === true ? 900 : 100);
    const size = await sessions.maintain({ ...off, maxBytes: 1_000, bytesOf }, { dryRun: true });
    expect(rulesOf(size)).toEqual({
      'agent:main:direct:a': 'planned (size)',
      'agent:main:direct:b': 'planned (size)',
    });
    const recent = await sessions.maintain({ ...off, maxSessions: 0, keepRecentMs: 3 * hourMs + 1 }, { dryRun: true });
    expect(rulesOf(recent)).toEqual({
      'agent:main:direct:a': 'planned (count)',
      'agent:main:direct:b': 'planned (count)',
    });
  });

  it('leaves alone what is awake, what is to be kept, and what has sub-agents at work', async () => {
    await using many = await conversations();
    const { clock, sessions, host } = many;
    const parent = 'agent:main:direct:parent';
    const child = 'agent:main:subagent:child';
    await talk(many, [parent, 'agent:main:direct:kept', 'agent:main:direct:awake']);
    const names = { key: child, parentSessionKey: parent };
    const spawned = await host.open(idOf(99), names);
    await spawned.record('sessions:spawned', {
      ...{ childKey: child, spawnId: 'child', parentKey: parent, parentSessionId: idOf(1), task: 'x', label: 'x' },
      ...{ mode: 'isolated', cleanup: 'keep', depth: 1, timeoutMs: 1_000, at: clock.now() },
    });
    await spawned.close();
    await host.sessions.patch(idOf(99), { currentSince: clock.now() });
    clock.advance(60 * dayMs);
    await sessions.use('agent:main:direct:awake', async () => undefined);
    const policy: MaintenancePolicy = { keep: ({ key }) => key?.endsWith('kept') === true };
    const report = await sessions.maintain(policy);
    expect(rulesOf(report)).toEqual({
      [parent]: 'skipped (age)',
      [child]: 'skipped (age)',
      'agent:main:direct:awake': 'skipped (age)',
    });
    expect(Object.fromEntries(report.lines.map(({ key, why }) => [key, why]))).toEqual({
      [parent]: `a sub-agent has not ended: ${child}`,
      [child]: 'it is a sub-agent that has not ended',
      'agent:main:direct:awake': 'it is awake',
    });
    const bulk = await sessions.bulk({ key: parent }, { do: 'archive' });
    expect(bulk.lines).toMatchObject([{ outcome: 'skipped', why: `a sub-agent has not ended: ${child}` }]);
    const ended = await host.open(idOf(99));
    await ended.record('sessions:delivered', { childKey: child });
    await ended.close();
    clock.advance(60 * dayMs);
    await sessions.hibernate('agent:main:direct:awake');
    expect(Object.values(rulesOf(await sessions.maintain(policy)))).toEqual(Array(3).fill('done (age)'));
  });

  it('puts away what a crash between two generations has left, and nothing of hosts without generations', async () => {
    await using many = await conversations();
    const { clock, sessions, host } = many;
    const key = 'agent:main:main';
    // Begun and never current: a beginning that was cut short.
    await (await host.open('cut-short', { key })).close();
    await (await host.open('alone', { key: 'agent:main:direct:nobody' })).close();
    await (await host.open('own', { key: 'a name of my own' })).close();
    const used = await host.open('used', { key: 'agent:main:direct:used' });
    await used.ingest(say('No generations here.'));
    await used.close();
    await talk(many, [key]);
    const { sessionId: first } = (await sessions.current(key)) ?? { sessionId: '' };
    clock.advance(1_000);
    await sessions.reset(key, { reason: 'new' });
    // As if the process had ended before the old one was put away.
    await host.sessions.patch(first, { state: 'open' });
    await sessions.hibernate(key);
    clock.advance(2 * hourMs);
    const { lines } = await sessions.maintain({ ...off, orphans: true });
    expect(Object.fromEntries(lines.map(({ sessionId, rule, outcome }) => [sessionId, [rule, outcome]]))).toEqual({
      [first]: ['superseded', 'done'],
      'cut-short': ['unfinished', 'done'],
      alone: ['unfinished', 'done'],
      own: ['unfinished', 'done'],
    });
    expect((await sessions.maintain({ ...off, orphans: true })).lines).toEqual([]);
  });

  it('looks into the journal before it archives: a record may be behind it', async () => {
    await using many = await conversations();
    const { clock, sessions, store } = many;
    await talk(many, ['agent:main:direct:busy']);
    const { sessionId = '' } = (await sessions.current('agent:main:direct:busy')) ?? {};
    const before = clock.now();
    clock.advance(40 * dayMs);
    await talk(many, ['agent:main:direct:busy']);
    clock.advance(2 * hourMs);
    const { rev = 0 } = (await store.sessions.get(sessionId)) ?? {};
    await store.sessions.put(sessionId, { updatedAt: before, counters: emptyCounters }, { expectedRev: rev });
    expect((await sessions.maintain()).lines).toMatchObject([{ outcome: 'skipped', why: 'it was used meanwhile' }]);
  });

  it('never touches more than its rules say, and all that they say', async () => {
    const record = fc.record({
      ageHours: fc.integer({ min: 0, max: 2_000 }),
      isRun: fc.boolean(),
      isKept: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 25 }), fc.integer({ min: 0, max: 25 }), async (records, most) => {
        await using many = await conversations();
        const now = many.clock.now();
        for (const [index, { ageHours, isRun }] of records.entries()) {
          const key = isRun ? `agent:main:cron:j:run:${index}` : `agent:main:direct:${index}`;
          const patch: SessionPatch = { key, currentSince: 1, updatedAt: now - ageHours * hourMs };
          await many.put(`s${String(index).padStart(2, '0')}`, patch);
        }
        const keep: MaintenancePolicy['keep'] = ({ sessionId }) => records[Number(sessionId.slice(1))]?.isKept === true;
        const { lines } = await many.sessions.maintain({ maxSessions: most, keep });
        const archived = new Set(lines.map(({ sessionId }) => Number(sessionId.slice(1))));
        // The oracle: newest first, one rule after the other.
        const expected = new Set<number>();
        let staying = 0;
        const order = [...records.entries()].sort(([a, { ageHours: x }], [b, { ageHours: y }]) => x - y || a - b);
        for (const [index, { ageHours, isRun, isKept }] of order) {
          if (isRun) {
            if (!isKept && ageHours >= 24) expected.add(index);
            continue;
          }
          const isTooMuch = ageHours >= 1 && (ageHours >= 720 || staying >= most);
          if (!isKept && isTooMuch) expected.add(index);
          else staying += 1;
        }
        expect([...archived].sort()).toEqual([...expected].sort());
        expect(lines.every(({ outcome }) => outcome === 'done')).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('looks at ten thousand sessions a page at a time, and asks for none of them alone', async () => {
    await using many = await conversations();
    const { store, clock, sessions } = many;
    for (let index = 0; index < 10_000; index += 1) {
      await many.put(`s${index}`, {
        key: `agent:main:direct:${index}`,
        currentSince: 1,
        updatedAt: clock.now() - index,
      });
    }
    const { list, get } = store.sessions;
    let asked = 0;
    store.sessions.list = (query) => {
      asked += 1;
      return list(query);
    };
    store.sessions.get = (sessionId) => {
      asked += 1;
      return get(sessionId);
    };
    const { lines, looked } = await sessions.maintain({ maxSessions: 4_000, keepRecentMs: 0 }, { dryRun: true });
    expect({ looked, lines: lines.length }).toEqual({ looked: 10_000, lines: 6_000 });
    expect(asked).toBeLessThanOrEqual(25);
    asked = 0;
    expect((await sessions.list({ generation: 'current', sort: 'tokens', limit: 10 })).sessions).toHaveLength(10);
    expect(asked).toBeLessThanOrEqual(40);
  });

  it.each<[what: string, policy: object]>([
    ['an unknown rule', { olderThan: 5 }],
    ['an age below 0', { olderThanMs: -1 }],
    ['a limit in bytes that nothing measures', { maxBytes: 5 }],
    ['a predicate that is none', { keep: true }],
  ])('refuses %s', async (_, policy) => {
    await using many = await conversations();
    const refused = await many.sessions.maintain(policy).catch((error: unknown) => error);
    expect(VarveError.is(refused, 'VARVE_OPTION_INVALID')).toBe(true);
  });
});
