import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContextEngine, type Draft, definePlugin, isRefusal, memoryStore, type Plugin } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { assistant, exchanges, textOf, user, wordCounter, words } from './messages.ts';
import { messagesIn, model, openTalk } from './open-talk.ts';
import { requestFaults } from './request-faults.ts';
import { callsRead, readTool, scriptedPort } from './scripted-port.ts';

/** A plugin that is nothing but its taps. */
function plugin(name: string, apply: Parameters<typeof definePlugin>[0]['apply']): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

describe('the first message of a session', () => {
  it('is on the disk before the model is called, for whoever comes after a crash', async () => {
    const root = await mkdtemp(join(tmpdir(), 'varve-'));
    try {
      await using store = jsonlStore({ root });
      await using talk = await openTalk({ store });
      const onDisk: string[] = [];
      const port = scriptedPort(async () => {
        onDisk.push(await readFile(join(root, 'agents/main/sessions/s.jsonl'), 'utf8'));
        throw new Error('The process dies here.');
      });
      await expect(talk.session.turn({ message: user('Hello, is anybody there?'), model: port })).rejects.toThrow();
      expect(onDisk).toHaveLength(1);
      const lines = onDisk[0]?.trimEnd().split('\n') ?? [];
      expect(JSON.parse(lines[1] ?? '')).toMatchObject({ seq: 1, message: user('Hello, is anybody there?') });
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('a message that is delivered twice', () => {
  it('is stored once and told to an engine once, whether in a turn or after it', async () => {
    const told: number[] = [];
    const engine: ContextEngine = {
      info: { id: 'own', name: 'Own', version: '1.0.0' },
      ingest: async ({ entry }) => {
        told.push(entry.seq);
        return { ingested: true };
      },
      assemble: async ({ draft }) => draft,
      compact: async ({ defaultPlan }) => defaultPlan(),
    };
    const plugins = [plugin('own', ({ registerEngine }) => registerEngine('own', () => engine))];
    await using talk = await openTalk({ plugins, engine: 'own' });
    const port = scriptedPort(() => 'Hello.');
    const turn = { message: user('Hi.'), key: 'telegram:17', model: port };
    await talk.session.turn(turn);
    await talk.session.turn(turn);
    const again = await talk.session.ingest(user('Hi.'), { key: 'telegram:17' });
    expect(again.seq).toBe(1);
    const messages = messagesIn(await talk.entries()).map(({ message }) => message);
    expect(messages).toMatchObject([user('Hi.'), { role: 'assistant', content: 'Hello.' }]);
    expect(new Set(told).size).toBe(told.length);
    expect([told.length, port.requests.length]).toEqual([2, 1]);
  });
});

describe('the live message', () => {
  const rebuilding: ContextEngine = {
    info: { id: 'own', name: 'Own', version: '1.0.0' },
    ingest: async () => ({ ingested: true }),
    // What an engine of its own would do: goes through all that there is, the live message included.
    assemble: async ({ draft }) => draft.items.reduce<Draft>((given, { groupId }) => given.protect(groupId), draft),
    compact: async ({ defaultPlan }) => defaultPlan(),
  };

  it('is in each request of a turn once, though the engine has it in its draft', async () => {
    const plugins = [plugin('own', ({ registerEngine }) => registerEngine('own', () => rebuilding))];
    await using talk = await openTalk({ plugins, engine: 'own' });
    await talk.say(...exchanges('Old', 3));
    const port = scriptedPort((n) => (n < 5 ? callsRead(`c${n}`) : 'Done.'));
    await talk.session.turn({ message: user('The live one.'), model: port, tools: [readTool(() => 'ok')] });
    expect(port.requests).toHaveLength(6);
    for (const { prompt } of port.requests) expect(textOf(prompt).split('The live one.')).toHaveLength(2);
    expect(talk.session.health().findings).toEqual([]);
  });

  it('is in every request of fifty tools, whatever plugins do to the rest', async () => {
    const step = fc.record({
      act: fc.constantFrom('drop', 'park', 'edit', 'layer', 'throw', 'none' as const),
      at: fc.nat(200),
      size: fc.nat(120),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(60), async (steps, extra) => {
        let run = 0;
        const restless = plugin('restless', ({ hooks }) => {
          const tap = (draft: Draft): Draft | undefined => {
            const { act, at } = steps[run % steps.length] ?? { act: 'none', at: 0 };
            run += 1;
            const groups = draft.groups();
            const group = groups[at % Math.max(1, groups.length)];
            if (act === 'throw') throw new Error('A restless plugin.');
            if (act === 'layer') {
              const items = [{ text: words('Notes', at) }];
              return draft.addLayer({ id: 'notes', role: 'user', stability: 'turn', items }, 'notes');
            }
            if (act === 'edit') return draft.edit(() => `edited ${at}`, { rule: 'edit', sticky: at % 2 === 0 });
            if (group === undefined || act === 'none') return undefined;
            return act === 'park' ? draft.park(group.id, 'park') : draft.drop(group.id, 'drop');
          };
          hooks.collect.tapPromise('collect', async (draft) => tap(draft));
          hooks.shape.tapPromise('shape', async (draft) => tap(draft));
          hooks.fit.tapPromise('fit', async (draft) => tap(draft));
        });
        const budget = { inputTokens: 1_500 };
        await using talk = await openTalk({ plugins: [restless, summaryCompaction()], budget });
        await talk.say(...exchanges('Old', 6, 60));
        const port = scriptedPort((n) => (n < 50 ? callsRead(`c${n}`) : 'Done.'));
        const tools = [readTool((id) => words(id, 10 + extra + (steps[0]?.size ?? 0)))];
        const { text } = await talk.session.turn({ message: user('Read fifty cores.'), model: port, tools });
        expect([text, port.requests.length]).toEqual(['Done.', 51]);
        for (const { prompt } of port.requests) {
          expect(textOf(prompt).split('Read fifty cores.')).toHaveLength(2);
          expect(requestFaults({ prompt })).toEqual([]);
        }
      }),
      { numRuns: 6 },
    );
  });
});

describe('messages of one millisecond', () => {
  it('are all there after a compaction, each covered or kept', async () => {
    await using talk = await openTalk({
      clock: manualClock(),
      plugins: [summaryCompaction({ keepRecentMessages: 1 })],
    });
    const said = await talk.say(...exchanges('Old', 12, 60), user('The last.'));
    expect(new Set(said.map(({ at }) => at)).size).toBe(1);
    const { entry } = await talk.compact('manual');
    const kept = (await talk.ask()).manifest.entries.map(({ seq }) => seq);
    const covered: number[] = [];
    for await (const { seq } of talk.session.expand(entry?.id ?? '')) covered.push(seq);
    expect([...covered, ...kept]).toEqual(said.map(({ seq }) => seq));
    expect(kept.length).toBeGreaterThan(0);
  });
});

describe('two hosts that compact one session', () => {
  it('commit once: the other one is told that it came second, and nothing is lost', async () => {
    const store = memoryStore();
    const plugins = [summaryCompaction({ keepRecentTokens: 100 })];
    await using first = await openTalk({ store, plugins });
    await first.say(...exchanges('Old', 12, 60));
    await using second = await openTalk({ store, plugins });
    const ended = await Promise.allSettled([first.compact('manual'), second.compact('manual')]);
    expect(ended).toMatchObject([
      { status: 'fulfilled', value: { status: 'compacted' } },
      { status: 'fulfilled', value: { status: 'stale', why: expect.stringContaining('ompaction') } },
    ]);
    await first.say(user('From the first.'));
    await second.say(user('From the second.'));
    await first.say(assistant('Both are heard.'));
    const entries = await first.entries();
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    const shown = textOf(await first.ask());
    for (const text of ['From the first.', 'From the second.']) expect(shown).toContain(text);
  });
});

describe('a plan whose process dies', () => {
  it('has changed nothing, and can be carried out by the next process', async () => {
    const store = memoryStore();
    const first = await openTalk({ store });
    await first.say(...exchanges('Old', 12, 60));
    const before = await first.entries();
    const plan = await first.session.plan('manual', { model });
    if (isRefusal(plan)) throw new Error(plan.why);
    await first.host.close();
    await using second = await openTalk({ store });
    expect(await second.entries()).toEqual(before);
    expect(second.session.view.compaction()).toBeNull();
    await second.say(user('Meanwhile.'));
    expect((await second.session.commit(plan, { model })).status).toBe('compacted');
    expect((await second.ask()).messages.at(-1)).toEqual(user('Meanwhile.'));
  });
});

describe('a model with a smaller window', () => {
  it('takes over in the middle of a turn: it reads what was asked, and no call is made twice', async () => {
    const small = { provider: 'test', model: 'small' };
    const budget = (asked: { readonly model: string }): { readonly contextTokens: number } => ({
      contextTokens: asked.model === 'small' ? 4_000 : 100_000,
    });
    await using talk = await openTalk({ budget, plugins: [summaryCompaction()] });
    await talk.say(...exchanges('Old', 20, 200));
    const ran: string[] = [];
    const tools = [
      readTool((id) => {
        ran.push(id);
        return words(`Content of ${id}`, 900);
      }),
    ];
    const large = scriptedPort((n) => callsRead(`l${n}`, `m${n}`));
    const began = await talk.session.turn({ message: user('Read them all.'), model: large, tools, maxSteps: 2 });
    expect(began.status).toBe('step-limit');
    const port = scriptedPort((n) => (n < 2 ? callsRead(`s${n}`) : 'Done.'), { ref: small });
    expect((await talk.session.turn({ model: port, tools })).text).toBe('Done.');
    expect(ran).toEqual(['l0', 'm0', 'l1', 'm1', 's0', 's1']);
    for (const { prompt } of port.requests) {
      expect(requestFaults({ prompt })).toEqual([]);
      expect(textOf(prompt)).toContain('Read them all.');
      expect(
        prompt.messages.reduce((sum, { content }) => sum + wordCounter.count(JSON.stringify(content)), 0),
      ).toBeLessThan(3_200);
    }
  });
});
