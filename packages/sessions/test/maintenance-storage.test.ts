import type { MaintenancePolicy, MaintenanceReport } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { type Conversations, conversations, idOf } from './many-records.ts';

const dayMs = 86_400_000;
const archiving = { olderThanMs: false, maxSessions: false, cronRunsOlderThanMs: false, orphans: false } as const;
const retention = { ...archiving, deleteArchivedAfterMs: 90 * dayMs } as const;
const bob = 'agent:main:direct:bob';
const eve = 'agent:main:direct:eve';

/** Says something in a conversation, and begins it anew, so many times. Gives the ids of its sessions. */
async function generations({ sessions, clock }: Conversations, key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { sessionId } = await sessions.use(key, async (session) => {
      await session.ingest({ role: 'user', content: `Question ${number}` });
      return session;
    });
    ids.push(sessionId);
    clock.advance(1_000);
    if (number < count) await sessions.reset(key, { reason: 'new' });
  }
  await sessions.hibernate(key);
  return ids;
}

const shown = ({ lines }: MaintenanceReport) =>
  Object.fromEntries(
    lines.map(({ sessionId, action, rule, outcome }) => [sessionId, `${action} (${rule}): ${outcome}`]),
  );

const whys = ({ lines }: MaintenanceReport) => lines.map(({ why }) => why);

