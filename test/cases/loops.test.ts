import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel } from '@varve/adapters/openai';
import { type CompactOutcome, definePlugin, type ModelPort, memoryStore, type Plan, type Plugin } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assistant, exchanges, textOf, user, wordCounter, words } from './messages.ts';
import { messagesIn, model, openTalk } from './open-talk.ts';
import { requestFaults } from './request-faults.ts';
import { callsRead, readTool, scriptedPort, tooLong } from './scripted-port.ts';

/** A plugin that is nothing but its taps. */
function plugin(name: string, apply: Parameters<typeof definePlugin>[0]['apply']): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

describe('a strategy that frees a twentieth each time', () => {
  /** Asks for a compaction at every call, and covers one exchange of forty. */
  const nibbler = (asked: { times: number }): Plugin =>
    plugin('nibbler', ({ hooks }) => {
      hooks.shouldCompact.tapPromise('always', () => true);
      hooks.compact.tapPromise('nibble', ({ defaultPlan }) => {
        asked.times += 1;
        return defaultPlan({ keepTokens: 7_000, maskAfterAssistants: null });
      });
    });

  it('is not asked any more after the second time, not even by another process', async () => {
    const store = memoryStore();
    const asked = { times: 0 };
    const ended: CompactOutcome['status'][] = [];
    for (let process = 0; process < 2; process += 1) {
      await using talk = await openTalk({ store, plugins: [nibbler(asked)], budget: { inputTokens: 20_000 } });
      if (process === 0) await talk.say(...exchanges('Old', 20, 180));
      for (let call = 0; call < 10; call += 1) {
        ended.push((await talk.compact('threshold')).status);
        await talk.say(...exchanges(`${process}.${call}`, 1, 20));
      }
    }
    expect(ended).toEqual(['compacted', 'compacted', ...Array.from({ length: 18 }, () => 'blocked')]);
    expect(asked.times).toBe(2);
  });
});

describe('a turn whose prompt nothing makes small enough', () => {
  it('has it tried a few times, and not after each of its twenty tools; the next turn is free to try', async () => {
    const eager = plugin('eager', ({ hooks }) => {
      hooks.shouldCompact.tapPromise('at the limit', ({ level }) => level === 'hard' || level === 'overflow');
    });
    await using talk = await openTalk({ plugins: [eager], budget: { inputTokens: 20_000 } });
    let refusals = 0;
    talk.host.events.on('compaction-refused', () => {
      refusals += 1;
    });
    await talk.say({ role: 'system', content: words('Rules', 18_800) }, user(words('Read all of it', 300)));
    const port = scriptedPort((n) => (n < 20 ? callsRead(`c${n}`) : 'Done.'));
    const { text, compactions } = await talk.session.turn({ model: port, tools: [readTool(() => 'ok')] });
    expect([text, port.requests.length]).toEqual(['Done.', 21]);
    const ended = compactions.map(({ status }) => status);
    expect(ended).toEqual(['nothing-to-do', 'irreducible', 'irreducible', 'irreducible', 'irreducible']);
    expect(refusals).toBe(ended.length);
    await talk.say(user('And now?'));
    expect((await talk.compact('threshold')).status).not.toBe('blocked');
  });
});

