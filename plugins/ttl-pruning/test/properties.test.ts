import { type Message, type MessageEntry, type Prompt, VarveError } from '@varve/core';
import type { PriceProfile } from '@varve/plugin-ttl-pruning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chars, done, resultsOf, type Talk, type TalkOptions, talk, tool, user } from './talk.ts';

const minute = 60_000;

/** One turn of a conversation, and how long after it the next one comes. */
interface Turn {
  readonly results: readonly {
    readonly length: number;
    readonly fill: string;
    readonly toolName: string;
    readonly file: number;
  }[];
  readonly answers: boolean;
  readonly waitMs: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  results: fc.array(
    fc.record({
      length: fc.oneof(fc.nat(200), fc.nat(12_000)),
      fill: fc.constantFrom('x', 'line\n', '粘土', '😀', 'a😀', '\ud83d', '['),
      toolName: fc.constantFrom('read', 'bash', 'web_fetch'),
      file: fc.nat(4),
    }),
    { maxLength: 6 },
  ),
  answers: fc.boolean(),
  waitMs: fc.constantFrom(0, 10_000, 4 * minute, 6 * minute),
});

const options: fc.Arbitrary<TalkOptions> = fc
  .record({
    contextTokens: fc.constantFrom(5_000, 20_000, 100_000),
    unlimited: fc.boolean(),
    mode: fc.constantFrom('auto' as const, 'cache-ttl' as const),
    prices: fc.constantFrom<PriceProfile>('anthropic-5m', 'openai', 'none', { read: 0.5, write: 1, ttl: 1 }),
    keepLastAssistants: fc.nat(4),
    minPrunableToolChars: fc.constantFrom(0, 5_000, 50_000),
    headChars: fc.constantFrom(0, 50, 1_500),
    maxChars: fc.constantFrom(0, 200, 4_000),
  })
  .map(({ contextTokens, unlimited, headChars, maxChars, ...pruning }) => ({
    budget: unlimited ? { contextTokens, inputTokens: null } : { contextTokens },
    pruning: { ...pruning, softTrim: { headChars, tailChars: 99, maxChars }, tools: { deny: ['web_*'] } },
  }));

/** The prompts of a conversation, one before each model call, and its message entries. */
async function run(
  turns: readonly Turn[],
  talkOptions: TalkOptions,
  ask: (talk: Talk) => Promise<Prompt> = (one) => one.ask(),
) {
  const opened = await talk(talkOptions);
  const { session, say, wait } = opened;
  const prompts: { readonly prompt: Prompt; readonly waitedMs: number }[] = [];
  let waitedMs = 0;
  const note = async (): Promise<void> => {
    const prompt = await ask(opened).catch((error: unknown) => {
      if (VarveError.is(error)) return null;
      throw error;
    });
    if (prompt !== null) prompts.push({ prompt, waitedMs });
    waitedMs = 0;
  };
  for (const [index, { results, answers, waitMs }] of turns.entries()) {
    await say(user(`Question ${index}`));
    await note();
    for (const { length, fill, toolName, file } of results) {
      await say(...tool(chars(length, fill), toolName, { file }));
      await note();
    }
    if (answers) await say(done());
    wait(waitMs);
    waitedMs = waitMs;
  }
  const entries: MessageEntry[] = [];
  for await (const entry of session.read()) if (entry.type === 'message') entries.push(entry);
  expect(session.health().ok).toBe(true);
  return { prompts, entries };
}

const withoutResults = (messages: readonly Message[]): unknown =>
  messages.map((message) =>
    message.role === 'tool' ? message.content.map((part) => ({ ...part, output: undefined })) : message,
  );

