import { createHost, type Entry, fold, memoryStore, type Session } from '@varve/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };

/** What a session goes through: said, set, noted, sent, compacted, and the newest compaction taken back. */
type Step = 'say' | 'set' | 'note' | 'send' | 'compact' | 'undo';
const step = fc.constantFrom<Step[]>('say', 'set', 'note', 'send', 'compact', 'undo');
const steps = fc.array(step, { maxLength: 16 });

async function carryOut(session: Session, step: Step, number: number): Promise<void> {
  if (step === 'say') {
    await session.ingest({ role: 'user', content: `Question ${number}. ${'And some more of it. '.repeat(8)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${number}. ${'And some more of it. '.repeat(8)}` });
  }
  if (step === 'set') await session.set(`setting-${number}`, number);
  if (step === 'note') await session.setState('todo', `Step ${number}`);
  if (step === 'send') await session.assemble({ model });
  if (step === 'compact') await session.compact('manual', { model });
  const newest = session.view.compaction();
  if (step === 'undo' && newest !== null) await session.undo(newest.id);
}

it('folding the tail gives what folding everything gives', async () => {
  const compactions: number[] = [];
  const law = fc.asyncProperty(steps, async (all) => {
    const store = memoryStore();
    const host = await createHost({ store, clock: { now: () => 0, after: () => () => undefined }, random: () => 0 });
    const session = await host.open('law');
    for (const [number, each] of all.entries()) await carryOut(session, each, number);
    await session.close();
    const journal = await store.open('law');
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    compactions.push(entries.filter(({ type }) => type === 'compaction').length);
    expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries }));
  });
  await fc.assert(law, { seed: 20260303, numRuns: 200 });
  const some = compactions.filter((number) => number > 0).length;
  const several = compactions.filter((number) => number > 1).length;
  console.log(`sessions: ${compactions.length}, with a compaction: ${some}, with two or more: ${several}`);
});
