import { batchTokens } from '@varve/plugin-ttl-pruning';
import { describe, expect, it } from 'vitest';
import { chars, done, recordsOf, resultsOf, type Talk, type TalkOptions, talk, tool, user } from './talk.ts';

const second = 1_000;
const minute = 60 * second;
const placeholder = '[Old tool result content cleared]';

/** A conversation in mode `auto` without limits, in which everything old is cleared and nothing trimmed. */
function autoTalk({ pruning, ...rest }: TalkOptions = {}): Promise<Talk> {
  const budget = { contextTokens: 1_000_000, inputTokens: null };
  return talk({ budget, pruning: { mode: 'auto', minPrunableToolChars: 0, ...pruning }, ...rest });
}

let files = 0;

/** A turn that reads files of their own. */
async function readFiles({ say, ask }: Talk, sizes: readonly number[]): Promise<void> {
  await say(user());
  for (const size of sizes) {
    await ask();
    files += 1;
    await say(...tool(chars(size, `line ${files}\n`), 'read', { path: `file-${files}` }));
  }
  await ask();
  await say(done());
}

const clearedOf = async ({ ask }: Talk): Promise<number> =>
  resultsOf(await ask()).filter((text) => text === placeholder).length;

describe('the size of a batch that pays', () => {
  const use = { tail: 40_000, growth: 6_400, coldShare: 0 };
  // Columns: prices · share of cold calls · thousands of tokens.
  it.each([
    ['five minutes, always warm', { read: 0.1, write: 1.25 }, 0, 76.7],
    ['five minutes, half of the calls cold', { read: 0.1, write: 1.25 }, 0.5, 20.9],
    ['five minutes, always cold', { read: 0.1, write: 1.25 }, 1, 0],
    ['one hour, always warm', { read: 0.1, write: 2 }, 0, 98.6],
    ['kept by itself, a tenth', { read: 0.1, write: 1 }, 0, 67.9],
    ['kept by itself, half', { read: 0.5, write: 1 }, 0, 22.6],
    ['no cache', { read: 1, write: 1 }, 0, 0],
  ])('is for a cache of %s %o, %d: %d thousand tokens', (_, prices, coldShare, thousands) => {
    expect(batchTokens(prices, { ...use, coldShare }) / 1_000).toBeCloseTo(thousands, 1);
  });

  it('has no bound where carrying costs nothing', () => {
    expect(batchTokens({ read: 0, write: 1 }, use)).toBe(Infinity);
  });

  it('is what a steady conversation is pruned by while its cache is warm', async () => {
    const one = await autoTalk({ pruning: { prices: 'anthropic-5m' } });
    for (let turn = 0; turn < 250; turn += 1) {
      await readFiles(one, [4_000]);
      one.wait(10 * second);
    }
    const pruned = (await recordsOf(one, 'pruned')) as readonly {
      readonly reason: string;
      readonly results: number;
      readonly savedTokens: number;
      readonly rewrittenTokens: number;
    }[];
    // The first request is cold, and has nothing to prune.
    expect(pruned.length).toBeGreaterThan(3);
    for (const { reason, results, savedTokens, rewrittenTokens } of pruned) {
      expect(reason).toBe('warm');
      const tokensOfResult = savedTokens / results;
      // Two calls a turn.
      const steady = { tail: rewrittenTokens, growth: tokensOfResult / 2, coldShare: 0 };
      const expected = batchTokens({ read: 0.1, write: 1.25 }, steady);
      expect(savedTokens, `of ${expected}`).toBeGreaterThan(expected - tokensOfResult);
      expect(savedTokens, `of ${expected}`).toBeLessThan(expected + 2 * tokensOfResult);
    }
  });
});