describe('a strategy that says that nothing is to be done', () => {
  const wait = (refused: 'nothing-to-do' | 'irreducible'): Plugin =>
    plugin('waiting', ({ hooks, registerEngine }) => {
      hooks.shouldCompact.tapPromise('no', () => false);
      const info = { id: 'waiting', name: 'Waiting', version: '1.0.0' };
      registerEngine('waiting', () => ({
        info,
        ingest: async () => ({ ingested: true }),
        assemble: async ({ draft }) => draft,
        compact: async () => ({ refused, why: 'below_threshold' }),
      }));
    });

  it.each(['nothing-to-do', 'irreducible'] as const)(
    'does not end a turn that is too long for the model: core makes room (%s)',
    async (refused) => {
      await using talk = await openTalk({
        plugins: [wait(refused)],
        engine: 'waiting',
        budget: { inputTokens: 9_000 },
      });
      await talk.say(...exchanges('Old', 20, 200));
      const port = scriptedPort((_, { prompt }) => {
        if (wordCounter.count(textOf(prompt)) > 3_000) throw tooLong();
        return 'Yes.';
      });
      const record = await talk.session.turn({ message: user('And now?'), model: port });
      expect(record).toMatchObject({ text: 'Yes.', compactions: [{ status: 'compacted' }] });
      expect(textOf(port.requests.at(-1)?.prompt ?? { messages: [] })).toContain('And now?');
    },
  );

  it('ends one that cannot be made shorter with an error that names what is too long', async () => {
    await using talk = await openTalk({ plugins: [wait('nothing-to-do')], engine: 'waiting' });
    const port = scriptedPort(() => {
      throw tooLong();
    });
    const message = user(words('Read this', 5_000));
    await expect(talk.session.turn({ message, model: port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: { items: [{ id: '#1', role: 'user' }] },
    });
    expect(port.requests.length).toBeLessThanOrEqual(3);
  });
});

describe('limits that leave no room by subtraction', () => {
  it.each([
    ['an answer of 32k in a window of 40k', { contextTokens: 40_000, maxOutputTokens: 32_000 }],
    ['an answer as long as the window', { contextTokens: 128_000, maxOutputTokens: 128_000 }],
    ['an answer longer than the window', { contextTokens: 8_000, maxOutputTokens: 64_000 }],
  ])('do not make "hi" an overflow: %s', async (_, facts) => {
    const models = { describe: () => ({ ...facts, source: 'configuration' }) };
    await using talk = await openTalk({ plugins: [summaryCompaction()], models });
    const port = scriptedPort(() => 'Hello.');
    for (let turn = 0; turn < 3; turn += 1) {
      const { compactions, text } = await talk.session.turn({ message: user('hi'), model: port });
      expect([text, compactions]).toEqual(['Hello.', []]);
    }
    const { level, budget } = talk.session.pressure({ model });
    expect(level).toBe('none');
    expect(budget.input).toBeGreaterThanOrEqual(facts.contextTokens / 2);
  });
});

describe('an answer that was asked to be too long', () => {
  const refused = (status: number, message: string) => async (): Promise<never> => {
    throw Object.assign(new Error(message), { status, error: { error: { message } } });
  };
  const ports: readonly (readonly [string, ModelPort])[] = [
    [
      'Messages API',
      anthropicModel(
        {
          messages: {
            create: refused(400, 'max_tokens: 131072 > 64000, which is the maximum allowed number of output tokens'),
          },
        } as never,
        { model: 'm' },
      ),
    ],
    [
      'Chat Completions API',
      openaiChatModel(
        {
          chat: {
            completions: {
              create: refused(
                400,
                'max_tokens is too large: 131072. This model supports at most 16384 completion tokens',
              ),
            },
          },
        } as never,
        { model: 'm' },
      ),
    ],
  ];

  it.each(ports)('is not taken for a history that is too long: %s', async (_, port) => {
    await using talk = await openTalk({ plugins: [summaryCompaction()] });
    await talk.say(...exchanges('Old', 20, 100));
    let calls = 0;
    const counted: ModelPort = {
      ref: port.ref,
      generate: (request, options) => {
        calls += 1;
        return port.generate(request, options);
      },
    };
    await expect(talk.session.turn({ message: user('Go on.'), model: counted })).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind: 'output-limit' },
    });
    expect(calls).toBe(1);
    expect((await talk.entries()).filter(({ type }) => type === 'compaction')).toEqual([]);
  });
});

describe('what is said about compactions', () => {
  it('never enters the conversation: neither the request for prose nor a failure', async () => {
    const failing = scriptedPort(() => {
      throw new Error('429 overloaded, retry later');
    });
    const writing = scriptedPort(() => '### Goal\n- Count the clay.');
    const plugins = [summaryCompaction({ models: [failing, writing], keepRecentTokens: 100 })];
    await using talk = await openTalk({ plugins, budget: { inputTokens: 4_000 } });
    const said = [...exchanges('Old', 10, 100)];
    await talk.say(...said);
    for (let round = 0; round < 3; round += 1) {
      expect((await talk.compact('manual')).entry?.prose).toContain('- Count the clay.');
      const more = exchanges(`Round ${round}`, 6, 100);
      said.push(...more);
      await talk.say(...more);
    }
    expect(messagesIn(await talk.entries()).map(({ message }) => message)).toEqual(said);
    const asked = String(writing.requests[0]?.prompt.messages[0]?.content);
    const order = asked.slice(0, asked.indexOf('\n'));
    expect(order.length).toBeGreaterThan(20);
    const prompt = await talk.ask();
    for (const text of ['overloaded', order]) expect(textOf(prompt)).not.toContain(text);
    const later = String(writing.requests.at(-1)?.prompt.messages[0]?.content);
    expect(later.split(order)).toHaveLength(2);
  });
});

describe('a plan that cannot be carried out', () => {
  it('leaves the prompt as it is, byte for byte', async () => {
    const empty = plugin('empty', ({ hooks }) => {
      hooks.compact.tapPromise('plan nothing', ({ defaultPlan }) => ({ ...(defaultPlan() as Plan), actions: [] }));
    });
    await using talk = await openTalk({ plugins: [empty], budget: { inputTokens: 100_000 } });
    await talk.say(user('Short.'), assistant('Yes.'), user('And?'));
    const before = await talk.ask();
    const { status, entry } = await talk.compact('manual');
    expect([status === 'compacted', entry]).toEqual([false, null]);
    const after = await talk.ask();
    expect(JSON.stringify(after.messages)).toBe(JSON.stringify(before.messages));
    expect(requestFaults({ prompt: after })).toEqual([]);
  });
});
