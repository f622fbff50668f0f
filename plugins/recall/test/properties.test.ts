import { type Message, memoryStore, type Prompt, type Store, VarveError } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, recalledIn, type Talk, type TalkOptions, talk, tool, user } from './talk.ts';

type Step =
  | { readonly type: 'say'; readonly text: string; readonly sender: string | null }
  | { readonly type: 'tool'; readonly output: string }
  | { readonly type: 'ask'; readonly query: string | null }
  | { readonly type: 'compact' }
  | { readonly type: 'rewind'; readonly share: number }
  | { readonly type: 'wait'; readonly hours: number };

const words =
  'clay silt sand ash core lake shore drill src/core.ts readFile 2026-03-02 May 粘土 안녕하세요 # > #12 user'.split(
    ' ',
  );
const text = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.constantFrom('\n', '\u2028', '\ud83d', 'x'.repeat(300))), {
    minLength: 1,
    maxLength: 60,
  })
  .map((parts) => parts.join(' '));

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      text,
      sender: fc.option(fc.constantFrom('Ada', 'Eve:\n#')),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('tool' as const), output: text.map((one) => one.repeat(6)) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('ask' as const), query: fc.option(text) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'compact' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('rewind' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 2_000 }) }),
  },
);
const steps = fc.array(step, { minLength: 8, maxLength: 50, size: 'max' });
const inputTokens = fc.constantFrom(1_200, 2_500, 8_000);
/** Room for all of a conversation, or for a few of its messages. */
const maxChars = fc.constantFrom(10_000, 1_000_000);
const mode = fc.constantFrom('quality' as const, 'cache-friendly' as const);

/** What a conversation came to. */
interface Run {
  readonly talking: Talk;
  readonly prompts: readonly Prompt[];
  /** For each prompt, whether a compaction or a move of the head came before it and after the one before. */
  readonly rebuilt: readonly boolean[];
  readonly now: number;
}

async function run(given: readonly Step[], options: TalkOptions): Promise<Run> {
  const talking = await talk(options);
  const { session, say, ask, wait } = talking;
  const prompts: Prompt[] = [];
  const rebuilt: boolean[] = [];
  let isRebuilt = true;
  let now = options.now ?? Date.UTC(2026, 2, 2, 9);
  for (const [at, one] of given.entries()) {
    if (one.type === 'say') {
      const provenance = one.sender === null ? undefined : { kind: 'user' as const, senderId: one.sender };
      await say(user(one.text), { provenance });
      await say(assistant(`Noted, ${one.text.slice(0, 20)}`));
    } else if (one.type === 'tool') for (const message of tool(`t${at}`, one.output)) await say(message);
    else if (one.type === 'wait') {
      wait(one.hours * 3_600_000);
      now += one.hours * 3_600_000;
    } else if (one.type === 'compact') {
      await session.compact('manual', { model: { provider: 'test', model: 'test-1' } });
      isRebuilt = true;
    } else if (one.type === 'rewind') {
      const messages = session.view.messages();
      const target = messages[Math.floor(one.share * (messages.length - 1))];
      if (target !== undefined) await session.moveHead(target.id, { reason: 'rewind' });
      isRebuilt = true;
    } else {
      const prompt = await ask(one.query ?? undefined).catch(impossible);
      if (prompt === null) continue;
      prompts.push(prompt);
      rebuilt.push(isRebuilt);
      isRebuilt = false;
    }
  }
  return { talking, prompts, rebuilt, now };
}

/** A running turn that is too large for its budget is nobody's fault. */
function impossible(error: unknown): null {
  if (VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return null;
  throw error;
}

function bytesOf(prompts: readonly Prompt[]): string {
  return JSON.stringify(prompts.map(({ system, messages }) => ({ system, messages })));
}

/** Pairs stand together, and nothing is there twice. */
function checkPairs(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const { role, content } of messages) {
    const parts = typeof content === 'string' ? [] : content;
    for (const part of parts) {
      if (part.type === 'tool-result') expect(open.delete(part.toolCallId)).toBe(true);
    }
    if (role !== 'tool') expect(open.size).toBe(0);
    for (const part of parts) if (part.type === 'tool-call') open.add(part.toolCallId);
  }
  expect(open.size).toBe(0);
}

const runs = { numRuns: 25 };

describe('a prompt with recall', () => {
  it('fits its budget, is valid, and quotes the conversation alone', async () => {
    await fc.assert(
      fc.asyncProperty(steps, inputTokens, mode, async (given, budget, how) => {
        const { talking, prompts } = await run(given, { options: { mode: how }, inputTokens: budget });
        expect(talking.session.health().findings.filter(({ name }) => name === 'recall')).toEqual([]);
        for (const prompt of prompts) {
          expect(prompt.tokens).toBeLessThanOrEqual(budget);
          checkPairs(prompt.messages);
          const frame = /^(# Recalled from earlier .*|Named earlier: .*|#\d+ \S+( \d{4}-\d\d-\d\d)?:.*|> .*|)$/;
          const lines = recalledIn(prompt).flatMap((one) => one.split('\n'));
          expect(lines.filter((line) => !frame.test(line))).toEqual([]);
        }
        await talking.host.close();
      }),
      runs,
    );
  });

  it('has the same bytes in another host, whether it is stored or not, and after the session was opened again', async () => {
    await fc.assert(
      fc.asyncProperty(steps, inputTokens, mode, maxChars, async (given, budget, how, chars) => {
        const options = { options: { mode: how, maxChars: chars }, inputTokens: budget };
        const store: Store = memoryStore();
        const one = await run(given, { ...options, store });
        const other = await run(given, options);
        expect(bytesOf(other.prompts)).toBe(bytesOf(one.prompts));
        const dry = await one.talking.ask('core of clay', { dryRun: true }).catch(impossible);
        await one.talking.host.close();
        const again = await talk({ ...options, store, now: one.now });
        const reopened = await again.ask('core of clay').catch(impossible);
        const live = await other.talking.ask('core of clay').catch(impossible);
        const expected = dry === null ? '' : bytesOf([dry]);
        expect(reopened === null ? '' : bytesOf([reopened])).toBe(expected);
        expect(live === null ? '' : bytesOf([live])).toBe(expected);
        await Promise.all([again.host.close(), other.talking.host.close()]);
      }),
      runs,
    );
  });

  it('never rewrites what an earlier one had, in mode cache-friendly, between two rebuilds', async () => {
    const begun: Step = { type: 'say', text: 'Let us begin.', sender: null };
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { talking, prompts, rebuilt } = await run([begun, ...given], { inputTokens: 60_000 });
        for (const [at, prompt] of prompts.entries()) {
          if (rebuilt[at] === false) expect(prompt.manifest.firstChangedByte).toBeNull();
        }
        await talking.host.close();
      }),
      runs,
    );
  });

  it('says nothing that is off the path', async () => {
    await fc.assert(
      fc.asyncProperty(steps, inputTokens, mode, async (given, budget, how) => {
        const secret = 'zirkonium at the bottom';
        const { talking } = await run(given, { options: { mode: how }, inputTokens: budget });
        const { session, say, ask } = talking;
        const before = session.view.messages().at(-1);
        await say(user(secret));
        await say(assistant(secret));
        await ask(secret).catch(impossible);
        if (before !== undefined) {
          await session.moveHead(before.id, { reason: 'rewind' });
          await session.compact('manual', { model: { provider: 'test', model: 'test-1' } });
          const prompt = await ask(secret).catch(impossible);
          expect(JSON.stringify(prompt?.messages ?? '')).not.toContain('zirkonium');
        }
        await talking.host.close();
      }),
      runs,
    );
  });
});
