import { isRefusal, memoryStore, type SummarizeRequest, tableCounter } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import type { Utterance } from '../conversation/generate-conversation.ts';
import { longTurn, sampleConversations } from '../conversation/sample-conversations.ts';
import { collectEntries } from '../journal-entries.ts';
import { isDraft } from '../trial/probe-plugin.ts';
import { ask, converse, giveWay, trialModel } from '../trial/trial-host.ts';
import { assertNoThrow, onLosslessPlugin, onPlugin, type PluginCase } from './plugin-subject.ts';

const idleMs = 600_000;
const roomy = { contextTokens: 30_000, inputTokens: null } as const;
const tight = { inputTokens: 3_000 } as const;

/** Traits that change what was sent already: results that come late, or twice. */
const disorder = ['open-call', 'orphan-result', 'user-inside-group', 'reused-call-id', 'empty-text'] as const;

/** What a plugin does to prompts is lawful, named, and can be taken back. */
export const effectCases: readonly PluginCase[] = [
  onPlugin(
    'makes no prompt impossible that fits without it',
    'An agent that stops because a memory was too long is worse than one without it.',
    async ({ open, openReference }) => {
      for (const { utterances, seed } of sampleConversations({ count: 3 })) {
        const [plain, own] = [await openReference({ budget: tight }), await open({ budget: tight })];
        const expected = await converse(await plain.host.open('s'), utterances, { clock: plain.clock });
        const answers = await converse(await own.host.open('s'), utterances, { clock: own.clock });
        const lost = expected.filter(({ prompt }, at) => prompt !== null && answers[at]?.prompt === null);
        assertEqual(lost.length, 0, `the number of prompts that it made impossible in conversation ${seed}`);
        assertEqual(own.failures.slice(0, 3), [], 'what was rejected because a prompt would not have fitted');
      }
    },
  ),
  onPlugin(
    'leaves the running turn to the model',
    'What the user has just asked, and what a tool has just answered, must be read.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: roomy });
      const utterances = longTurn(8);
      const answers = await converse(await host.open('s'), utterances, { clock });
      assertNoThrow(probe, 'in a turn that goes on');
      const last = answers.at(-1)?.prompt?.messages ?? [];
      const texts = last.map((message) => JSON.stringify(message));
      for (const { message } of [utterances[0], utterances.at(-1)] as Utterance[]) {
        assertThat(texts.includes(JSON.stringify(message)), `the ${message.role} message of the turn is not as it was`);
      }
    },
  ),
  onPlugin(
    'leaves the front of prompts alone while there is room and the cache is warm',
    'A provider bills the whole prompt anew behind the first byte that changed.',
    async ({ open }) => {
      const { host, clock } = await open({ budget: roomy });
      const conversations = sampleConversations({ count: 3, without: [...disorder, 'duplicate-key'] });
      for (const [index, { utterances, seed }] of conversations.entries()) {
        const answers = await converse(await host.open(`s${index}`), utterances, { clock });
        const changed = answers.filter(({ prompt }) => (prompt?.manifest.firstChangedByte ?? null) !== null);
        assertEqual(changed.length, 0, `the number of prompts that changed bytes already sent in conversation ${seed}`);
      }
    },
  ),
  onLosslessPlugin(
    'stores what was said as it was said',
    'What is trimmed from the journal is gone; what is trimmed from prompts can be shown again.',
    async ({ open }) => {
      const { host, clock } = await open();
      for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        const stored = (await collectEntries(session.read())).flatMap((entry) =>
          entry.type === 'message' ? [entry.message] : [],
        );
        assertEqual(stored, withoutRepeats(utterances), `the messages in journal ${index}`);
      }
    },
  ),
  onPlugin(
    'stores an edit once',
    'Edits that are made again with each prompt fill the journal, and change what was sent.',
    async ({ open }) => {
      const { host, clock } = await open({ budget: { inputTokens: 8_000 } });
      for (const [index, { utterances }] of sampleConversations({ count: 3 }).entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock, idleMs });
        clock.advance(idleMs);
        const edits = async (): Promise<number> => {
          await ask(session);
          return (await collectEntries(session.read())).filter(({ type }) => type === 'edit').length;
        };
        const first = await edits();
        assertEqual([await edits(), await edits()], [first, first], 'the number of edits after two more prompts');
      }
    },
  ),
  onPlugin(
    'sends the same again when nothing has happened',
    'A retry that has one more note than the prompt before is another prompt, and the next one has two more.',
    async ({ open }) => {
      const { host, clock } = await open({ budget: roomy });
      for (const [index, { utterances, seed }] of sampleConversations({ count: 3 }).entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        const [first, second] = [await ask(session), await ask(session)];
        assertEqual(second.text, first.text, `the prompt of conversation ${seed}, when it is made again`);
      }
    },
  ),
  onLosslessPlugin(
    'leaves no trace that undoing its edits and compactions does not take back',
    'Whoever takes a plugin out wants the conversation back.',
    async ({ open, openReference }) => {
      for (const { utterances, seed } of sampleConversations({ count: 3 })) {
        const store = memoryStore();
        const own = await open({ store, budget: roomy });
        const session = await own.host.open('s');
        await converse(session, utterances, { clock: own.clock, idleMs });
        await session.compact('manual', { model: trialModel });
        await own.host.close();
        const plain = await openReference({ store, clock: own.clock, budget: roomy });
        const again = await plain.host.open('s');
        const done = (await collectEntries(again.read())).filter(
          ({ type }) => type === 'edit' || type === 'compaction',
        );
        for (const { id } of done.toReversed()) await again.undo(id);
        const never = await openReference({ budget: roomy });
        const untouched = await never.host.open('s');
        const answers = await converse(untouched, utterances, { clock: never.clock, idleMs });
        assertEqual((await ask(again)).text, answers.at(-1)?.text, `the prompt of conversation ${seed} after undoing`);
      }
    },
  ),
  onPlugin(
    'names a rule for everything that it does',
    'Every manifest says why something is not in a prompt.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: { inputTokens: 8_000 } });
      const { name } = probe.plugin;
      for (const [index, { utterances }] of sampleConversations({ count: 3 }).entries()) {
        const answers = await converse(await host.open(`s${index}`), utterances, { clock, idleMs });
        const verdicts = answers.flatMap(({ prompt }) => prompt?.manifest.entries ?? []);
        const nameless = verdicts.filter(({ by, rule = '' }) => by === name && rule.trim() === '');
        assertEqual(nameless.length, 0, 'the number of verdicts without a rule');
      }
      const layers = probe.calls.flatMap(({ output }) => (isDraft(output) ? output.layers : []));
      const notes = probe.calls.flatMap(({ output }) => (isDraft(output) ? output.items.map(({ note }) => note) : []));
      const nameless = [...layers, ...notes].filter((one) => one?.by === name && one.rule.trim() === '');
      assertEqual(
        nameless.map((one) => one?.id),
        [],
        'layers and notes without a rule',
      );
      assertNoThrow(probe, 'where a rule had to be named');
    },
  ),
  onPlugin(
    'plans only compactions that can be carried out',
    'A plan that is refused at its commit has cost a model call, and the prompt is still too long.',
    async ({ open }) => {
      const { host, clock, failures, probe } = await open({ budget: { inputTokens: 8_000 } });
      for (const [index, { utterances, seed }] of sampleConversations().entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        const plan = await session.plan('manual', { model: trialModel });
        await giveWay(1);
        const isRefused = failures.some(({ by, where }) => by === probe.plugin.name && where === 'compact');
        assertThat(!isRefused, `the host refused its plan for conversation ${seed}`);
        if (isRefusal(plan)) continue;
        const { status, why } = await session.commit(plan, { model: trialModel });
        assertThat(status !== 'stale' && status !== 'failed', `its plan for conversation ${seed} is ${status}: ${why}`);
      }
    },
  ),
  onPlugin(
    'has no plan where there is nothing to compact',
    'A refusal is an answer; a plan for nothing would replace a conversation by an empty summary.',
    async ({ open }) => {
      const { host, probe } = await open();
      const session = await host.open('s');
      for (let messages = 0; messages < 2; messages += 1) {
        for (const trigger of ['manual', 'overflow', 'threshold', 'background'] as const) {
          const { status } = await session.compact(trigger, { model: trialModel });
          assertThat(status !== 'compacted', `it compacted ${messages} messages`);
        }
        await session.ingest({ role: 'user', content: 'Hello.' });
      }
      assertNoThrow(probe, 'when there was nothing to compact');
    },
  ),
  onPlugin(
    'writes prose within what it is granted',
    'Prose that is too long is thrown away, and the model call with it.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: { inputTokens: 8_000 } });
      for (const [index, { utterances }] of sampleConversations().entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        await session.compact('manual', { model: trialModel });
      }
      const long = probe.calls.filter(({ hook, input, output }) => {
        if (hook !== 'summarize' || typeof output !== 'string') return false;
        return tableCounter.count(output) > (input as SummarizeRequest).maxTokens;
      });
      assertEqual(long.length, 0, 'the number of summaries that are longer than granted');
    },
  ),
];

/** What a journal holds of utterances: the same key twice is one message. */
function withoutRepeats(utterances: readonly Utterance[]): readonly unknown[] {
  const keys = new Set<string>();
  return utterances.flatMap(({ message, key }) => {
    if (key !== undefined && keys.has(key)) return [];
    if (key !== undefined) keys.add(key);
    return [message];
  });
}
