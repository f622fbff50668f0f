import type { Store } from '@varve/core';
import type { RecallOptions } from '@varve/plugin-recall';
import { expect, it } from 'vitest';
import { countingStore } from './counting-store.ts';
import { assistant, fill, recalledIn, type Talk, talk, textOf, tool, user } from './talk.ts';

const fact = 'My sister Ilse keeps bees on the roof of the observatory.';
const newer = 'Otto keeps bees, too, at the far end of the valley.';
const question = 'Who keeps bees?';

/** Room for 350 of the messages below. */
const maxChars = 70_000;

/** A conversation of so many exchanges, that says something at its beginning and not far from its end. */
async function longTalk(store: Store, { count = 300, options = {} as RecallOptions } = {}): Promise<Talk> {
  const talking = await talk({ store, inputTokens: 6_000, options: { maxChars, ...options } });
  await talking.say(user('Let us begin.'));
  await talking.say(assistant('Gladly.'));
  await talking.say(user(fact));
  await fill(talking, { count: count - 150 });
  await talking.compact();
  await talking.say(user(newer));
  await fill(talking, { from: count - 150, count: 150 });
  await talking.compact();
  await talking.say(user(question));
  return talking;
}

it('the first prompt of a journal reads no more of it when it is longer', async () => {
  const read: number[] = [];
  for (const count of [600, 1_000]) {
    const store = countingStore();
    const { host } = await longTalk(store, { count });
    await host.close();
    const woken = await talk({ store, inputTokens: 6_000, options: { maxChars } });
    const before = store.streamed();
    expect(textOf(await woken.ask(question, { dryRun: true }))).toContain(newer);
    read.push(store.streamed() - before);
    await woken.host.close();
  }
  // Room for 350 messages, whole blocks of 1,024 entries, and the last entries again.
  expect(Math.max(...read)).toBeLessThan(350 + 1_024 + 10);
  expect(Math.min(...read)).toBeGreaterThan(350);
});

it.each(['quality', 'cache-friendly'] as const)(
  'a prompt of a session that was lived through has the bytes of one that was woken, wherever the room ends, in mode %s',
  async (mode) => {
    const store = countingStore();
    const options = { mode, maxChars, minScore: 0 };
    const lived = await longTalk(store, { options });
    for (let step = 0; step < 6; step += 1) {
      const here = await lived.ask(question, { dryRun: true });
      const read = store.streamed();
      const woken = await talk({ store, inputTokens: 6_000, options });
      const there = await woken.ask(question, { dryRun: true });
      expect(there.messages).toEqual(here.messages);
      if (step === 0) expect(recalledIn(here).join('\n')).toContain(newer);
      expect(recalledIn(here)).not.toEqual([]);
      expect(store.streamed()).toBeGreaterThan(read);
      await woken.host.close();
      await fill(lived, { from: 1_000 + step * 3, count: 3 });
      for (const message of tool(`t${step}`, `berth_${step} is in src/berth${step}.ts`)) await lived.say(message);
      if (step === 3) await lived.compact();
    }
    await lived.host.close();
  },
);

it('what lies before the room is not recalled by itself, and found by recall_grep', async () => {
  const talking = await longTalk(countingStore());
  const { ask, call, host } = talking;
  const recalled = recalledIn(await ask(question)).join('\n');
  expect(recalled).toContain(newer);
  expect(recalled).not.toContain(fact);
  for (const input of [{ query: question }, { pattern: 'observatory' }, { query: 'sister of Ilse', toSeq: 20 }]) {
    expect(await call('recall_grep', input)).toContain(`#3 user 2026-03-02: ${fact}`);
  }
  expect(await call('recall_grep', { query: question })).toContain(newer);
  expect(await call('recall_grep', { query: question, fromSeq: 4 })).not.toContain(fact);
  await host.close();
});

it('an identifier that was named before the room is still known, with its line', async () => {
  const talking = await talk({ store: countingStore(), inputTokens: 6_000, options: { maxChars } });
  const { say, ask, compact, host } = talking;
  await fill(talking, { count: 50 });
  await say(user('Look for the leak.'));
  for (const message of tool('a', 'leakInBuffer is drained at src/pool/drain.ts')) await say(message);
  await fill(talking, { from: 50, count: 50 });
  await compact();
  await fill(talking, { from: 100, count: 200 });
  await compact();
  for (const message of tool('b', 'nothing of note')) await say(message);
  await say(user('Go on.'));
  expect(recalledIn(await ask()).join('\n')).toContain('leakInBuffer is drained at src/pool/drain.ts');
  await host.close();
});