describe('mode auto with a cold cache', () => {
  it('prunes what pays when the cache has just expired, and nothing before', async () => {
    const one = await autoTalk({ pruning: { prices: 'anthropic-5m' } });
    await readFiles(one, [3_000, 3_000, 3_000, 3_000]);
    one.wait(5 * minute);
    await one.say(user());
    expect(await clearedOf(one), 'exactly as old as the cache lives').toBe(0);
    one.wait(5 * minute + 1);
    expect(await clearedOf(one), 'one millisecond older').toBe(2);
    expect(await recordsOf(one, 'pruned')).toMatchObject([{ reason: 'cold', results: 2, rewrittenTokens: 0 }]);
  });

  // Columns: prices · how long the cache lives, in minutes.
  it.each([
    ['anthropic-5m', 5],
    ['anthropic-1h', 60],
    ['openai', 10],
    [{ read: 0.2, write: 1.1, ttl: '90s' }, 1.5],
    [{ read: 0.2, write: 1.1, ttl: 2 }, 2],
  ] as const)('takes the life of the cache from the prices %o: %d minutes', async (prices, minutes) => {
    const one = await autoTalk({ pruning: { prices } });
    await readFiles(one, [3_000, 3_000, 3_000, 3_000]);
    one.wait(minutes * minute);
    await one.say(user());
    expect(await clearedOf(one)).toBe(0);
    one.wait(minutes * minute + 1);
    expect(await clearedOf(one)).toBe(2);
  });

  it('prunes an imported conversation in its first request', async () => {
    const one = await autoTalk();
    await one.say(user(), ...[1, 2, 3, 4].flatMap((path) => tool(chars(3_000), 'read', { path })), done(), user());
    expect(await clearedOf(one)).toBe(2);
  });

  it('prunes when another model is asked, whose cache knows nothing of the conversation', async () => {
    const one = await autoTalk();
    await readFiles(one, [3_000, 3_000, 3_000, 3_000]);
    await one.say(user());
    const prompt = await one.session.assemble({ model: { provider: 'test', model: 'test-2' } });
    expect(resultsOf(prompt).filter((text) => text === placeholder)).toHaveLength(2);
  });

  it('prunes when a compaction has just replaced the front of the prompt', async () => {
    const prices = { read: 0.01, write: 10, ttl: '5m' };
    const one = await autoTalk({ budget: { contextTokens: 200_000 }, pruning: { prices, keepLastAssistants: 1 } });
    for (let turn = 0; turn < 30; turn += 1) await readFiles(one, [3_000]);
    await one.say(user());
    expect(await clearedOf(one)).toBe(0);
    one.wait(second);
    const outcome = await one.session.compact('manual', { model: { provider: 'test', model: 'test-1' } });
    expect(outcome.status).toBe('compacted');
    expect(await clearedOf(one)).toBe(1);
    expect(await recordsOf(one, 'pruned')).toMatchObject([{ reason: 'cold', results: 1 }]);
  });

  it('takes the cache for warm again once a compaction is answered, also when the clock was set back meanwhile', async () => {
    for (const back of [0, 180 * minute]) {
      const prices = { read: 0.01, write: 10, ttl: '5m' };
      const one = await autoTalk({
        budget: { contextTokens: 200_000 },
        pruning: { prices, keepLastAssistants: 1 },
        now: 200 * minute,
      });
      for (let turn = 0; turn < 30; turn += 1) await readFiles(one, [3_000]);
      await one.say(user());
      await one.ask();
      one.wait(second);
      await one.session.compact('manual', { model: { provider: 'test', model: 'test-1' } });
      one.wait(-back);
      for (let turn = 0; turn < 9; turn += 1) {
        await readFiles(one, [3_000]);
        one.wait(second);
      }
      // The one that stands behind the compaction; what nine turns have read stays, since the cache holds it.
      expect(await recordsOf(one, 'pruned'), `set back by ${back}`).toMatchObject([{ reason: 'cold', results: 1 }]);
    }
  });

  it('takes a prompt that is too short to be kept for a cold one', async () => {
    const cleared = async (minTokens: number): Promise<number> => {
      const one = await autoTalk({ pruning: { prices: { read: 0.1, write: 1.25, ttl: '5m', minTokens } } });
      await readFiles(one, [3_000, 3_000, 3_000, 3_000]);
      await one.say(user());
      return clearedOf(one);
    };
    expect(await cleared(1_024)).toBe(0);
    expect(await cleared(100_000)).toBe(2);
  });

  it('prunes all that it may at once where there is no cache', async () => {
    const one = await autoTalk({ pruning: { prices: 'none' } });
    await readFiles(one, [3_000, 3_000, 3_000, 3_000]);
    await one.say(user());
    expect(await clearedOf(one)).toBe(2);
  });
});

