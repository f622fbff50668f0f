import { createHost, createTokenCounter, type SessionPressure, type TokenCounter } from '@varve/core';
import { memoryFlush } from '@varve/plugin-memory-flush';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  direct,
  entriesOf,
  flushesOf,
  flushHost,
  notesIn,
  noteWriter,
  said,
  talker,
  tapEnded,
  workspace,
} from './flush-host.ts';

/** Counts words, so that sizes are what a test says. */
const words: TokenCounter = createTokenCounter(
  'words',
  (text) => text.split(/\s+/).filter((word) => word !== '').length,
);

interface Growth {
  readonly window: number;
  readonly reserve: number;
  /** Tokens at which turns begin, and what each of them adds. */
  readonly from: number;
  readonly step: number;
}

/** Talks until the first compaction is there. Gives what was stored, in order, and how full the prompt was at the flush. */
async function untilCompacted({ window, reserve, from, step }: Growth): Promise<{
  readonly order: readonly string[];
  readonly atFlush: SessionPressure | null;
}> {
  let atFlush: SessionPressure | null = null;
  const writer = noteWriter(() => {
    atFlush ??= pressure();
    return '- [#1] A note.';
  });
  const host = await createHost({
    clock: manualClock(),
    tokens: words,
    budget: { contextTokens: window, outputReserveRatio: reserve / window },
    plugins: [memoryFlush({ dir: workspace(), timeZone: 'UTC', model: writer }), summaryCompaction()],
  });
  onTestFinished(() => host.close());
  const session = await host.open('s', { key: direct });
  const order: string[] = [];
  const pressure = (): SessionPressure => session.pressure({ model: talker.ref });
  host.events.on('entry-appended', ({ entry: { type } }) => {
    if (type === 'memory-flush:flush' || type === 'compaction') order.push(type);
  });
  await session.ingest({ role: 'user', content: 'The task.' });
  await session.ingest({ role: 'assistant', content: 'Begun.' });
  while (pressure().tokens < from) {
    await session.ingest({ role: 'user', content: 'clay '.repeat(Math.min(2_000, from - pressure().tokens)) });
    await session.ingest({ role: 'assistant', content: 'Noted.' });
  }
  let ended: Promise<void> | null = tapEnded(host);
  for (let turn = 0; !order.includes('compaction') && turn < 400; turn += 1) {
    await session.turn({ message: { role: 'user', content: 'silt '.repeat(step) }, model: talker });
    if (pressure().level === 'none') continue;
    await ended;
    ended = null;
  }
  return { order, atFlush };
}

describe('the order', () => {
  it('R-12: saves first and compacts then, in a window of 272k with 62.5k reserved that grows to 215k', async () => {
    const { order, atFlush } = await untilCompacted({ window: 272_000, reserve: 62_500, from: 150_000, step: 5_000 });
    expect(order).toEqual(['memory-flush:flush', 'compaction']);
    expect(atFlush?.tokens).toBeGreaterThan(167_600);
    expect(atFlush?.tokens).toBeLessThan(173_000);
    expect(atFlush?.budget.hard).toBe(199_025);
  });

  it('of a flush and its compaction is the same in every window, whatever the steps', async () => {
    const growths = fc
      .record({ window: fc.integer({ min: 4_000, max: 60_000 }), percent: fc.integer({ min: 5, max: 50 }) })
      .chain(({ window, percent }) => {
        const reserve = Math.floor((window * percent) / 100);
        const input = window - reserve;
        return fc.record({
          window: fc.constant(window),
          reserve: fc.constant(reserve),
          from: fc.integer({ min: Math.floor(input * 0.5), max: Math.floor(input * 0.7) }),
          step: fc.integer({ min: Math.ceil(window / 100), max: Math.floor(input * 0.12) }),
        });
      });
    await fc.assert(
      fc.asyncProperty(growths, async (growth) => {
        const { order, atFlush } = await untilCompacted(growth);
        expect(order.slice(0, 2)).toEqual(['memory-flush:flush', 'compaction']);
        expect(atFlush?.level).toBe('soft');
      }),
      { numRuns: 15 },
    );
  });

  it('holds for a message that jumps over the soft limit: the flush begins before the compaction, and is not waited for', async () => {
    const dir = workspace();
    const writer = noteWriter(() => '- [#1] A note.');
    const { open, host } = await flushHost(dir, { model: writer });
    const session = await open('s');
    const ended = tapEnded(host);
    const pressure = (): SessionPressure => session.pressure({ model: talker.ref });
    for (let n = 0; pressure().tokens < pressure().budget.soft - 300; n += 1) {
      await session.ingest(said(`Question ${n}.`, 150));
      await session.ingest({ role: 'assistant', content: `Answer ${n}.` });
    }
    expect(pressure().level).toBe('none');
    const record = await session.turn({ message: said('And this file?', 2_000), model: talker });
    expect(record.compactions.map(({ status }) => status)).toContain('compacted');
    await ended;
    expect(await flushesOf(session)).toMatchObject([{ status: 'saved', cycle: null }]);
    expect(writer.asked[0]).toContain('Question 0.');
    expect(JSON.stringify(await entriesOf(session))).not.toContain('A note.');
  });

  it('keeps every line of two sessions that flush into one file at once', async () => {
    const dir = workspace();
    const lines = (name: string): string[] => Array.from({ length: 50 }, (_, n) => `- ${name} ${n} ${'x'.repeat(700)}`);
    const byName = (asked: string): string => (asked.includes('Ada asks.') ? 'ada' : 'bob');
    const { open } = await flushHost(dir, { model: noteWriter(({ asked }) => lines(byName(asked)).join('\n')) });
    const sessions = [
      await open('a', { key: 'agent:main:direct:ada' }),
      await open('b', { key: 'agent:main:direct:bob' }),
    ];
    await sessions[0]?.ingest(said('Ada asks.'));
    await sessions[1]?.ingest(said('Bob asks.'));
    await Promise.all(sessions.map((session) => session.compact('manual', { model: talker.ref })));
    const written = (notesIn(dir)['2026-03-02.md'] ?? '').split('\n');
    for (const line of [...lines('ada'), ...lines('bob')])
      expect(written.filter((one) => one === line)).toHaveLength(1);
  });

  it('never has two flushes of one session at once', async () => {
    const dir = workspace();
    let [running, most] = [0, 0];
    const writer = noteWriter(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return '- A note.';
    });
    const { open, host } = await flushHost(dir, { model: writer });
    const session = await open('s');
    await session.ingest(said('Hello.'));
    const ended = tapEnded(host, 4);
    const triggers = ['manual', 'overflow', 'manual', 'overflow'] as const;
    await Promise.all(triggers.map((trigger) => session.compact(trigger, { model: talker.ref })));
    await ended;
    expect([most, writer.asked.length]).toEqual([1, 1]);
  });
});
