import { readFileSync } from 'node:fs';
import { createHost, type Message } from '@varve/core';
import { type SummaryCompactionOptions, summaryCompaction } from '@varve/plugin-summary-compaction';
import { describe, expect, it } from 'vitest';
import { assistant, calls, long, result, type Talk, talk, user, wordCounter } from './talk.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const plugin = (options?: SummaryCompactionOptions) => ({ plugins: [summaryCompaction(options)], tokens: wordCounter });

/** Exchanges of 200 tokens. */
const exchanges = (count: number): Message[] =>
  Array.from({ length: count }, (_, n) => [user(long(`M${n}`, 96)), assistant(long(`A${n}`, 96))]).flat();

/** Number of messages that stay. */
const keptBy = async ({ ask }: Talk): Promise<number> => (await ask()).manifest.entries.length;

describe('summaryCompaction', () => {
  it('has the version of its package', () => {
    expect(summaryCompaction().version).toBe(manifest.version);
  });

  it.each([
    ['Unrecognized key', { keepRecent: 1 }],
    ['compactAtRatio', { compactAtRatio: 70 }],
    ['compactAtRatio', { compactAtRatio: 0 }],
    ['compactAtMessages', { compactAtMessages: 1 }],
    ['keepRecentMessages', { keepRecentMessages: 0 }],
    ['keepRecentMessages: Must be smaller than compactAtMessages', { compactAtMessages: 80, keepRecentMessages: 80 }],
    ['maskToolResultsAfterAssistants', { maskToolResultsAfterAssistants: -1 }],
    ['ledgerShare', { ledgerShare: 0.6 }],
  ])('refuses a wrong option: %s in %o', async (part, options) => {
    const host = createHost(plugin(options as SummaryCompactionOptions));
    await expect(host).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS', message: expect.stringContaining(part) });
  });

  it('puts its name on the compaction', async () => {
    const { say, compacted } = await talk(plugin());
    await say(...exchanges(10));
    expect((await compacted()).by).toEqual({ plugin: 'summary-compaction', version: manifest.version });
  });

  it('gives the ledger its share of what is left, and recent messages so much less', async () => {
    const planWith = async (ledgerShare: number) => {
      const { say, session } = await talk(plugin({ ledgerShare }));
      await say(...exchanges(30));
      const plan = await session.plan('manual', { model: { provider: 'test', model: 'test-1' } });
      if ('refused' in plan) throw new Error(plan.why);
      return { ledger: plan.shares.ledgerTokens, firstKept: plan.range.firstKept?.seq ?? 0 };
    };
    const [small, large] = [await planWith(0.1), await planWith(0.4)];
    expect(large.ledger).toBeGreaterThan(3.9 * small.ledger);
    expect(large.firstKept).toBeGreaterThan(small.firstKept);
  });

  it('says what it would do without doing it', async () => {
    const { say, session, entries } = await talk(plugin());
    await say(...exchanges(10));
    const before = await entries();
    const plan = await session.plan('manual', { model: { provider: 'test', model: 'test-1' } });
    expect(plan).toMatchObject({ by: { plugin: 'summary-compaction' }, range: { from: { seq: 1 } } });
    expect(await entries()).toEqual(before);
  });

  it('leaves the decision to others while it is not due', async () => {
    const { say, compact } = await talk(plugin());
    await say(...exchanges(10));
    expect(await compact('threshold')).toMatchObject({ status: 'below-threshold', why: 'No strategy asks for it.' });
  });
});

