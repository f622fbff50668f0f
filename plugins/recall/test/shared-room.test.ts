import { createHost, type Store } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countingStore } from './counting-store.ts';
import { assistant, fill, recalledIn, type Talk, talkIn, user } from './talk.ts';

const question = 'Who keeps bees?';

/** What is kept of any short message. */
const charsPerMessage = 200;

/** How many messages each of the sessions has; no sum of some of them is the sum of others by chance. */
const messages = [62, 74, 92, 116, 138, 58];
const sizes = messages.map((count) => count * charsPerMessage);

/** A host of which each session knows who keeps bees. */
async function hostWith(store: Store, options: RecallOptions): Promise<readonly Talk[]> {
  const host = await createHost({
    store,
    clock: { now: () => Date.UTC(2026, 2, 2, 9), after: () => () => undefined },
    random: () => 0.5,
    budget: { inputTokens: 2_000 },
    plugins: [recall(options)],
  });
  const ids = messages.map((_, at) => `s${at}`);
  return Promise.all(ids.map((sessionId) => talkIn({ host, store, sessionId, wait: () => undefined })));
}

/** Sessions that were compacted, none of which is awake. */
async function storedSessions(): Promise<ReturnType<typeof countingStore>> {
  const store = countingStore();
  const talks = await hostWith(store, {});
  for (const [at, talking] of talks.entries()) {
    await talking.say(user('Let us begin.'));
    await talking.say(assistant(`My sister Ilse keeps bees in garden ${at}.`));
    await fill(talking, { count: ((messages[at] ?? 0) - 4) / 2 });
    await talking.compact();
    await talking.say(user(question));
    await talking.say(assistant('Let me think.'));
  }
  await talks[0]?.host.close();
  return store;
}

/** Asks a session, and tells whether its journal was read anew for that: more than the entries since the last time. */
async function isReadFor(talking: Talk | undefined, store: ReturnType<typeof countingStore>): Promise<boolean> {
  const before = store.streamed();
  const prompt = await talking?.ask(question, { dryRun: true });
  expect(prompt === undefined ? '' : recalledIn(prompt).join('\n')).toContain('Ilse keeps bees');
  return store.streamed() - before > 30;
}

it('indexes are kept as far as all of them together have room, those used last, whatever the order of questions', async () => {
  const store = await storedSessions();
  const order = fc.array(fc.nat(messages.length - 1), { minLength: 6, maxLength: 14 });
  const room = fc.integer({ min: 10_000, max: sizes.reduce((sum, size) => sum + size, 0) });
  await fc.assert(
    fc.asyncProperty(order, room, async (asked, maxTotalChars) => {
      const talks = await hostWith(store, { maxTotalChars });
      const kept: number[] = [];
      for (const at of asked) {
        expect(await isReadFor(talks[at], store)).toBe(!kept.includes(at));
        kept.splice(0, kept.length, ...kept.filter((one) => one !== at), at);
        const sum = (): number => kept.reduce((chars, one) => chars + (sizes[one] ?? 0), 0);
        while (kept.length > 1 && sum() > maxTotalChars) kept.shift();
      }
      await talks[0]?.host.close();
    }),
    { numRuns: 12 },
  );
});

it('sessions that are asked at once are all answered, and afterwards no more is kept than there is room for', async () => {
  const store = await storedSessions();
  const maxTotalChars = 40_000;
  const talks = await hostWith(store, { maxTotalChars });
  const prompts = await Promise.all(talks.map((talking) => talking.ask(question, { dryRun: true })));
  for (const prompt of prompts) expect(recalledIn(prompt).join('\n')).toContain('Ilse keeps bees');
  let keptChars = 0;
  // Each is asked once: one that is not read anew was there before.
  for (const [at, talking] of talks.entries()) {
    if (!(await isReadFor(talking, store))) keptChars += sizes[at] ?? 0;
  }
  expect(keptChars).toBeLessThanOrEqual(maxTotalChars);
  for (const at of [0, 1]) await isReadFor(talks[at], store);
  for (const at of [0, 1]) expect(await isReadFor(talks[at], store)).toBe(false);
  await talks[0]?.host.close();
});

it('the session that was asked last stays, also where it takes more than all may', async () => {
  const store = await storedSessions();
  const talks = await hostWith(store, { maxTotalChars: 10_000 });
  expect(await isReadFor(talks[4], store)).toBe(true);
  expect(await isReadFor(talks[4], store)).toBe(false);
  await talks[0]?.host.close();
});

it('what a session recalls is the same whatever else was asked', async () => {
  const store = await storedSessions();
  const alone = await hostWith(store, {});
  const expected = await alone[3]?.ask(question, { dryRun: true });
  await alone[0]?.host.close();
  const talks = await hostWith(store, { maxTotalChars: 20_000 });
  for (const at of [3, 1, 3, 4, 2, 3]) {
    const prompt = await talks[at]?.ask(question, { dryRun: true });
    if (at === 3) expect(prompt?.messages).toEqual(expected?.messages);
  }
  await talks[0]?.host.close();
});
