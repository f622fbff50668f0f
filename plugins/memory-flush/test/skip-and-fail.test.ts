import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { breakFiles } from '../../workspace-layers/test/broken-files.ts';
import {
  deferredAnswer,
  fillTo,
  flushesOf,
  flushHost,
  notesIn,
  noteWriter,
  said,
  talker,
  tapEnded,
  workspace,
} from './flush-host.ts';

const model = talker.ref;
const note = (): string => '- A note.';

describe('nothing is saved', () => {
  it.each(['heartbeat', 'cron'] as const)(
    'after a turn of the kind %s, and the next user turn makes up for it',
    async (kind) => {
      const dir = workspace();
      const writer = noteWriter(note);
      const { open, host } = await flushHost(dir, { model: writer });
      const session = await open('s');
      await fillTo(session, 'soft');
      const [first, second] = [tapEnded(host), tapEnded(host, 2)];
      await session.turn({ message: said('Tick.'), model: talker, kind });
      await first;
      expect(await flushesOf(session)).toMatchObject([
        { status: 'skipped', why: `The turn is one of the kind ${kind}.` },
      ]);
      expect([writer.asked, notesIn(dir)]).toEqual([[], {}]);
      await fillTo(session, 'soft');
      await session.turn({ message: said('Really?'), model: talker });
      await second;
      expect((await flushesOf(session)).at(-1)).toMatchObject({ status: 'saved' });
      expect(writer.asked[0]).toContain('Message 1.');
    },
  );

  it('of an incognito session, nor later of what was said while it was one', async () => {
    const dir = workspace();
    const writer = noteWriter(note);
    const { open } = await flushHost(dir, { model: writer });
    const session = await open('s');
    await session.ingest(said('Open one.'));
    await session.set('incognito', true);
    await session.ingest(said('The secret.'));
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([{ status: 'skipped', why: 'The session is incognito.' }]);
    await session.set('incognito', false);
    await session.ingest(said('Open two.'));
    await session.compact('manual', { model });
    expect(writer.asked).toHaveLength(1);
    const [asked = ''] = writer.asked;
    expect(['Open one.', 'The secret.', 'Open two.'].map((text) => asked.includes(text))).toEqual([true, false, true]);
  });

  it('of a sub-agent', async () => {
    const dir = workspace();
    const { open } = await flushHost(dir, { model: noteWriter(note) });
    const session = await open('child', { key: 'agent:main:subagent:0191d7a2' });
    await session.ingest(said('Do it.'));
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([{ status: 'skipped', why: 'The session is that of a sub-agent.' }]);
    expect(notesIn(dir)).toEqual({});
  });

  it('where the workspace is read-only: no model is asked, the reason is recorded once, and the compaction goes on', async () => {
    const writer = noteWriter(note);
    const { open, warnings } = await flushHost(workspace(), { model: writer });
    const session = await open('s');
    await fillTo(session, 'soft');
    breakFiles({ code: 'EROFS', calls: ['access'] });
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([
      { status: 'skipped', why: 'The workspace cannot be written to.', cycle: null },
    ]);
    expect(writer.asked).toEqual([]);
    expect(warnings).toEqual([]);
    expect(session.health().findings).toEqual([]);
  });

  it('by a plan', async () => {
    const writer = noteWriter(note);
    const { open } = await flushHost(workspace(), { model: writer });
    const session = await open('s');
    await fillTo(session, 'soft');
    await session.plan('manual', { model });
    expect(writer.asked).toEqual([]);
  });
});

