import { memoryStore, type Store } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { fillTo, flushesOf, flushHost, notesIn, noteWriter, said, talker, workspace } from './flush-host.ts';

const model = talker.ref;

/** A store that loses everything from some moment on, as when the power goes. */
function breakable(inner: Store) {
  const disk = { isBroken: false };
  const store: Store = {
    ...inner,
    open: async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      return {
        ...journal,
        append: async (entries, conditions) =>
          disk.isBroken ? { seq: conditions.expectedSeq + entries.length } : journal.append(entries, conditions),
      };
    },
  };
  return { store, disk };
}

describe('a flush whose notes were written, and that could not record it', () => {
  it('is not done again: the next life goes on behind them', async () => {
    const [dir, inner] = [workspace(), memoryStore()];
    const { store, disk } = breakable(inner);
    const first = await flushHost(dir, {
      store,
      model: noteWriter(() => {
        disk.isBroken = true;
        return '- [#1] The gateway runs on port 4711.';
      }),
    });
    const session = await first.open('s');
    await session.ingest(said('The first question.'));
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    await first.host.close();
    expect(notesIn(dir)['2026-03-02.md']?.match(/4711/g)).toHaveLength(1);

    const writer = noteWriter(() => '- The second note.');
    const second = await flushHost(dir, { store: inner, model: writer });
    const again = await second.open('s');
    expect(await flushesOf(again)).toEqual([]);
    await again.ingest(said('The second question.'));
    await fillTo(again, 'soft');
    await again.compact('manual', { model });
    expect(await flushesOf(again)).toMatchObject([{ status: 'saved' }]);
    const [asked = ''] = writer.asked;
    expect([asked.includes('The first question.'), asked.includes('The second question.')]).toEqual([false, true]);
    const notes = notesIn(dir)['2026-03-02.md'] ?? '';
    expect([notes.match(/4711/g)?.length, notes.match(/The second note/g)?.length]).toEqual([1, 1]);
  });

  it('is done again where the notes are those of another session, or were written in part', async () => {
    const dir = workspace();
    const first = await flushHost(dir, { model: noteWriter(() => '- A note.') });
    const session = await first.open('s');
    await session.ingest(said('The first question.'));
    await session.compact('manual', { model });
    // The same id, in another store: other entries.
    const writer = noteWriter(() => '- A note.');
    const second = await flushHost(dir, { model: writer });
    const other = await second.open('s');
    await other.ingest(said('The first question.'));
    await other.compact('manual', { model });
    expect(writer.asked[0]).toContain('The first question.');
  });
});

describe('entries that cannot be saved', () => {
  const poisoned = (asked: string): string => {
    if (asked.includes('poison')) throw new Error('refused');
    return '- A note.';
  };

  it('do not keep those behind them from being saved for ever: they are left out, with a warning', async () => {
    const dir = workspace();
    const { open, warnings } = await flushHost(dir, { model: noteWriter(({ asked }) => poisoned(asked)) });
    const session = await open('s');
    await session.ingest(said('A poison.'));
    for (let cycle = 0; cycle < 3; cycle += 1) {
      await fillTo(session, 'soft');
      await session.compact('manual', { model });
    }
    const flushes = await flushesOf(session);
    expect(flushes.map(({ status, stuck }) => [status, stuck])).toEqual([
      ['failed', 1],
      ['failed', 2],
      ['saved', 0],
    ]);
    const [first, , last] = flushes;
    expect(last?.savedSeq).toBeGreaterThan(first?.stuckSeq ?? Infinity);
    const failed = `Nothing was saved of #1 to #${first?.stuckSeq}: that failed 3 times, and what follows did not.`;
    expect(last?.why).toContain(failed);
    expect(warnings).toEqual([`memory-flush: ${failed} refused`]);
    expect(notesIn(dir)['2026-03-02.md']).toContain('- A note.');
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    expect((await flushesOf(session)).at(-1)).toMatchObject({ status: 'saved', stuck: 0 });
  });

  it('are not left out while nothing can be saved: when the model is back, they are saved', async () => {
    let isDown = true;
    const writer = noteWriter(() => {
      if (isDown) throw new Error('down');
      return '- A note.';
    });
    const { open, clock } = await flushHost(workspace(), { model: writer });
    const session = await open('s');
    await session.ingest(said('The first question.'));
    for (let cycle = 0; cycle < 5; cycle += 1) {
      await fillTo(session, 'soft');
      await session.compact('manual', { model });
    }
    isDown = false;
    // Core lets a tap that keeps failing rest for a while.
    clock.advance(3_600_000);
    const before = writer.asked.length;
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    expect(writer.asked.slice(before).join('\n')).toContain('The first question.');
    expect((await flushesOf(session)).at(-1)).toMatchObject({ status: 'saved', stuck: 0, stuckSeq: 0 });
  });
});
