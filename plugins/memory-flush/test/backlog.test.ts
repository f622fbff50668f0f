import type { Session } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { fillTo, flushesOf, flushHost, notesIn, noteWriter, said, talker, workspace } from './flush-host.ts';

const model = talker.ref;

/** The numbers of the decisions in a text, in their order. */
function decisionsIn(text: string): readonly number[] {
  return [...text.matchAll(/DECISION-(\d+):/g)].map(([, digits]) => Number(digits));
}

/** Compacts until a flush says that nothing is left, each time with something new to compact. */
async function untilNothingIsLeft(session: Session): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await session.ingest(said(`Round ${round}.`, 300));
    await session.ingest({ role: 'assistant', content: 'Noted.' });
    await session.compact('manual', { model });
    if ((await flushesOf(session)).at(-1)?.more === false) return;
  }
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('more than one flush can read', () => {
  it('is read from the oldest on, recorded as far as it was read, and gone on with by the next ones', async () => {
    const dir = workspace();
    const writer = noteWriter(
      ({ asked }) =>
        decisionsIn(asked)
          .map((n) => `- Decided ${n}.`)
          .join('\n') || 'NO_REPLY',
    );
    const { open } = await flushHost(dir, { model: writer, inputTokens: 1_000, budget: { inputTokens: 40_000 } });
    const session = await open('s');
    for (const n of upTo(40)) {
      await session.ingest({ role: 'user', content: `DECISION-${n}: ${'clay '.repeat(400)}`.trim() });
      await session.ingest({ role: 'assistant', content: 'Noted.' });
    }
    await session.compact('manual', { model });
    const first = (await flushesOf(session))[0];
    const read = writer.asked.flatMap(decisionsIn);
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(40);
    expect(read).toEqual(upTo(read.length));
    // Of two entries a decision, the last one that was read is the last decision or the answer to it.
    expect(first).toMatchObject({ status: 'saved', more: true });
    expect(Math.ceil((first?.savedSeq ?? 0) / 2)).toBe(read.length);
    expect(notesIn(dir)['2026-03-02.md']).toContain(`entries=1-${first?.savedSeq} `);

    await untilNothingIsLeft(session);
    expect(writer.asked.flatMap(decisionsIn)).toEqual(upTo(40));
    expect(
      notesIn(dir)
        ['2026-03-02.md']?.match(/(?<=- Decided )\d+/g)
        ?.map(Number),
    ).toEqual(upTo(40));
    expect((await flushesOf(session)).at(-1)).toMatchObject({ more: false });
  });

  it('is left to the next flush also when it is too many messages, whatever their size', async () => {
    const writer = noteWriter(() => 'NO_REPLY');
    const { open } = await flushHost(workspace(), { model: writer, budget: { inputTokens: 400_000 } });
    const session = await open('s');
    for (const n of upTo(3_050)) await session.ingest({ role: 'user', content: `DECISION-${n}: ${n}.` });
    await session.compact('manual', { model });
    expect(await flushesOf(session)).toMatchObject([{ status: 'nothing', savedSeq: 3_000, more: true }]);
    await untilNothingIsLeft(session);
    expect(writer.asked.flatMap(decisionsIn)).toEqual(upTo(3_050));
  });

  it('never has what was said while the session was incognito, wherever the reading ended', async () => {
    const writer = noteWriter(() => 'NO_REPLY');
    const { open } = await flushHost(workspace(), {
      model: writer,
      inputTokens: 1_000,
      budget: { inputTokens: 40_000 },
    });
    const session = await open('s');
    const decide = (n: number) =>
      session.ingest({ role: 'user', content: `DECISION-${n}: ${'clay '.repeat(400)}`.trim() });
    for (const n of upTo(40)) {
      await decide(n);
      await session.set('incognito', true);
      await session.ingest(said('The secret.'));
      await session.set('incognito', false);
    }
    await session.compact('manual', { model });
    await untilNothingIsLeft(session);
    expect(writer.asked.flatMap(decisionsIn)).toEqual(upTo(40));
    expect(writer.asked.join('\n')).not.toContain('The secret.');
  });

  it('is facts of the digest, too: those that no flush has written down are written down by the next one', async () => {
    const dir = workspace();
    const { open } = await flushHost(dir, { budget: { inputTokens: 40_000 } });
    const session = await open('s');
    for (const n of upTo(450)) {
      await session.ingest({ role: 'user', content: `We decided to use port ${4_000 + n} for service${n}.` });
    }
    await session.compact('manual', { model });
    const [first] = await flushesOf(session);
    expect(first).toMatchObject({ status: 'saved', more: true });
    const ports = (): readonly number[] =>
      [...(notesIn(dir)['2026-03-02.md'] ?? '').matchAll(/^- We decided to use port (\d+)/gm)].map(([, digits]) =>
        Number(digits),
      );
    expect(ports()).toEqual(upTo(first?.savedSeq ?? 0).map((n) => 4_000 + n));
    await untilNothingIsLeft(session);
    expect(ports()).toEqual(upTo(450).map((n) => 4_000 + n));
  });
});

describe('facts of the digest', () => {
  it('that a skipped flush has left are written down by the next one, although the digest has them by then', async () => {
    const dir = workspace();
    const { open, host } = await flushHost(dir);
    const session = await open('s');
    await session.ingest({ role: 'user', content: 'We decided to use PostgreSQL 16 for the ledger.' });
    await fillTo(session, 'soft');
    const committed = new Promise<void>((resolve) => {
      host.events.on('compaction-committed', () => resolve());
    });
    await session.turn({ message: said('Tick.'), model: talker, kind: 'cron' });
    await committed;
    expect((await flushesOf(session)).map(({ status }) => status)).toEqual(['skipped']);
    await fillTo(session, 'soft');
    await session.compact('manual', { model });
    expect((await flushesOf(session)).at(-1)).toMatchObject({ status: 'saved' });
    expect(notesIn(dir)['2026-03-02.md']?.match(/PostgreSQL 16/g)).toHaveLength(1);
  });
});