describe('a failure', () => {
  it('never stops a compaction, is tried again, and ends the cycle with a warning at the third time', async () => {
    const writer = noteWriter(() => Promise.reject(new Error('no quota')));
    const { open, warnings } = await flushHost(workspace(), { model: writer });
    const session = await open('s');
    await session.ingest(said('Hello.'));
    for (let n = 0; n < 5; n += 1) await session.compact('manual', { model });
    expect(writer.asked).toHaveLength(3);
    expect((await flushesOf(session)).map(({ status, failures, why }) => [status, failures, why])).toEqual([
      ['failed', 1, 'no quota'],
      ['failed', 2, 'no quota'],
      ['given-up', 3, 'no quota'],
    ]);
    expect(warnings).toEqual(['memory-flush: Nothing is saved before this compaction; 3 attempts failed. no quota']);
    expect(session.health().findings).toMatchObject([{ name: 'memory-flush', failures: 3, lastError: 'no quota' }]);
  });

  it('is counted across restarts, and the next cycle makes up for what was not saved', async () => {
    const dir = workspace();
    const store = memoryStore();
    for (let life = 0; life < 3; life += 1) {
      const { open, host } = await flushHost(dir, {
        model: noteWriter(() => Promise.reject(new Error('down'))),
        store,
      });
      const session = await open('s');
      await session.ingest(said(`The question of life ${life}.`));
      if (life === 0) await fillTo(session, 'soft');
      if (life < 2) await session.compact('background', { model });
      else expect((await session.compact('manual', { model })).status).toBe('compacted');
      await host.close();
    }
    const writer = noteWriter(note);
    const { open } = await flushHost(dir, { model: writer, store });
    const session = await open('s');
    const before = await flushesOf(session);
    await session.ingest(said('And now.'));
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    expect((await flushesOf(session)).slice(before.length)).toMatchObject([{ status: 'saved', failures: 0 }]);
    expect(writer.asked[0]).toContain('The question of life 0.');
  });

  it('is an answer without notes, and half an answer loses no more than its last line', async () => {
    const dir = workspace();
    const { open } = await flushHost(dir, { model: noteWriter(() => 'I will gladly help you with that!') });
    const session = await open('s');
    await session.ingest(said('Hello.'));
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([
      { status: 'failed', why: 'The answer of test/writer holds no notes.' },
    ]);
    const cutOff = {
      ref: { provider: 'test', model: 'writer' },
      generate: async () => ({
        message: { role: 'assistant', content: '- One note.\n- Half a no', stop: 'length' } as const,
        usage: null,
      }),
    };
    const other = await flushHost(dir, { model: cutOff });
    const again = await other.open('s');
    await again.ingest(said('Hello.'));
    await again.compact('manual', { model });
    expect(notesIn(dir)['2026-03-02.md']?.match(/^- .*/gm)).toEqual(['- One note.']);
  });

  it('is a model that never answers: it is given up on in time to be recorded', async () => {
    const { answer, asked } = deferredAnswer();
    const { open, clock } = await flushHost(workspace(), { model: noteWriter(answer) });
    const session = await open('s');
    await fillTo(session, 'soft');
    const compacting = session.compact('manual', { model });
    await asked;
    clock.advance(175_000);
    expect((await compacting).status).toBe('compacted');
    expect(await flushesOf(session)).toMatchObject([{ status: 'failed', why: 'Notes were not ready within 175 s.' }]);
  });

  it('is a full disk', async () => {
    const dir = workspace();
    const { open } = await flushHost(dir, { model: noteWriter(note) });
    const session = await open('s');
    await fillTo(session, 'soft');
    breakFiles({ code: 'ENOSPC', calls: ['open'] });
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    expect(await flushesOf(session)).toMatchObject([
      { status: 'failed', why: 'Notes could not be written to memory/2026-03-02.md: ENOSPC.' },
    ]);
  });

  it('is a disk that fills up in the middle of a note: what is half written is read by nobody, and joins no other note', async () => {
    const dir = workspace();
    const { open } = await flushHost(dir, { model: noteWriter(() => '- The first note.\n- The second note.') });
    const session = await open('s');
    await fillTo(session, 'soft');
    breakFiles({ fillsUpAfter: 40 });
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([{ status: 'failed' }]);
    breakFiles({});
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    const lines = readFileSync(join(dir, 'memory/2026-03-02.md'), 'utf8').split('\n');
    expect(lines[0]).toMatch(/^<!-- varve: private\([^)]*$/);
    expect(lines[1]).toMatch(/^<!-- varve: private\(agent:main:telegram:direct:user_123\) .* -->$/);
    expect(lines.slice(2, 4)).toEqual(['- The first note.', '- The second note.']);
  });

  it('is a file of the day that is a link, or a folder of notes that lies elsewhere', async () => {
    const [dir, outside] = [workspace(), workspace()];
    writeFileSync(join(outside, 'secret'), 'As it was.');
    symlinkSync(join(outside, 'secret'), join(dir, 'memory', '2026-03-02.md'));
    const { open } = await flushHost(dir, { model: noteWriter(note) });
    const session = await open('s');
    await session.ingest(said('Hello.'));
    await session.compact('manual', { model });
    rmSync(join(dir, 'memory'), { recursive: true });
    symlinkSync(join(outside, 'memory'), join(dir, 'memory'));
    await session.compact('manual', { model });
    const why = 'Notes are not written to memory/2026-03-02.md: it is a link.';
    expect(await flushesOf(session)).toMatchObject([
      { status: 'failed', why },
      { status: 'failed', why },
    ]);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('As it was.');
    expect(notesIn(outside)).toEqual({});
  });

  it('is not a file that is replaced while the model writes: the notes go to the one that is there', async () => {
    const dir = workspace();
    const { answer, asked, give } = deferredAnswer();
    writeFileSync(join(dir, 'memory', '2026-03-02.md'), 'Old.\n');
    const { open } = await flushHost(dir, { model: noteWriter(answer) });
    const session = await open('s');
    await session.ingest(said('Hello.'));
    const compacting = session.compact('manual', { model });
    await asked;
    mkdirSync(join(dir, 'other'));
    writeFileSync(join(dir, 'other', 'new.md'), 'New.\n');
    renameSync(join(dir, 'other', 'new.md'), join(dir, 'memory', '2026-03-02.md'));
    give('- A note.');
    await compacting;
    expect(notesIn(dir)['2026-03-02.md']).toMatch(/^New\.\n<!-- varve: .* -->\n- A note\.\n/);
  });
});

describe('a flush that is cut short', () => {
  it('is done again by the next life of the session', async () => {
    const [dir, store] = [workspace(), memoryStore()];
    const { answer, asked } = deferredAnswer();
    const first = await flushHost(dir, { model: noteWriter(answer), store });
    const session = await first.open('s');
    await fillTo(session, 'hard');
    await session.turn({ message: said('And now?'), model: talker });
    await asked;
    await first.host.close();
    expect(notesIn(dir)).toEqual({});
    const writer = noteWriter(note);
    const second = await flushHost(dir, { model: writer, store });
    const again = await second.open('s');
    expect(await flushesOf(again)).toEqual([]);
    await fillTo(again, 'soft');
    await again.compact('manual', { model });
    expect(await flushesOf(again)).toMatchObject([{ status: 'saved' }]);
  });
});