describe('mode auto with a warm cache', () => {
  it('waits for a cold call where these are frequent', async () => {
    const cleared = async (gapMs: number): Promise<number> => {
      const one = await autoTalk();
      for (let turn = 0; turn < 40; turn += 1) {
        await one.say(user(chars(3_000, `line ${turn}\n`)));
        await readFiles(one, [100]);
        one.wait(gapMs);
      }
      await readFiles(one, [60_000, 60_000, 60_000, 60_000, 100, 100]);
      await readFiles(
        one,
        Array.from({ length: 40 }, () => 100),
      );
      await one.say(user());
      return clearedOf(one);
    };
    expect(await cleared(second), 'never cold').toBe(4);
    expect(await cleared(6 * minute), 'cold at every turn').toBe(0);
  });

  it('leaves alone what stands before the place from which rewriting pays, where the cache finds any prefix', async () => {
    const one = await autoTalk({ pruning: { prices: { read: 0.1, write: 1, ttl: '5m' } } });
    await readFiles(one, [400]);
    for (let turn = 0; turn < 100; turn += 1) await one.say(user(chars(4_000)), done());
    await readFiles(one, [60_000, 60_000, 60_000]);
    await readFiles(
      one,
      Array.from({ length: 12 }, () => 100),
    );
    await one.say(user());
    const results = resultsOf(await one.ask());
    expect(results.slice(0, 4).map((text) => text === placeholder)).toEqual([false, true, true, true]);
  });

  it('goes down to its target when the prompt is over its hard limit', async () => {
    const budget = { contextTokens: 40_000 };
    const one = await autoTalk({ budget, pruning: { minPrunableToolChars: 1_000_000 } });
    for (let turn = 0; turn < 12; turn += 1) await readFiles(one, [3_900, 3_900]);
    await one.say(user());
    await one.ask();
    for (let turn = 0; turn < 12; turn += 1) await readFiles(one, [3_900, 3_900]);
    await one.say(user(), ...tool(chars(3_900)));
    const prompt = await one.ask();
    const pruned = (await recordsOf(one, 'pruned')) as readonly { readonly reason: string }[];
    expect(pruned.map(({ reason }) => reason)).toContain('full');
    expect(new Set(prompt.manifest.entries.map(({ kind }) => kind))).toEqual(new Set(['kept', 'cleared']));
    expect(prompt.tokens).toBeLessThan(0.95 * 32_000);
  });
});

