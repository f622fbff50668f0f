import { memoryStore } from '@varve/core';
import { assertEqual } from '../assert.ts';
import { sampleConversations } from '../conversation/sample-conversations.ts';
import { manualClock } from '../manual-clock.ts';
import { ask, converse, promptTexts } from '../trial/trial-host.ts';
import { assertNoThrow, onPlugin, type PluginCase } from './plugin-subject.ts';

const idleMs = 600_000;
const budgets = [{ inputTokens: null, contextTokens: 30_000 }, { inputTokens: 8_000 }] as const;

/** The same journal gives the same prompt, whoever else is there and whatever came before. */
export const purityCases: readonly PluginCase[] = [
  onPlugin(
    'changes nothing of what it is handed',
    'Drafts and messages are shared and frozen: a change in place is lost, and the tap with it.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: budgets[1], compares: true });
      for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
        await converse(await host.open(`s${index}`), utterances, { clock, idleMs, compacts: true });
      }
      const changed = probe.calls.filter(({ changedInput }) => changedInput).map(({ hook, tap }) => `${hook}: ${tap}`);
      assertEqual([...new Set(changed)], [], 'the taps that changed something in place');
      assertNoThrow(probe, 'while it worked on what must not be changed');
    },
  ),
  onPlugin(
    'gives the same prompt when it is asked twice',
    'A retry, or a look at what would be sent, must not change what is sent.',
    async ({ open }) => {
      for (const budget of budgets) {
        const { host, clock } = await open({ budget });
        for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
          const session = await host.open(`s${index}`);
          await converse(session, utterances, { clock, idleMs });
          clock.advance(idleMs);
          const [first, second] = [await ask(session, { dryRun: true }), await ask(session, { dryRun: true })];
          assertEqual(second.text, first.text, `the second prompt of conversation ${index}`);
        }
      }
    },
  ),
  onPlugin(
    'gives the same prompts in another process',
    'Explaining a prompt later, or replaying it elsewhere, must give what was sent.',
    async ({ open }) => {
      for (const budget of budgets) {
        for (const { utterances, seed } of sampleConversations({ count: 2 })) {
          const [one, other] = [await open({ budget }), await open({ budget })];
          const options = { idleMs, compacts: true };
          const first = await converse(await one.host.open('s'), utterances, { ...options, clock: one.clock });
          const second = await converse(await other.host.open('s'), utterances, { ...options, clock: other.clock });
          assertEqual(promptTexts(second), promptTexts(first), `the prompts of conversation ${seed}`);
        }
      }
    },
  ),
  onPlugin(
    'gives the same prompts after a restart',
    'What a plugin must remember belongs into the journal; a variable is gone with its process.',
    async ({ open }) => {
      for (const { utterances, seed } of sampleConversations({ count: 2 })) {
        const middle = utterances.findIndex(({ exchange }) => exchange === 3);
        const [before, after] = [utterances.slice(0, middle), utterances.slice(middle)];
        const store = memoryStore();
        const clock = manualClock();
        const first = await open({ store, clock });
        await converse(await first.host.open('s'), before, { clock, idleMs });
        await first.host.close();
        const second = await open({ store, clock });
        const restarted = await converse(await second.host.open('s'), after, { clock, idleMs });
        const whole = await open();
        const session = await whole.host.open('s');
        await converse(session, before, { clock: whole.clock, idleMs });
        const expected = await converse(session, after, { clock: whole.clock, idleMs });
        assertEqual(promptTexts(restarted), promptTexts(expected), `the prompts of conversation ${seed}`);
      }
    },
  ),
  onPlugin('keeps sessions apart', 'One user would read the words of another.', async ({ open }) => {
    const [a, b] = sampleConversations({ count: 2 });
    const shared = await open();
    const [one, other] = [await shared.host.open('a'), await shared.host.open('b')];
    const mixed: string[] = [];
    for (let exchange = 0; exchange < 4; exchange += 1) {
      const turnOf = (all: typeof a): NonNullable<typeof a>['utterances'] =>
        (all?.utterances ?? []).filter((utterance) => utterance.exchange === exchange);
      mixed.push(...promptTexts(await converse(one, turnOf(a), { clock: shared.clock })));
      await converse(other, turnOf(b), { clock: shared.clock });
    }
    const alone = await open();
    const session = await alone.host.open('a');
    const expected: string[] = [];
    for (let exchange = 0; exchange < 4; exchange += 1) {
      const turn = (a?.utterances ?? []).filter((utterance) => utterance.exchange === exchange);
      expected.push(...promptTexts(await converse(session, turn, { clock: alone.clock })));
    }
    assertEqual(mixed, expected, 'the prompts of a session beside another one');
  }),
  onPlugin(
    'uses its context only while its tap runs',
    'Afterwards the context speaks of a run that is over, and throws.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: budgets[1] });
      for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
        await converse(await host.open(`s${index}`), utterances, { clock, idleMs, compacts: true });
      }
      assertEqual(probe.lateUses.slice(0, 3), [], 'what it used too late');
    },
  ),
];