/** Ids of calls are counted on through all runs; for comparing two runs they are left out. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner: unknown) => (key === 'toolCallId' ? '' : inner));

const roomy = (all: TalkOptions): TalkOptions => ({ ...all, budget: { ...all.budget, inputTokens: null } });
const inMode = (mode: 'auto' | 'cache-ttl', all: TalkOptions): TalkOptions => ({
  ...all,
  pruning: { ...all.pruning, mode },
});
const conversation = fc.array(turn, { minLength: 1, maxLength: 8 });

describe('a pruned conversation', () => {
  it('is the same on two hosts, in a dry run, and when a prompt is made twice', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const [one, other] = [await run(turns, all), await run(turns, all)];
        const seen = ({ prompts }: typeof one): unknown =>
          withoutIds(prompts.map(({ prompt: { messages, tokens, manifest } }) => [messages, tokens, manifest.entries]));
        expect(seen(one)).toEqual(seen(other));
        await run(turns, all, async ({ session, ask }) => {
          const dry = await session.assemble({ model: { provider: 'test', model: 'test-1' }, dryRun: true });
          const first = await ask();
          expect(first.messages).toEqual(dry.messages);
          const second = await ask();
          expect(second.messages).toEqual(first.messages);
          expect(second.manifest.actions).toEqual([]);
          return first;
        });
      }),
      { numRuns: 60 },
    );
  });

  it('repeats a request in the next one, unless the cache has expired or there was no room left', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const { prompts } = await run(turns, inMode('cache-ttl', roomy(all)));
        prompts.slice(1).forEach(({ prompt, waitedMs }, index) => {
          const before = prompts[index]?.prompt as Prompt;
          if (waitedMs <= 5 * minute) {
            expect(prompt.messages.slice(0, before.messages.length)).toEqual(before.messages);
            expect(prompt.manifest.actions).toEqual([]);
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('differs from one that is not pruned in the texts of tool results alone, and never takes more tokens', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const pruned = await run(turns, roomy(all));
        const whole = await run(turns, { ...roomy(all), pruning: null });
        expect(pruned.prompts).toHaveLength(whole.prompts.length);
        pruned.prompts.forEach(({ prompt }, index) => {
          const other = whole.prompts[index]?.prompt as Prompt;
          expect(withoutIds(withoutResults(prompt.messages))).toEqual(withoutIds(withoutResults(other.messages)));
          expect(prompt.tokens).toBeLessThanOrEqual(other.tokens);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('leaves the journal and the newest results alone, and prunes a result ever more, never less', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const { prompts, entries } = await run(turns, roomy(all));
        const keep = all.pruning?.keepLastAssistants ?? 3;
        const originals = entries.flatMap(({ message }) =>
          message.role === 'tool' ? message.content.map(({ output }) => String(output.value)) : [],
        );
        expect(originals).toEqual(turns.flatMap(({ results }) => results.map((one) => chars(one.length, one.fill))));
        let before = originals;
        for (const { prompt } of prompts) {
          const results = resultsOf(prompt);
          results.forEach((text, index) => {
            const shorter = text.length < (before[index]?.length ?? 0);
            expect(text === before[index] || shorter, `result ${index}`).toBe(true);
          });
          before = [...results, ...originals.slice(results.length)];
          const assistants = prompt.messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
          const keptFrom = keep === 0 ? prompt.messages.length : (assistants.at(-keep) ?? 0);
          const kept = resultsOf({ ...prompt, messages: prompt.messages.slice(keptFrom) });
          expect(kept).toEqual(originals.slice(results.length - kept.length, results.length));
          const turnFrom = prompt.messages.findLastIndex(({ role }) => role === 'user');
          const inTurn = resultsOf({ ...prompt, messages: prompt.messages.slice(turnFrom) });
          expect(inTurn).toEqual(originals.slice(results.length - inTurn.length, results.length));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never cuts a character in two', async () => {
    const isBroken = (text: string): boolean => /\p{Surrogate}/u.test(text);
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const intact = turns.map(({ results, ...rest }) => ({
          ...rest,
          results: results.map((result) => ({ ...result, length: result.length * 2, fill: '😀' })),
        }));
        const { prompts } = await run(intact, all);
        expect(prompts.flatMap(({ prompt }) => resultsOf(prompt)).filter(isBroken)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('fits its budget', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const { contextTokens = 0 } = all.budget ?? {};
        const { prompts } = await run(turns, { ...all, budget: { contextTokens } });
        for (const { prompt } of prompts) expect(prompt.tokens).toBeLessThanOrEqual(0.8 * contextTokens);
      }),
      { numRuns: 60 },
    );
  });
});
