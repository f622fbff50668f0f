import { readFileSync } from 'node:fs';
import { createHost, memoryStore } from '@varve/core';
import { type TtlPruningOptions, ttlPruning } from '@varve/plugin-ttl-pruning';
import { describe, expect, it } from 'vitest';
import { chars, done, resultsOf, type TalkOptions, talk, tool, user } from './talk.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const minute = 60_000;
const placeholder = '[Old tool result content cleared]';

/** Makes a conversation of one turn with these results, lets the cache expire, and asks the next question. */
async function resultsAfterIdle(results: readonly number[], options: TalkOptions = {}): Promise<readonly string[]> {
  const { say, ask, wait } = await talk(options);
  await say(user('Read them.'), ...results.flatMap((length) => tool(chars(length))), done());
  await ask();
  wait(6 * minute);
  await say(user('And now?'));
  return resultsOf(await ask());
}

const kindOf = (text: string): string => {
  if (text === placeholder) return 'cleared';
  return text.includes('characters left out; the whole is in #') ? 'trimmed' : 'whole';
};

const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('ttlPruning', () => {
  it('has the version of its package', () => {
    expect(ttlPruning().version).toBe(manifest.version);
  });

  // Columns: what is checked · characters of the results · options · what becomes of them.
  // The window is 120 000 characters where the row does not say otherwise; user and assistant add less than 100.
  const ten = repeat(8, 10_000);
  const window = (contextTokens: number): TalkOptions => ({ budget: { contextTokens, inputTokens: null } });
  it.each<[title: string, results: number[], options: TalkOptions, kinds: string[]]>([
    ['long results trimmed at 0.67 of the window', ten, {}, [...repeat(6, 'trimmed'), 'whole', 'whole']],
    ['all of them, not just enough, at 0.33', ten, window(60_000), [...repeat(6, 'trimmed'), 'whole', 'whole']],
    ['nothing at 0.2', ten, window(100_000), repeat(8, 'whole')],
    [
      'the oldest cleared until below the ratio',
      repeat(20, 3_000),
      window(20_000),
      [...repeat(7, 'cleared'), ...repeat(13, 'whole')],
    ],
    ['nothing cleared with too little to gain', repeat(18, 3_000), window(20_000), repeat(18, 'whole')],
    [
      'results cleared that were trimmed a moment before',
      repeat(20, 10_000),
      window(10_000),
      [...repeat(18, 'cleared'), 'whole', 'whole'],
    ],
    [
      'results of up to maxChars left whole',
      [4_000, 4_001, ...repeat(5, 12_000), 100, 100],
      {},
      ['whole', ...repeat(6, 'trimmed'), 'whole', 'whole'],
    ],
    ['nothing with fewer assistants than are to be kept', [50_000], {}, ['whole']],
    ['results before the only kept assistant', [50_000], { pruning: { keepLastAssistants: 1 } }, ['trimmed']],
    [
      'everything before the running turn when none is to be kept',
      [50_000],
      { pruning: { keepLastAssistants: 0 } },
      ['trimmed'],
    ],
    [
      'nothing cleared where clearing is off',
      repeat(20, 3_000),
      {
        ...window(20_000),
        pruning: { hardClear: { enabled: false } },
      },
      repeat(20, 'whole'),
    ],
  ])('leaves %s', async (_, results, options, kinds) => {
    expect((await resultsAfterIdle(results, options)).map(kindOf)).toEqual(kinds);
  });

  it('prunes the old side: the newest results are the protected ones', async () => {
    const results = await resultsAfterIdle([5_000, ...repeat(6, 10_000), 5_001, 5_002]);
    expect(results.slice(-2).map((text) => text.length)).toEqual([5_001, 5_002]);
    expect(results.slice(0, -2).map(kindOf)).toEqual(repeat(7, 'trimmed'));
  });

  it('keeps head and tail with a note of what is between them, how long it was, and where', async () => {
    const text = `${chars(1_500, 'head ')}${chars(7_000, 'line\n')}${chars(1_500, 'tail ')}`;
    const { say, ask, wait } = await talk();
    await say(user(), ...tool(text), ...repeat(4, null).flatMap(() => tool(chars(9_000))), done());
    await ask();
    wait(6 * minute);
    await say(user());
    const note = '\n[… 1401 lines, 7000 of 10000 characters left out; the whole is in #3 …]\n';
    expect(resultsOf(await ask())[0]).toBe(`${chars(1_500, 'head ')}${note}${chars(1_500, 'tail ')}`);
  });

  it('takes sizes and texts from its options', async () => {
    const pruning: TtlPruningOptions = {
      softTrim: { maxChars: 1_000, headChars: 0, tailChars: 10 },
      hardClear: { placeholder: '(gone)' },
      softTrimRatio: 0.1,
      hardClearRatio: 0.2,
      minPrunableToolChars: 2_000,
      keepLastAssistants: 1,
    };
    const options = { pruning, budget: { contextTokens: 4_000, inputTokens: null } };
    expect(await resultsAfterIdle([2_000, 900, 900, 900, 900], options)).toEqual([
      ...repeat(2, '(gone)'),
      ...repeat(3, chars(900)),
    ]);
    const trimOnly = { ...options, pruning: { ...pruning, hardClear: { enabled: false } } };
    const note = '[… 1 lines, 1990 of 2000 characters left out; the whole is in #3 …]';
    expect((await resultsAfterIdle([2_000, 900, 900], trimOnly))[0]).toBe(`${note}\n${chars(10)}`);
  });

  it('prunes from exactly the soft ratio on, and clears to below the hard one', async () => {
    // user 'u' 1 + calls 'read{}' 6 each + done 'd' 1 + user 'n' 1
    const chat = async (results: number[], pruning: TtlPruningOptions): Promise<string[]> => {
      const { say, ask, wait } = await talk({ pruning, budget: { contextTokens: 10_000, inputTokens: null } });
      await say(user('u'), ...results.flatMap((length) => tool(chars(length))), done('d'));
      await ask();
      wait(6 * minute);
      await say(user('n'));
      return resultsOf(await ask()).map(kindOf);
    };
    const pruning = { keepLastAssistants: 1, minPrunableToolChars: 10, hardClearRatio: 0.3 };
    const trimOnly = { ...pruning, hardClear: { enabled: false } };
    expect(await chat([6_000, 5_982], trimOnly), '11 996 of 40 000 characters').toEqual(['whole', 'whole']);
    expect(await chat([6_000, 5_985], trimOnly), '12 000 of 40 000 characters').toEqual(['trimmed', 'trimmed']);
    const short = [3_000, 3_000, 3_000, 2_973];
    expect(await chat(short, pruning), '12 000 of 40 000 characters').toEqual(['cleared', ...repeat(3, 'whole')]);
  });

  it('waits for the cache to expire', async () => {
    const { say, ask, wait } = await talk();
    await say(user(), ...repeat(8, null).flatMap(() => tool(chars(10_000))), done(), user());
    expect(resultsOf(await ask()).map(kindOf), 'the first request').toEqual(repeat(8, 'whole'));
    wait(5 * minute);
    expect(resultsOf(await ask()).map(kindOf), 'exactly as old as the ttl').toEqual(repeat(8, 'whole'));
    wait(5 * minute + 1);
    expect(resultsOf(await ask()).map(kindOf), 'one millisecond older').toContain('trimmed');
  });

  it('counts from the last request, across a restart, and not from a clock that was set back', async () => {
    const store = memoryStore();
    const first = await talk({ store, now: 100 * minute });
    await first.say(user(), ...repeat(8, null).flatMap(() => tool(chars(10_000))), done(), user());
    await first.ask();
    await first.session.close();
    const second = await talk({ store, now: 90 * minute });
    expect(resultsOf(await second.ask()).map(kindOf)).toEqual(repeat(8, 'whole'));
    second.wait(4 * minute);
    expect(resultsOf(await second.ask()).map(kindOf)).toEqual(repeat(8, 'whole'));
    second.wait(6 * minute);
    expect(resultsOf(await second.ask()).map(kindOf)).toContain('trimmed');
  });

  it.each([
    ['30s', 30_000],
    ['5m', 5 * minute],
    ['1h', 60 * minute],
    ['1d', 24 * 60 * minute],
    ['250ms', 250],
    ['1.5 h', 90 * minute],
    ['2H', 120 * minute],
    ['3', 3 * minute],
    [4, 4 * minute],
    [0.5, 30_000],
    [0, 0],
  ])('reads the ttl %s', async (ttl, ms) => {
    const { say, ask, wait } = await talk({ pruning: { ttl } });
    await say(user(), ...repeat(8, null).flatMap(() => tool(chars(10_000))), done(), user());
    await ask();
    wait(ms);
    expect(resultsOf(await ask()).map(kindOf)).toEqual(repeat(8, 'whole'));
    wait(ms + 1);
    expect(resultsOf(await ask()).map(kindOf)).toContain('trimmed');
  });

  it.each([
    ['ttl', { ttl: 'soon' }],
    ['ttl', { ttl: '5 weeks' }],
    ['ttl', { ttl: -1 }],
    ['keepLastAssistants', { keepLastAssistants: 1.5 }],
    ['softTrimRatio', { softTrimRatio: 30 }],
    ['softTrim.maxChars', { softTrim: { maxChars: -1 } }],
    ['Unrecognized key', { softTrim: { max: 1 } }],
    ['Unrecognized key', { hardclear: {} }],
    ['mode', { mode: 'always' }],
    ['prices', { prices: 'cheap' }],
    ['prices.ttl', { prices: { read: 0.1, write: 1.25, ttl: 'soon' } }],
    ['images', { images: 'drop' }],
    ['tools.deny.0', { tools: { deny: [''] } }],
  ])('refuses a wrong option: %s in %o', async (part, options) => {
    const host = createHost({ plugins: [ttlPruning(options as TtlPruningOptions)] });
    await expect(host).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS', message: expect.stringContaining(part) });
  });

  it('names the rule and itself in the verdicts', async () => {
    const { say, ask, wait } = await talk({ budget: { contextTokens: 20_000, inputTokens: null } });
    await say(user(), ...tool(chars(9_000)), ...repeat(20, null).flatMap(() => tool(chars(3_000))), done());
    await ask();
    wait(6 * minute);
    await say(user());
    const prompt = await ask();
    expect(prompt.manifest.entries.slice(0, 5)).toMatchObject([
      { seq: 1, kind: 'kept' },
      { seq: 2, kind: 'kept' },
      { seq: 3, kind: 'cleared', rule: 'hard-clear', by: 'ttl-pruning' },
      { seq: 4, kind: 'kept' },
      { seq: 5, kind: 'cleared', rule: 'hard-clear', by: 'ttl-pruning' },
    ]);
    expect(prompt.manifest.actions).toMatchObject([{ kind: 'verdict', verdict: 'cleared', rule: 'hard-clear' }]);
  });

  it('leaves what stands before the first user message', async () => {
    const { say, ask, wait } = await talk();
    await say(...tool(chars(20_000)), user(), ...repeat(6, null).flatMap(() => tool(chars(10_000))), done());
    await ask();
    wait(6 * minute);
    await say(user());
    expect(resultsOf(await ask()).map(kindOf)).toEqual(['whole', ...repeat(4, 'trimmed'), 'whole', 'whole']);
  });

  it('leaves the running turn, read or not', async () => {
    const { say, ask, wait } = await talk({ pruning: { keepLastAssistants: 0 } });
    await say(user(), ...repeat(8, null).flatMap(() => tool(chars(10_000))));
    await ask();
    wait(6 * minute);
    expect(resultsOf(await ask()).map(kindOf)).toEqual(repeat(8, 'whole'));
  });
});