describe('mode auto', () => {
  /** The results of a conversation of these calls, each `[tool, input, output]`, after the cache has expired. */
  async function resultsAfterIdle(
    calls: readonly Parameters<typeof tool>[],
    pruning: TalkOptions['pruning'] = {},
  ): Promise<readonly string[]> {
    const one = await autoTalk({ pruning: { minPrunableToolChars: 50_000, ...pruning } });
    await one.say(user());
    for (const [output, toolName, input] of calls) await one.say(...tool(output, toolName, input));
    await one.say(done());
    await one.ask();
    one.wait(6 * minute);
    await one.say(user());
    return resultsOf(await one.ask());
  }

  const text = (fill: string): string => chars(1_000, fill);
  const note = (seq: number): string => `[Left out: #${seq} has the newer result of the same call]`;
  const others: Parameters<typeof tool>[] = [
    ['x', 'wait', { n: 1 }],
    ['x', 'wait', { n: 2 }],
  ];

  it('puts a note in the place of a result whose call was made again', async () => {
    const results = await resultsAfterIdle([
      [text('a'), 'read', { path: 'a.ts' }],
      [text('b'), 'read', { path: 'b.ts' }],
      [text('c'), 'read', { path: 'a.ts' }],
      ...others,
    ]);
    expect(results).toEqual([note(7), text('b'), text('c'), 'x', 'x']);
  });

  it('points to the newest, wherever it stands', async () => {
    const one = await autoTalk({ pruning: { minPrunableToolChars: 50_000 } });
    const read = (fill: string) => tool(text(fill), 'read', { path: 'a.ts' });
    await one.say(user(), ...read('a'), ...read('b'), ...others.flatMap((each) => tool(...each)), done(), user());
    await one.say(...read('c'));
    one.wait(6 * minute);
    expect(resultsOf(await one.ask())).toEqual([note(13), note(13), 'x', 'x', text('c')]);
  });

  // Columns: the first call · the second · whether it is the same.
  it.each([
    ['fields in another order', { a: 1, b: [2, 3] }, { b: [2, 3], a: 1 }, true],
    ['space around texts', { path: 'a.ts ' }, { path: ' a.ts' }, true],
    ['a field that holds nothing', { path: 'a.ts', limit: null }, { path: 'a.ts' }, true],
    ['another line', { path: 'a.ts', offset: 1 }, { path: 'a.ts', offset: 2 }, false],
    ['a list in another order', { a: [1, 2] }, { a: [2, 1] }, false],
    ['a number and its text', { a: 1 }, { a: '1' }, false],
    ['another case', { path: 'A.ts' }, { path: 'a.ts' }, false],
  ])('tells calls apart: %s', async (_, first, then, isSame) => {
    const results = await resultsAfterIdle([[text('a'), 'read', first], [text('b'), 'read', then], ...others]);
    expect(results[0]).toBe(isSame ? note(5) : text('a'));
  });

  it('keeps a result whose call was made again in vain, with another tool, or whose tool is not to be pruned', async () => {
    const path = { path: 'a.ts' };
    const failure = { type: 'error-text', value: 'No such file' } as const;
    expect((await resultsAfterIdle([[text('a'), 'read', path], [failure, 'read', path], ...others]))[0]).toBe(
      text('a'),
    );
    expect((await resultsAfterIdle([[text('a'), 'read', path], ['y', 'grep', path], ...others]))[0]).toBe(text('a'));
    const twice: Parameters<typeof tool>[] = [[text('a'), 'read', path], [text('b'), 'read', path], ...others];
    expect((await resultsAfterIdle(twice, { tools: { deny: ['read'] } }))[0]).toBe(text('a'));
  });

  it('trims long results, clears the older ones alone, and leaves those whose loss would save next to nothing', async () => {
    const sizes = [230, 240, 9_000, 9_000, 9_000, 100, 100];
    const calls = sizes.map((size, path): Parameters<typeof tool> => [chars(size, 'line\n'), 'read', { path }]);
    const results = await resultsAfterIdle(calls, { minPrunableToolChars: 7_000 });
    expect(results.map((one) => (one === placeholder ? 0 : Math.round(one.length / 100)))).toEqual([
      2, 0, 0, 31, 31, 1, 1,
    ]);
  });

  it('names the rules in the verdicts and in explanations', async () => {
    const one = await autoTalk({ pruning: { minPrunableToolChars: 7_000 } });
    const calls = [1, 2, 3, 4, 1, 5].map((path) => tool(chars(9_000, `${path}\n`), 'read', { path }));
    await one.say(user(), ...calls.flat(), done(), user());
    const { manifest } = await one.ask();
    const pruned = [
      { seq: 3, rule: 'superseded', kind: 'cleared' },
      { seq: 5, rule: 'hard-clear', kind: 'cleared' },
      { seq: 7, rule: 'soft-trim', kind: 'edited' },
      { seq: 9, rule: 'soft-trim', kind: 'edited' },
    ];
    expect(manifest.entries.filter(({ kind }) => kind !== 'kept')).toMatchObject(
      pruned.map((verdict) => ({ ...verdict, by: 'ttl-pruning' })),
    );
    const { entries } = await one.session.explain({ seq: 3 });
    expect(entries).toMatchObject([{ verdict: { kind: 'cleared', rule: 'superseded', by: 'ttl-pruning' } }]);
  });

  it('records once which of the options that were given have no effect', async () => {
    const one = await autoTalk({ pruning: { ttl: '1h', softTrimRatio: 0.3 } });
    await readFiles(one, [100]);
    expect(await recordsOf(one, 'ignored-options')).toEqual([{ mode: 'auto', options: ['ttl', 'softTrimRatio'] }]);
    const other = await autoTalk();
    await readFiles(other, [100]);
    expect(await recordsOf(other, 'ignored-options')).toEqual([]);
    const fixed = await autoTalk({ pruning: { mode: 'cache-ttl', ttl: '1h', softTrimRatio: 0.3 } });
    await readFiles(fixed, [100]);
    expect(await recordsOf(fixed, 'ignored-options')).toEqual([]);
  });
});
