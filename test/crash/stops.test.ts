import { describe, expect, it } from 'vitest';
import { type Claim, judgeStop } from './oracle/judge-stop.ts';
import { readTrace } from './oracle/read-trace.ts';
import { runPart } from './stops/run-part.ts';
import { runTrace } from './trace/run-trace.ts';

/** The whole run, `pnpm test:crash`, has seed 1 and tries every byte; this is another one. */
const options = { seed: 7, share: 0, of: 1 };

describe('a disk that is stopped', () => {
  it('holds what was acknowledged, in order and nothing else, wherever it is stopped', async () => {
    const { points, failed, faults, notes } = await runPart('every-byte', { ...options, count: 201 });
    expect(faults).toEqual([]);
    expect(failed).toBe(0);
    expect(notes).toMatchObject({ operations: 200, compactions: 3, resets: 3, replaced: 2, packed: 4 });
    expect(points).toBeGreaterThan(500);
  });

  it.each(['power', 'some-power'] as const)('holds it when what was not synced is lost: %s', async (part) => {
    const { points, faults } = await runPart(part, { ...options, count: 150 });
    expect(faults).toEqual([]);
    expect(points).toBe(150);
  });

  it('holds it on the real disk', async () => {
    const { points, faults } = await runPart('disk', { ...options, count: 30 });
    expect(faults).toEqual([]);
    expect(points).toBe(30);
  });

  it('holds it when syncs fail and drop what was to be written', async () => {
    expect((await runPart('failed-syncs', { ...options, count: 20 })).faults).toEqual([]);
  });

  it('loses at most the entry in which a bit is another, and names the place', async () => {
    const { faults, notes } = await runPart('flips', { ...options, count: 80 });
    expect(faults).toEqual([]);
    const { 'in indexes': inIndexes = 0, 'in archives': inArchives = 0, lossy = 0 } = notes;
    expect(inArchives).toBeGreaterThan(0);
    expect(inIndexes).toBeGreaterThan(0);
    expect(lossy).toBeGreaterThan(0);
  });
});

describe('a process that appends', () => {
  it('syncs before it acknowledges, and many appends with one sync', (context) => {
    const counts = runTrace({ alone: 20, inFlight: 64, rounds: 4 });
    if ('skipped' in counts) return context.skip(counts.skipped);
    expect(counts.tooEarly).toEqual([]);
    expect(counts).toMatchObject({ acknowledged: 20 + 64 * 4, recorded: 20, alone: { appends: 20, syncs: 20 } });
    expect(counts.inFlight.syncs * 16).toBeLessThanOrEqual(counts.inFlight.appends);
  });
});

const appended: Claim = { kind: 'append', sessionId: 'one', texts: ['{"seq":1}', '{"seq":2}'], askedAt: 1, doneAt: 4 };
const pending: Claim = { kind: 'append', sessionId: 'one', texts: ['{"seq":3}', '{"seq":4}'], askedAt: 5, doneAt: 9 };
const recorded: Claim = { kind: 'put', sessionId: 'one', texts: ['{"rev":1,"a":2}'], askedAt: 2, doneAt: 3 };

describe('the judge of stops', () => {
  const rows: readonly [what: string, at: number, entries: readonly string[], rules: readonly string[]][] = [
    ['has nothing against what was acknowledged', 4, appended.texts, []],
    ['allows what was asked for', 6, [...appended.texts, ...pending.texts], []],
    ['allows that what was asked for is not there', 6, appended.texts, []],
    ['finds what is lost', 4, ['{"seq":2}'], ['lost']],
    ['finds what nobody gave', 4, [...appended.texts, '{"seq":9}'], ['changed']],
    ['finds what was not asked for yet', 4, [...appended.texts, ...pending.texts], ['changed']],
    ['finds another order', 4, appended.texts.toReversed(), ['append']],
    ['finds what is there twice', 4, [...appended.texts, '{"seq":2}'], ['append']],
    ['finds a part of an append', 6, [...appended.texts, '{"seq":3}'], ['append']],
    ['finds that what was acknowledged later is lost', 9, appended.texts, ['lost']],
  ];

  it.each(rows)('%s', (_what, at, entries, rules) => {
    const seen = new Map([['one', { entries, record: '{"a":2,"rev":1}' }]]);
    expect(judgeStop([appended, recorded, pending], { at, seen }).map(({ rule }) => rule)).toEqual(rules);
  });

  it('finds a record that is gone, or of an earlier time', () => {
    for (const record of [null, '{"rev":0}', '{"rev":1,"a":3}']) {
      const seen = new Map([['one', { entries: appended.texts, record }]]);
      expect(judgeStop([appended, recorded], { at: 4, seen })).toMatchObject([{ rule: 'lost' }]);
    }
  });
});

describe('the reader of traces', () => {
  const write = '71 writev(20</r/sessions/one.jsonl>, [], 1) = 300';
  const sync = '72 fdatasync(20</r/sessions/one.jsonl>) = 0';
  const said = '71 write(1<pipe:[1]>, "acknowledged 1\\n", 15) = 15';

  it('has nothing against a sync between a write and its acknowledgement', () => {
    expect(readTrace([write, sync, said].join('\n'))).toMatchObject({ acknowledged: 1, tooEarly: [] });
  });

  it.each([
    ['no sync', [write, said]],
    ['a sync that came later', [write, said, sync]],
    ['a sync before the write', [sync, write, said]],
    ['a sync that has not ended', [write, sync.replace(' = 0', ' <unfinished ...>'), said]],
    ['the sync of another file', [write, sync.replace('one', 'two'), said]],
  ])('finds an acknowledgement with %s', (_what, lines) => {
    expect(readTrace(lines.join('\n')).tooEarly).toHaveLength(1);
  });
});
