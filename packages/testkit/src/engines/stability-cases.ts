import { memoryStore } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { sampleConversations } from '../conversation/sample-conversations.ts';
import { manualClock } from '../manual-clock.ts';
import type { Fault } from '../trial/probe-engine.ts';
import { ask, converse, giveWay, promptTexts } from '../trial/trial-host.ts';
import { type EngineCase, onEngine } from './engine-subject.ts';

const tight = { inputTokens: 8_000 } as const;
const disorder = [
  'open-call',
  'orphan-result',
  'user-inside-group',
  'reused-call-id',
  'empty-text',
  'duplicate-key',
] as const;

/** The same journal gives the same prompt, and a call that fails is made up for. */
export const stabilityCases: readonly EngineCase[] = [
  onEngine('gives the same prompt when it is asked twice', 'A retry must send what was sent.', async ({ open }) => {
    const { host, clock } = await open({ budget: tight });
    for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
      const session = await host.open(`s${index}`);
      await converse(session, utterances, { clock });
      const [first, second] = [await ask(session, { dryRun: true }), await ask(session, { dryRun: true })];
      assertEqual(second.text, first.text, `the second prompt of conversation ${index}`);
    }
  }),
  onEngine(
    'gives the same prompts in another process',
    'Replaying a session must give what was sent.',
    async ({ open }) => {
      for (const { utterances, seed } of sampleConversations({ count: 2 })) {
        const [one, other] = [await open({ budget: tight }), await open({ budget: tight })];
        const first = await converse(await one.host.open('s'), utterances, { clock: one.clock });
        const second = await converse(await other.host.open('s'), utterances, { clock: other.clock });
        assertEqual(promptTexts(second), promptTexts(first), `the prompts of conversation ${seed}`);
      }
    },
  ),
  onEngine(
    'gives the same prompts after a restart',
    'An engine is made anew for each session that wakes; the journal is all it has.',
    async ({ open }) => {
      for (const { utterances, seed } of sampleConversations({ count: 2 })) {
        const middle = utterances.findIndex(({ exchange }) => exchange === 3);
        const [before, after] = [utterances.slice(0, middle), utterances.slice(middle)];
        const store = memoryStore();
        const clock = manualClock();
        const first = await open({ store, clock, budget: tight });
        await converse(await first.host.open('s'), before, { clock });
        await first.host.close();
        const second = await open({ store, clock, budget: tight });
        const restarted = await converse(await second.host.open('s'), after, { clock });
        const whole = await open({ budget: tight });
        const session = await whole.host.open('s');
        await converse(session, before, { clock: whole.clock });
        const expected = await converse(session, after, { clock: whole.clock });
        assertEqual(promptTexts(restarted), promptTexts(expected), `the prompts of conversation ${seed}`);
      }
    },
  ),
  onEngine('keeps sessions apart', 'One user would read the words of another.', async ({ open }) => {
    const [a, b] = sampleConversations({ count: 2 });
    const shared = await open({ budget: tight });
    await converse(await shared.host.open('b'), b?.utterances ?? [], { clock: shared.clock });
    const beside = await converse(await shared.host.open('a'), a?.utterances ?? [], { clock: shared.clock });
    const alone = await open({ budget: tight });
    const expected = await converse(await alone.host.open('a'), a?.utterances ?? [], { clock: alone.clock });
    assertEqual(promptTexts(beside), promptTexts(expected), 'the prompts of a session beside another one');
  }),
  onEngine(
    'leaves the front of prompts alone while there is room',
    'A provider bills the whole prompt anew behind the first byte that changed.',
    async ({ open }) => {
      const { host, clock } = await open();
      for (const [index, { utterances, seed }] of sampleConversations({ count: 2, without: disorder }).entries()) {
        const answers = await converse(await host.open(`s${index}`), utterances, { clock });
        const changed = answers.filter(({ prompt }) => (prompt?.manifest.firstChangedByte ?? null) !== null);
        assertEqual(changed.length, 0, `the number of prompts that changed bytes already sent in conversation ${seed}`);
      }
    },
  ),
  comesBackWhenIt('throws'),
  comesBackWhenIt('hangs'),
  comesBackWhenIt('returns nonsense'),
  comesBackWhenIt('returns a draft of its own making'),
];

/** The fault is put between host and engine: what counts is how the engine goes on after a call that it never saw. */
function comesBackWhenIt(fault: Fault): EngineCase {
  return onEngine(
    `gives way to the reference path when a call ${fault}, and takes over again`,
    'One failure must neither stop the agent nor change how the engine goes on.',
    async ({ subject, open, openReference }) => {
      const [own, plain] = [await open(), await openReference()];
      const [first] = sampleConversations({ count: 1, length: 3 });
      const [session, reference] = [await own.host.open('s'), await plain.host.open('s')];
      for (const { message, key } of first?.utterances ?? []) {
        await session.ingest(message, { key });
        await reference.ingest(message, { key });
      }
      const before = await ask(session);
      own.probe.failOnce(fault);
      const failing = ask(session);
      await giveWay(2);
      if (fault === 'hangs') own.clock.advance(60_000);
      assertEqual((await failing).text, (await ask(reference)).text, 'the prompt while it failed, and the reference');
      await giveWay(1);
      const told = own.failures.some(({ by, where }) => by === subject.engine && where === 'assemble');
      assertThat(told, 'the host did not tell of the failure under the name of the engine');
      assertEqual((await ask(session)).text, before.text, 'the prompt after the failure');
    },
  );
}
