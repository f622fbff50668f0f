import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setStage } from './stage.ts';
import { gate } from './talk.ts';

const key = 'agent:main:main';

/** What is asked for in one go, in order: to work with the conversation, or to reset it, which happens alone. */
type Asking = 'use' | 'alone';

/** Passes so many steps of whatever else goes on. */
async function passes(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await Promise.resolve();
}

describe('who works with one conversation', () => {
  it('are as many at once as want to', async () => {
    await using stage = await setStage();
    const { opened, open } = gate();
    const many = 5_000;
    let inside = 0;
    const all = Array.from({ length: many }, () =>
      stage.sessions.use(key, async () => {
        inside += 1;
        if (inside === many) open();
        await opened;
      }),
    );
    await Promise.all(all);
    expect(inside).toBe(many);
  });

  it('never works beside who is alone, and comes after all who asked before', async () => {
    const asking = fc.array(
      fc.record({ asks: fc.constantFrom<Asking>('use', 'use', 'alone'), steps: fc.nat(12), fails: fc.boolean() }),
      { minLength: 1, maxLength: 24 },
    );
    await fc.assert(
      fc.asyncProperty(asking, async (askings) => {
        await using stage = await setStage();
        await stage.sessions.use(key, (session) => session.ingest({ role: 'user', content: 'Hello!' }));
        const begun: number[] = [];
        const ended = new Set<number>();
        const running = new Set<number>();
        const all = askings.map(async ({ asks, steps, fails }, index) => {
          const work = async (): Promise<boolean> => {
            const before = askings.slice(0, index);
            const beside = [...running].map((other) => askings[other]?.asks);
            expect(asks === 'alone' ? beside : beside.filter((other) => other === 'alone')).toEqual([]);
            // Whoever is alone, or comes behind somebody who is, waits for all of those before.
            const last = asks === 'alone' ? index : before.findLastIndex((other) => other.asks === 'alone') + 1;
            expect([...Array(last).keys()].filter((other) => !ended.has(other))).toEqual([]);
            begun.push(index);
            running.add(index);
            await passes(steps);
            running.delete(index);
            ended.add(index);
            if (fails) throw new Error('It failed.');
            return false;
          };
          if (asks === 'use') await stage.sessions.use(key, work);
          else await stage.sessions.reset(key, { reason: 'test', abort: false, confirm: work });
        });
        const settled = await Promise.allSettled(all);
        const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
        expect(failed.filter(({ message }) => message !== 'It failed.')).toEqual([]);
        expect(failed).toHaveLength(askings.filter(({ fails }) => fails).length);
        expect(begun).toEqual([...askings.keys()]);
      }),
      { numRuns: 200 },
    );
  });

  it('and joins from within does not wait for who waits to be alone', async () => {
    await using stage = await setStage();
    const order: string[] = [];
    let reset: Promise<unknown> = Promise.resolve();
    await stage.sessions.use(key, async () => {
      reset = stage.sessions.reset(key, { reason: 'test', abort: false }).then(() => order.push('reset'));
      const later = stage.sessions.use(key, async () => order.push('use'));
      await stage.sessions.join(key, async () => order.push('join'));
      await stage.sessions.join(key, async () => order.push('join'));
      reset = Promise.all([reset, later]);
    });
    await reset;
    expect(order.slice(0, 2)).toEqual(['join', 'join']);
    expect(order.toSorted()).toEqual(['join', 'join', 'reset', 'use']);
  });
});