describe('a compaction is due', () => {
  // Columns: what is checked · options · exchanges of 200 tokens in a window of 10 000 · trigger · due.
  // Of the window 8 000 tokens are for the prompt, its hard limit is 7 600, its soft one 6 400.
  it.each<
    [title: string, options: SummaryCompactionOptions, count: number, trigger: 'threshold' | 'background', due: boolean]
  >([
    ['not at the hard limit', {}, 38, 'threshold', false],
    ['above the hard limit', {}, 39, 'threshold', true],
    ['not above the hard limit when that is off', { compactAtHardLimit: false }, 39, 'threshold', false],
    ['in the background, not at the soft limit', {}, 32, 'background', false],
    ['in the background, above the soft limit', {}, 33, 'background', true],
    ['not at the ratio', { compactAtRatio: 0.5 }, 25, 'threshold', false],
    ['above the ratio', { compactAtRatio: 0.5 }, 26, 'threshold', true],
    ['not at the number of messages', { compactAtMessages: 40 }, 20, 'threshold', false],
    ['above the number of messages', { compactAtMessages: 40 }, 21, 'threshold', true],
  ])('%s', async (_, options, count, trigger, due) => {
    const { say, compact } = await talk({ ...plugin(options), budget: { contextTokens: 10_000 } });
    await say(...exchanges(count));
    expect((await compact(trigger)).status).toBe(due ? 'compacted' : 'below-threshold');
  });

  it.each<[title: string, options: SummaryCompactionOptions]>([
    ['the hard limit', {}],
    ['a ratio', { compactAtRatio: 0.7 }],
    ['a low ratio', { compactAtRatio: 0.3 }],
    ['a number of messages', { compactAtMessages: 30 }],
    ['a number of messages, of which many are kept', { compactAtMessages: 30, keepRecentMessages: 20 }],
  ])('once in a while, not every turn: %s', async (_, options) => {
    const talking = await talk({ ...plugin(options), budget: { contextTokens: 10_000 } });
    let last = 0;
    const gaps: number[] = [];
    for (let turn = 1; turn <= 100; turn += 1) {
      await talking.say(...exchanges(1));
      const { status } = await talking.compact('threshold');
      expect(['compacted', 'below-threshold']).toContain(status);
      if (status === 'compacted') gaps.push(turn - last);
      if (status === 'compacted') last = turn;
    }
    expect(gaps.length).toBeGreaterThan(2);
    expect(Math.min(...gaps)).toBeGreaterThan(3);
  });
});

