import { createHost, memoryStore, type Store } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { describe, expect, it } from 'vitest';
import { countingStore } from './counting-store.ts';
import { assistant, fill, recalledIn, type Talk, talk, talkIn, textOf, tool, user } from './talk.ts';

const fact = 'My sister Ilse keeps bees on the roof of the observatory.';
const question = 'Who keeps bees?';

/** A long conversation that was compacted, with a question about what is hidden. */
async function longTalk(options: Parameters<typeof talk>[0], count = 300): Promise<Talk> {
  const talking = await talk({ inputTokens: 6_000, ...options });
  await talking.say(user(fact));
  await talking.say(assistant('How nice.'));
  await fill(talking, { count });
  await talking.compact();
  await talking.say(user(question));
  return talking;
}

/** A host in which each look at the clock takes so many milliseconds. */
async function slowHost(store: Store, options: RecallOptions): Promise<Talk> {
  let time = Date.UTC(2026, 2, 2, 9);
  const now = (): number => {
    time += 25;
    return time;
  };
  const host = await createHost({
    store,
    clock: { now, after: () => () => undefined },
    random: () => 0.5,
    budget: { inputTokens: 6_000 },
    plugins: [recall(options)],
  });
  return talkIn({ host, store, sessionId: 's', wait: () => undefined });
}

describe.each(['quality', 'cache-friendly'] as const)(
  'a journal that takes several requests to read, in mode %s',
  (mode) => {
    it('is recalled from when all of it was read, with the bytes of a fast machine, and not before', async () => {
      const store = memoryStore();
      // Of a few words that fit there is much in the end, and all of it is to be the same.
      const options = { mode, minScore: 0 };
      const fast = await longTalk({ store, options });
      const expected = await fast.ask(question, { dryRun: true });
      expect(textOf(expected)).toContain(fact);
      await fast.host.close();
      const plain = await talk({ store, options: null, inputTokens: 6_000 });
      const without = await plain.ask(question, { dryRun: true });
      await plain.host.close();
      const slow = await slowHost(store, options);
      const seen: string[] = [];
      for (let request = 0; request < 40; request += 1) {
        seen.push(JSON.stringify((await slow.ask(question, { dryRun: true })).messages));
      }
      const bytes = [...new Set(seen)];
      expect(bytes).toEqual([JSON.stringify(without.messages), JSON.stringify(expected.messages)]);
      await slow.host.close();
    });
  },
);

describe('reading', () => {
  it('lets timers run', async () => {
    const { ask, host } = await longTalk({}, 1_500);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 0);
    await ask();
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
    await host.close();
  });

  it('goes on where it ended, also after the session was closed and opened again', async () => {
    const store = countingStore();
    const talking = await longTalk({ store });
    const first = await talking.ask(question, { dryRun: true });
    await talking.session.close();
    const again = await talkIn({ ...talking, sessionId: 's' });
    const before = store.streamed();
    expect((await again.ask(question, { dryRun: true })).messages).toEqual(first.messages);
    expect(store.streamed() - before).toBeLessThan(5);
    await talking.host.close();
  });

  it('keeps what lies before a move of the head, with the bytes of a host that never knew the rest', async () => {
    const store = countingStore();
    const { say, ask, session, host, ...rest } = await longTalk({ store });
    const target = await say(assistant('Ilse does.'));
    await ask(question, { dryRun: true });
    await fill({ ...rest, say }, { from: 400, count: 40 });
    await say(user('Beekeepers: none but Otto.'), { provenance: { kind: 'user', senderId: 'Otto' } });
    for (const message of tool('t', 'drainPool in src/pool.ts')) await say(message);
    await ask(question, { dryRun: true });
    await session.moveHead(target.id, { reason: 'rewind' });
    await say(user('Once more: who keeps bees?'));
    const before = store.streamed();
    const prompt = await ask(question, { dryRun: true });
    expect(store.streamed() - before).toBeLessThan(250);
    await host.close();
    const fresh = await talk({ store, inputTokens: 6_000 });
    expect((await fresh.ask(question, { dryRun: true })).messages).toEqual(prompt.messages);
    expect(textOf(prompt)).toContain(fact);
    await fresh.host.close();
  });

  it('gives the same however often it was done, also with more identifiers than are kept', async () => {
    const store = memoryStore();
    const options = { mode: 'quality' } as const;
    const { say, ask, compact, host } = await talk({ store, options, inputTokens: 6_000 });
    await say(user('Look into every berth.'));
    const pathsOf = (number: number): readonly string[] =>
      Array.from({ length: 40 }, (_, at) => `src/berth${number * 40 + at}/quay_${number}.ts`);
    for (let number = 0; number < 110; number += 1) {
      // Named again long after the ledger was full: some of what was named at first.
      const again = number < 80 ? [] : pathsOf(number - 80).filter((_, at) => at % 2 === 0);
      for (const message of tool(`t${number}`, [...again, ...pathsOf(number)].join('\n'))) await say(message);
      if (number % 4 === 0) for (const message of [assistant('Done.'), user('Go on.')]) await say(message);
      if (number === 30) await compact();
      if (number > 30 && number % 3 === 0) await ask(question, { dryRun: true });
    }
    const prompt = await ask('Which quay is left?', { dryRun: true });
    await host.close();
    const fresh = await talk({ store, options, inputTokens: 6_000 });
    expect((await fresh.ask('Which quay is left?', { dryRun: true })).messages).toEqual(prompt.messages);
    expect(recalledIn(prompt)[0]).toContain('Named earlier: ');
    await fresh.host.close();
  });

  it('is done anew when the head moves behind all that can be gone back to', async () => {
    const store = memoryStore();
    const { ask, session, host, entries } = await longTalk({ store }, 500);
    await ask(question, { dryRun: true });
    const target = (await entries()).find(({ seq }) => seq === 41);
    await session.moveHead(target?.id ?? '', { reason: 'rewind' });
    await session.compact('manual', { model: { provider: 'test', model: 'test-1' } });
    const prompt = await ask(question, { dryRun: true });
    await host.close();
    const fresh = await talk({ store, inputTokens: 6_000 });
    expect((await fresh.ask(question, { dryRun: true })).messages).toEqual(prompt.messages);
    expect(textOf(prompt)).toContain(fact);
    await fresh.host.close();
  });
});

describe.each(['quality', 'cache-friendly'] as const)('what another host has forgotten, in mode %s', (mode) => {
  it('is neither quoted nor named, though the index knows of it', async () => {
    const store = memoryStore();
    const talking = await longTalk({ store, options: { mode } });
    const { say, ask, session, host, entries, compact } = talking;
    const secrets = [await say(user(`${fact} The key is berthKey_4711.`))];
    for (const message of tool('t', 'berthKey_4711 opens the bees')) secrets.push(await say(message));
    await fill(talking, { from: 500, count: 150 });
    await compact();
    await say(user(question));
    expect(textOf(await ask(question, { dryRun: true }))).toContain('berthKey_4711');
    const first = (await entries()).find(({ seq }) => seq === 1);
    await session.close();
    const other = await talk({ store, options: null, inputTokens: 6_000 });
    await other.session.forget([first?.id ?? '', ...secrets.map(({ id }) => id)], 'asked to');
    await other.host.close();
    const again = await talkIn({ ...talking, sessionId: 's' });
    const text = textOf(await again.ask(question));
    expect(text).not.toContain('on the roof');
    expect(text).not.toContain('berthKey_4711');
    expect(await again.call('recall_grep', { query: question })).not.toContain('on the roof');
    await host.close();
  });
});
