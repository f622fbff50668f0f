import { createHost, type Store } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { expect, it } from 'vitest';
import { countingStore } from './counting-store.ts';
import { assistant, fill, type Talk, talk, talkIn, user } from './talk.ts';

/** Numbers of the entries that an answer shows, as they stand in it. */
function seqsIn(answer: string): readonly number[] {
  return [...answer.matchAll(/^#(\d+)/gm)].map(([, seq]) => Number(seq));
}

/** A session in which a berth is named at so many places, with small talk between them. */
async function longTalk(store: Store, { places = 4, count = 400 } = {}): Promise<Talk> {
  const talking = await talk({ store, options: null });
  for (let place = 0; place < places; place += 1) {
    await talking.say(user(`The boat lies at berth 47 in week ${place}.`));
    await fill(talking, { from: place * count, count: place === places - 1 ? 40 : count });
  }
  return talking;
}

/** The same session in a host whose clock goes on by so much with each look at it. */
async function slowTalk(store: Store, { step, options }: { step: number; options: RecallOptions }): Promise<Talk> {
  let time = Date.UTC(2026, 2, 2, 9);
  const now = (): number => {
    time += step;
    return time;
  };
  const clock = { now, after: () => () => undefined };
  const host = await createHost({ store, clock, random: () => 0.5, plugins: [recall(options)] });
  return talkIn({ host, store, sessionId: 's', wait: () => undefined });
}

it.each([{ pattern: 'berth 47' }, { query: 'boat at berth' }])(
  'a search that has too little time for all of a journal finds the newest, and says that there is more: %j',
  async (input) => {
    const store = countingStore();
    await (await longTalk(store)).host.close();
    const talking = await slowTalk(store, { step: 25, options: { maxChars: 10_000 } });
    const answer = await talking.call('recall_grep', input);
    expect(answer).toContain('There is more');
    expect(seqsIn(answer)).toContain(2_404);
    expect(seqsIn(answer)).not.toContain(1);
    await talking.host.close();
  },
);

it('a search for characters reads no more of a journal than holds the hits that were asked for', async () => {
  const store = countingStore();
  await (await longTalk(store)).host.close();
  const talking = await talk({ store });
  const before = store.streamed();
  const answer = await talking.call('recall_grep', { pattern: 'berth 47', limit: 1 });
  expect(seqsIn(answer)).toEqual([2_404]);
  expect(answer).toContain('There is more');
  // It looks for one more, to know whether there is one.
  expect(store.streamed() - before).toBeLessThan(1_000);
  expect(seqsIn(await talking.call('recall_grep', { pattern: 'berth 47' }))).toEqual([1, 802, 1_603, 2_404]);
  expect(await talking.call('recall_grep', { pattern: 'berth 47', toSeq: 802 })).not.toContain('There is more');
  await talking.host.close();
});

it('a search for characters in more of them than it reads finds the newest', async () => {
  const talking = await talk();
  const lines = `${'a plank of the long pier\n'.repeat(60_000)}`;
  await talking.say(user('The boat lies at berth 47.'));
  for (let count = 0; count < 50; count += 1) await talking.say(assistant(lines));
  await fill(talking, { count: 70 });
  await talking.say(user('The boat lies at berth 48.'));
  const answer = await talking.call('recall_grep', { pattern: 'boat lies' });
  expect(answer).toContain('berth 48');
  await talking.host.close();
});