describe('what stays', () => {
  const budget = { contextTokens: 100_000 };

  it.each([
    [0, 2],
    [400, 4],
    [1_000, 10],
  ])('is within keepRecentTokens: %i', async (keepRecentTokens, most) => {
    const talking = await talk({ ...plugin({ keepRecentTokens }), budget });
    await talking.say(...exchanges(40));
    await talking.compacted();
    expect(await keptBy(talking)).toBeLessThanOrEqual(most);
    expect(await keptBy(talking)).toBeGreaterThanOrEqual(Math.max(1, most - 2));
  });

  it.each([2, 5, 10])('is about keepRecentMessages: %i', async (keepRecentMessages) => {
    const talking = await talk({ ...plugin({ keepRecentMessages }), budget });
    await talking.say(...exchanges(40));
    await talking.compacted();
    expect(await keptBy(talking)).toBeLessThanOrEqual(keepRecentMessages);
    expect(await keptBy(talking)).toBeGreaterThanOrEqual(Math.max(1, keepRecentMessages - 2));
  });

  it('is half of compactAtMessages when nothing else is said', async () => {
    const talking = await talk({ ...plugin({ compactAtMessages: 80 }), budget });
    await talking.say(...exchanges(41));
    await talking.compacted('threshold');
    const kept = await keptBy(talking);
    expect(kept).toBeLessThanOrEqual(40);
    expect(kept).toBeGreaterThanOrEqual(38);
  });

  it('is never more than the budget leaves for it, whatever is wished', async () => {
    const wishes = { keepRecentMessages: 1_000, keepRecentTokens: 1_000_000 };
    const talking = await talk({ ...plugin(wishes), budget: { contextTokens: 10_000 } });
    await talking.say(...exchanges(40));
    expect((await talking.compacted('overflow')).tokensAfter).toBeLessThan(0.7 * 7_600);
    expect(await keptBy(talking)).toBeLessThan(40);
  });

  const turns = Array.from({ length: 12 }, (_, n) => [
    user(`Read core ${n}.`),
    calls(`c${n}`),
    result(`c${n}`, long(`R${n}`, 200)),
    assistant('Read.'),
  ]).flat();

  it.each([
    [undefined, 2],
    [4, 4],
    [0, 0],
    [null, Infinity],
  ])('has its results masked behind %s assistants', async (maskToolResultsAfterAssistants, after) => {
    const options = maskToolResultsAfterAssistants === undefined ? {} : { maskToolResultsAfterAssistants };
    const talking = await talk({ ...plugin({ keepRecentTokens: 1_000, ...options }), budget });
    await talking.say(...turns, user('And now?'));
    await talking.compacted();
    const { entries } = (await talking.ask()).manifest;
    let assistantsBehind = 0;
    for (const { role, kind, seq } of entries.toReversed()) {
      const isMasked = role === 'tool' && assistantsBehind >= after;
      expect(kind, `#${seq}`).toBe(isMasked ? 'cleared' : 'kept');
      if (role === 'assistant') assistantsBehind += 1;
    }
  });

  it('is masked with a note of its size and where the whole is', async () => {
    const talking = await talk({ ...plugin({ maskToolResultsAfterAssistants: 0, keepRecentTokens: 1_000 }), budget });
    await talking.say(...turns, user('And now?'));
    await talking.compacted();
    const { messages } = await talking.ask();
    const masks = messages.filter(({ role }) => role === 'tool').map((message) => JSON.stringify(message));
    expect(masks.at(-1)).toMatch(/\[1 lines, about \d+ tokens left out; the whole is in #47\]/);
  });
});

describe('a limit in bytes', () => {
  const size = 20_000;

  it('makes a compaction due once the messages of the prompt take more', async () => {
    const talking = await talk({ ...plugin({ compactAtBytes: size }), budget: { contextTokens: 100_000 } });
    let bytes = 0;
    for (const message of exchanges(30)) {
      expect((await talking.compact('threshold')).status).toBe(bytes > size ? 'compacted' : 'below-threshold');
      await talking.say(message);
      const { messages } = await talking.ask();
      const sent = messages.filter(({ content }) => !String(content).startsWith('[Summary'));
      bytes = sent.reduce((sum, each) => sum + new TextEncoder().encode(JSON.stringify(each)).length, 0);
    }
    expect(talking.session.view.compaction()).not.toBeNull();
  });

  it('counts what is shown of a masked result, so that one compaction is not followed by the next', async () => {
    const options = { compactAtBytes: 50_000, keepRecentTokens: 12_000, maskToolResultsAfterAssistants: 0 };
    const talking = await talk({ ...plugin(options), budget: { contextTokens: 100_000 } });
    await talking.say(user('Read.'), assistant('Yes.'));
    for (let n = 0; n < 6; n += 1) await talking.say(calls(`c${n}`), result(`c${n}`, long(`R${n}`, 2_000)));
    await talking.say(assistant('Read.'), user('And?'));
    expect((await talking.compact('threshold')).status).toBe('compacted');
    expect((await talking.compact('threshold')).status).toBe('below-threshold');
  });
});

describe('the models', () => {
  const port = { ref: { provider: 'test', model: 'small' }, generate: async () => Promise.reject(new Error('no')) };

  it.each([
    ['models.0: Must be a model port', { models: ['small'] }],
    ['models.0: Must be a model port', { models: [{ generate: port.generate }] }],
    ['models.1: Must be a model port', { models: [port, { port, contextTokens: 100 }] }],
    ['models.0: Must be a model port', { models: [{ port, window: 8_000 }] }],
    ['waitForProse', { models: [port], waitForProse: 'no' }],
    ['compactAtBytes', { compactAtBytes: 10 }],
  ])('are refused when they are none: %s', async (part, options) => {
    const host = createHost(plugin(options as unknown as SummaryCompactionOptions));
    await expect(host).rejects.toMatchObject({ code: 'VARVE_PLUGIN_OPTIONS', message: expect.stringContaining(part) });
  });

  it('may be ports, or ports with their windows, and instances of a class', async () => {
    class Port {
      readonly ref = port.ref;
      readonly #text = '### Goal\n- Clay.';
      async generate() {
        return { message: { role: 'assistant', content: this.#text } as const, usage: null };
      }
    }
    const models = [{ port: new Port(), contextTokens: 8_000 }, new Port()];
    const talking = await talk({ ...plugin({ models }), budget: { contextTokens: 20_000 } });
    await talking.say(...exchanges(40));
    expect((await talking.compacted()).prose).toMatch(/^### Goal\n- Clay\./);
  });
});
