import type { BudgetOptions, HookName } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { generateConversation, type Utterance } from '../conversation/generate-conversation.ts';
import { onlyToolMessages, sampleConversations } from '../conversation/sample-conversations.ts';
import { ask, codeOf, converse, giveWay, trialModel, untilBegun } from '../trial/trial-host.ts';
import { assertNoThrow, onPlugin, type PluginCase, type PluginLab, type PluginTrial } from './plugin-subject.ts';

const idleMs = 600_000;

/** Holds conversations with compactions, cold caches included, and gives what came of them. */
async function hold(
  { open }: PluginLab,
  conversations: readonly (readonly Utterance[])[],
  budget?: BudgetOptions,
): Promise<PluginTrial> {
  const trial = await open({ budget });
  for (const [index, utterances] of conversations.entries()) {
    const session = await trial.host.open(`s${index}`);
    await converse(session, utterances, { clock: trial.clock, idleMs, compacts: true });
    for (const trigger of ['manual', 'overflow'] as const) {
      await session.compact(trigger, { model: trialModel }).catch(codeOf);
    }
    await ask(session);
  }
  await giveWay(1);
  return trial;
}

const samples = (): readonly (readonly Utterance[])[] => sampleConversations().map(({ utterances }) => utterances);

/** Checks that the host took what the taps of some hooks returned. */
function assertAccepted({ failures, probe }: PluginTrial, hooks: readonly HookName[]): void {
  const refused = failures
    .filter(({ by, where }) => by === probe.plugin.name && (hooks as readonly string[]).includes(where))
    .map(({ where, error }) => `${where}: ${error}`);
  assertEqual([...new Set(refused)], [], 'what the host refused of it');
}

/** A plugin copes with every conversation and every budget, and answers as hooks are answered. */
export const inputCases: readonly PluginCase[] = [
  onPlugin('copes with an empty conversation', 'Every session begins with nothing in it.', async (lab) => {
    assertNoThrow((await hold(lab, [[]])).probe, 'in an empty conversation');
  }),
  onPlugin(
    'copes with nothing but tool messages',
    'An importer, or a compaction, may leave results whose calls are gone.',
    async (lab) => {
      assertNoThrow((await hold(lab, [onlyToolMessages()])).probe, 'among tool messages');
    },
  ),
  onPlugin(
    'copes with messages of every kind',
    'Images, empty texts, interrupted calls and used ids are what conversations consist of.',
    async (lab) => {
      assertNoThrow((await hold(lab, samples())).probe, 'in usual conversations');
    },
  ),
  onPlugin(
    'copes with a tool result of 1 MB',
    'Where a result is longer than the prompt may be, a plugin is needed most.',
    async (lab) => {
      const { utterances } = generateConversation({ seed: 5, length: 3, largeShare: 1 });
      const { probe } = await hold(lab, [utterances], { inputTokens: 20_000 });
      assertNoThrow(probe, 'with a result of 1 MB');
    },
  ),
  onPlugin(
    'copes with a budget that holds next to nothing',
    'Small models exist, and large system prompts.',
    async (lab) => {
      for (const inputTokens of [0, 1, 250, 1_000]) {
        const { probe } = await hold(lab, samples().slice(0, 2), { inputTokens });
        assertNoThrow(probe, `with a budget of ${inputTokens} tokens`);
      }
      const { probe } = await hold(lab, samples().slice(0, 2), { inputTokens: 1_000, reservedTokens: 999 });
      assertNoThrow(probe, 'with a budget that is all but reserved');
    },
  ),
  onPlugin(
    'copes with a budget without limit',
    'A replay has no limit: sizes are then Infinity, and shares of them too.',
    async (lab) => {
      const conversations = samples().slice(0, 2);
      for (const contextTokens of [30_000, 10_000_000]) {
        const { probe } = await hold(lab, conversations, { contextTokens, inputTokens: null });
        assertNoThrow(probe, 'without a limit');
      }
    },
  ),
  onPlugin(
    'answers questions as their hooks demand',
    'An answer of another shape counts as a failure, and in the end as a plugin that is switched off.',
    async (lab) => {
      const trial = await hold(lab, samples(), { inputTokens: 8_000 });
      assertAccepted(trial, ['shouldCompact', 'beforeCompact', 'compact', 'summarize']);
    },
  ),
  onPlugin(
    'returns drafts that core made for this assembly',
    'Only operations of a draft write down what was done; a draft of another making is thrown away.',
    async (lab) => {
      const trial = await hold(lab, samples(), { inputTokens: 8_000 });
      assertAccepted(trial, ['collect', 'shape', 'fit']);
    },
  ),
  onPlugin(
    'rewrites messages within the contract',
    'With another role, or other call ids, a call would lose its result; the message would not be stored.',
    async (lab) => {
      assertAccepted(await hold(lab, samples()), ['ingest']);
    },
  ),
  onPlugin(
    'gives up when its caller does',
    'Whoever pressed Stop must not wait, nor pay, any longer.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: { inputTokens: 8_000 } });
      const session = await host.open('s');
      const [first] = sampleConversations({ count: 1 });
      await converse(session, first?.utterances ?? [], { clock });
      clock.advance(idleMs);
      for (const verb of ['assemble', 'compact'] as const) {
        const controller = new AbortController();
        const options = { model: trialModel, signal: controller.signal };
        const before = probe.calls.length;
        const asked = verb === 'assemble' ? session.assemble(options) : session.compact('manual', options);
        const ended = asked.catch(codeOf);
        await untilBegun(probe.calls, before);
        controller.abort(new Error('The caller went away.'));
        await ended;
      }
      await giveWay();
      const waiting = probe.calls.filter(({ isSettled }) => !isSettled).map(({ hook, tap }) => `${hook}: ${tap}`);
      assertThat(waiting.length === 0, `after the caller had aborted, it went on with ${waiting.join(', ')}`);
    },
  ),
];
