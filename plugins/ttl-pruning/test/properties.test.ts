import type { Message, MessageEntry, Prompt } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chars, done, resultsOf, type TalkOptions, talk, tool, user } from './talk.ts';

const minute = 60_000;

/** One turn of a conversation, and how long after it the next one comes. */
interface Turn {
  readonly results: readonly { readonly length: number; readonly fill: string; readonly toolName: string }[];
  readonly answers: boolean;
  readonly waitMs: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  results: fc.array(
    fc.record({
      length: fc.oneof(fc.nat(200), fc.nat(12_000)),
      fill: fc.constantFrom('x', 'line\n', '粘土', '😀', 'a😀', '\ud83d', '['),
      toolName: fc.constantFrom('read', 'bash', 'web_fetch'),
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
async function run(turns: readonly Turn[], talkOptions: TalkOptions) {
  const { session, say, ask, wait } = await talk(talkOptions);
  const prompts: { readonly prompt: Prompt; readonly waitedMs: number }[] = [];
  let waitedMs = 0;
  const note = async (): Promise<void> => {
    const prompt = await ask().catch(() => null);
    if (prompt !== null) prompts.push({ prompt, waitedMs });
    waitedMs = 0;
  };
  for (const [index, { results, answers, waitMs }] of turns.entries()) {
    await say(user(`Question ${index}`));
    await note();
    for (const { length, fill, toolName } of results) {
      await say(...tool(chars(length, fill), toolName));
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
const conversation = fc.array(turn, { minLength: 1, maxLength: 8 });

describe('a pruned conversation', () => {
  it('repeats a request in the next one, unless the cache has expired or there was no room left', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, options, async (turns, all) => {
        const { prompts } = await run(turns, roomy(all));
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
          results: results.map(({ length, toolName }) => ({ length: length * 2, fill: '😀', toolName })),
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
