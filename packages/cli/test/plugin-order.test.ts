import { explainOrder } from '@varve/cli';
import { createHost, definePlugin, type Plugin } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Demand {
  readonly first: number;
  readonly second: number;
  readonly how: 'after' | 'before' | 'requires';
}

const count = 6;

/** Plugins that demand an order of the numbers, listed in any. */
function pluginsOf(demands: readonly Demand[], listed: readonly number[]): readonly Plugin[] {
  const name = (number: number): string => `p${number}`;
  return listed.map((number) => {
    const named = (how: Demand['how'], own: 'first' | 'second'): readonly string[] =>
      demands
        .filter((one) => one.how === how && one[own] === number)
        .map((one) => name(own === 'first' ? one.second : one.first));
    return definePlugin({
      name: name(number),
      version: '1.0.0',
      apiVersion: '^1.0.0',
      after: named('after', 'second'),
      requires: named('requires', 'second'),
      before: named('before', 'first'),
      options: z.strictObject({}),
      apply: () => undefined,
    })();
  });
}

async function placesOf(plugins: readonly Plugin[]): Promise<ReturnType<typeof explainOrder>> {
  await using host = await createHost({ plugins });
  return explainOrder(
    plugins,
    host.plugins.map(({ name }) => name),
  );
}

describe('explainOrder', () => {
  it('names the plugin that another one waits for, and by whose demand', async () => {
    const demands: readonly Demand[] = [
      { first: 1, second: 0, how: 'after' },
      { first: 3, second: 2, how: 'requires' },
      { first: 5, second: 4, how: 'before' },
    ];
    const places = await placesOf(pluginsOf(demands, [0, 1, 2, 3, 4, 5]));
    expect(places.map(({ name, why }) => `${name} ${why}`)).toEqual([
      'p1 as listed',
      'p0 behind p1, which it names in "after"',
      'p3 as listed',
      'p2 behind p3, which it requires',
      'p5 as listed',
      'p4 behind p5, which names it in "before"',
    ]);
  });

  it('says of exactly those that run later than listed whom they wait for: the last one before them', async () => {
    const demand = fc
      .record({ a: fc.nat(count - 1), b: fc.nat(count - 1), how: fc.constantFrom('after', 'before', 'requires') })
      .filter(({ a, b }) => a !== b)
      // By number, so that there is no cycle.
      .map(({ a, b, how }): Demand => ({ first: Math.min(a, b), second: Math.max(a, b), how }));
    const listed = fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count });
    await fc.assert(
      fc.asyncProperty(fc.array(demand, { maxLength: 8 }), listed, async (demands, order) => {
        const places = await placesOf(pluginsOf(demands, order));
        for (const [index, { name, listed: position, moved, why }] of places.entries()) {
          expect(order[position - 1]).toBe(Number(name.slice(1)));
          expect(moved).toBe(places.slice(0, index).some((earlier) => earlier.listed > position));
          const [, waited] = /^behind (p\d), /.exec(why) ?? [];
          expect(why === 'as listed').toBe(!moved);
          if (!moved) continue;
          const firsts = demands.filter(({ second }) => `p${second}` === name).map(({ first }) => `p${first}`);
          const last = places.slice(0, index).findLast((earlier) => firsts.includes(earlier.name));
          expect(waited).toBe(last?.name);
        }
      }),
      { numRuns: 60 },
    );
  });
});