describe('the maintenance of archived sessions', () => {
  it('packs journals 30 days after they were archived, says first which, and they are read as before', async () => {
    await using many = await conversations();
    const { sessions, clock, host } = many;
    const [first = '', second = ''] = await generations(many, bob, 3);
    expect((await sessions.maintain()).lines).toEqual([]);
    clock.advance(30 * dayMs);
    await sessions.use(bob, (session) => session.ingest({ role: 'user', content: 'Still there.' }));
    const planned = await sessions.maintain(archiving, { dryRun: true });
    expect(planned).toMatchObject({ isDryRun: true, looked: 1, lookedArchived: 2 });
    expect(shown(planned)).toEqual({
      [first]: 'compress (compress): planned',
      [second]: 'compress (compress): planned',
    });
    expect(planned.lines[0]?.found).toBe('archived 30 d ago');
    expect((await host.archives?.list())?.includes(first)).toBe(false);
    expect(Object.values(shown(await sessions.maintain(archiving)))).toEqual(
      Array(2).fill('compress (compress): done'),
    );
    expect((await host.archives?.list())?.includes(first)).toBe(true);
    expect((await sessions.maintain(archiving)).lines).toEqual([]);
    await using read = await host.open(first, { readOnly: true });
    expect(read.view.messages()).toHaveLength(1);
    expect((await host.archives?.list())?.includes(first)).toBe(true);
  });

  it('unpacks a journal when its session is restored', async () => {
    await using many = await conversations();
    const { sessions, clock, host } = many;
    const [first = ''] = await generations(many, bob, 2);
    await (await host.open('alone')).close();
    await host.sessions.patch('alone', { state: 'archived' });
    clock.advance(30 * dayMs);
    await sessions.maintain(archiving);
    expect([(await host.archives?.list())?.includes(first), (await host.archives?.list())?.includes('alone')]).toEqual([
      true,
      true,
    ]);
    await sessions.restore(bob, first);
    await sessions.bulk({ sessionIds: ['alone'] }, { do: 'restore' });
    expect([(await host.archives?.list())?.includes(first), (await host.archives?.list())?.includes('alone')]).toEqual([
      false,
      false,
    ]);
    expect(await sessions.use(bob, async ({ view }) => view.messages().length)).toBe(1);
  });

  it('deletes nothing unless it is asked to, and then what was archived for so long, with its record', async () => {
    await using many = await conversations();
    const { sessions, clock, host, store } = many;
    const [first = '', second = '', current = ''] = await generations(many, bob, 3);
    clock.advance(365 * dayMs);
    await sessions.maintain(archiving);
    const deleted: string[] = [];
    host.events.on('session-deleted', ({ sessionId, reason }) => deleted.push(`${sessionId}: ${reason}`));
    expect(Object.values(shown(await sessions.maintain(retention, { dryRun: true })))).toEqual(
      Array(2).fill('delete (retention): planned'),
    );
    expect(await store.sessions.get(first)).not.toBeNull();
    expect(shown(await sessions.maintain(retention))).toEqual({
      [first]: 'delete (retention): done',
      [second]: 'delete (retention): done',
    });
    expect(deleted).toEqual([first, second].map((id) => `${id}: maintenance: retention`));
    await expect(host.open(first, { readOnly: true })).rejects.toThrow(
      expect.objectContaining({ code: 'VARVE_STORE_MISSING' }),
    );
    expect((await sessions.generations(bob)).map(({ sessionId }) => sessionId)).toEqual([current]);
    expect((await sessions.maintain(retention)).lines).toEqual([]);
  });

  it('never deletes what goes on again, though its journal is in an archive', async () => {
    await using many = await conversations();
    const { sessions, clock, host, store } = many;
    const [first = ''] = await generations(many, bob, 2);
    clock.advance(100 * dayMs);
    await sessions.maintain(archiving);
    // Between the plan and its turn another process makes it the current one.
    const { archives } = host;
    const { list } = store.sessions;
    store.sessions.list = async (query) => {
      const records = await list(query);
      if (query?.state === 'archived') await host.sessions.patch(first, { state: 'open', currentSince: clock.now() });
      return records;
    };
    const report = await sessions.maintain(retention);
    expect(whys(report)).toEqual(['it was used meanwhile']);
    store.sessions.list = list;
    expect((await archives?.list())?.includes(first)).toBe(true);
    expect((await sessions.maintain(retention)).lines).toEqual([]);
    expect(await sessions.use(bob, async ({ view }) => view.messages().length)).toBe(1);
  });

  it('keeps a session whose conversation has open sub-agents, until those are archived', async () => {
    await using many = await conversations();
    const { sessions, clock, host } = many;
    const [first = ''] = await generations(many, bob, 2);
    const child = 'agent:main:subagent:child';
    await (await host.open(idOf(99), { key: child, parentSessionKey: bob })).close();
    clock.advance(100 * dayMs);
    for (const dryRun of [true, false]) {
      const report = await sessions.maintain({ ...retention, keep: ({ key }) => key === child }, { dryRun });
      expect(whys(report)).toEqual([`a sub-agent of its conversation is open: ${child}`]);
    }
    await host.sessions.patch(idOf(99), { state: 'archived' });
    expect(shown(await sessions.maintain(retention))).toEqual({ [first]: 'delete (retention): done' });
  });

  it('keeps the last session of an archived conversation only while it says what is forbidden there', async () => {
    await using many = await conversations();
    const { sessions, clock } = many;
    const ids = new Map<string, string>();
    for (const key of [bob, eve]) {
      ids.set(key, (await generations(many, key, 1))[0] ?? '');
      if (key === eve) await sessions.use(key, (session) => session.set('send', 'off'));
      await sessions.archive(key);
    }
    clock.advance(91 * dayMs);
    const report = await sessions.maintain(retention);
    expect(shown(report)).toEqual({
      [ids.get(bob) ?? '']: 'delete (retention): done',
      [ids.get(eve) ?? '']: 'delete (retention): skipped',
    });
    expect(whys(report)).toContain('the next session of its conversation takes over what it says of: send');
    const { send } = await sessions.use(eve, async ({ view }) => view.settings);
    expect(send).toBe('off');
    clock.advance(91 * dayMs);
    expect(shown(await sessions.maintain(retention))).toEqual({ [ids.get(eve) ?? '']: 'delete (retention): done' });
  });

  it('deletes, though the store packs nothing, and says so where it deletes nothing', async () => {
    await using many = await conversations();
    const { sessions, clock, host } = many;
    const [first = ''] = await generations(many, bob, 2);
    clock.advance(100 * dayMs);
    Object.assign(host, { archives: undefined });
    const { remove } = host;
    Object.assign(host, { remove: undefined });
    for (const dryRun of [true, false]) {
      const refused = await sessions.maintain(retention, { dryRun });
      expect(refused.lookedArchived).toBe(1);
      expect(whys(refused)).toEqual(['the store deletes no sessions']);
    }
    Object.assign(host, { remove });
    expect(shown(await sessions.maintain(retention))).toEqual({ [first]: 'delete (retention): done' });
  });

  it('leaves alone what is to be kept, what another host has open, and all with the rules off', async () => {
    await using many = await conversations();
    const { sessions, clock, host } = many;
    const [first = ''] = await generations(many, bob, 2);
    clock.advance(100 * dayMs);
    const kept: MaintenancePolicy = { ...retention, keep: ({ sessionId }) => sessionId === first };
    expect((await sessions.maintain(kept)).lines).toEqual([]);
    expect(await sessions.maintain({ ...archiving, compressArchivedAfterMs: false })).toMatchObject({
      lookedArchived: 0,
      lines: [],
    });
    await using _open = await host.open(first);
    expect(whys(await sessions.maintain(retention))).toEqual([expect.stringContaining('somebody works with it')]);
  });
});
