import { type Draft, isRefusal, type MessageEntry, type Plan } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { longTurn, onlyToolMessages, sampleConversations } from '../conversation/sample-conversations.ts';
import { isDraft } from '../trial/probe-plugin.ts';
import { ask, codeOf, converse, giveWay, trialModel, untilBegun } from '../trial/trial-host.ts';
import { assertMethodsWork, type EngineCase, type EngineTrial, onEngine } from './engine-subject.ts';

const roomy = { contextTokens: 30_000, inputTokens: null } as const;
const tight = { inputTokens: 3_000 } as const;
const assembling = ['ingest', 'assemble'] as const;

interface Assembly {
  readonly draft: Draft;
  readonly output: unknown;
}

function assembliesOf({ probe }: EngineTrial): readonly Assembly[] {
  return probe.calls.flatMap(({ method, input, output }) =>
    method === 'assemble' && output !== undefined ? [{ draft: (input as { draft: Draft }).draft, output }] : [],
  );
}

/** Holds usual conversations, and gives what came of them. */
async function hold(trial: EngineTrial, count = 4): Promise<EngineTrial> {
  for (const [index, { utterances }] of sampleConversations({ count }).entries()) {
    await converse(await trial.host.open(`s${index}`), utterances, { clock: trial.clock });
  }
  return trial;
}

/** Ingest, assemble and compact do what their contract says. */
export const contractCases: readonly EngineCase[] = [
  onEngine('says who it is', 'Health, events and degradation name engines by their id.', async ({ subject, open }) => {
    const { host, probe } = await open();
    await host.open('s');
    const { id, name, version } = probe.engines[0]?.info ?? { id: '', name: '', version: '' };
    assertEqual(id, subject.engine, 'the id in its info and the one that it is registered under');
    assertThat(name.trim() !== '', 'its name is empty');
    assertThat(/^\d+\.\d+\.\d+/.test(version), `the version "${version}" is not a semantic version`);
  }),
  onEngine(
    'gives each session an engine of its own',
    'What one session lets go of, another still uses.',
    async ({ open }) => {
      const { host, probe } = await open();
      await host.open('a');
      await host.open('b');
      assertEqual(new Set(probe.engines).size, 2, 'the number of engines of two sessions');
    },
  ),
  onEngine(
    'says of every entry whether it took it',
    'Without an answer nobody knows what the engine has.',
    async ({ open }) => {
      const { probe } = await hold(await open(), 2);
      const answers = probe.calls.filter(({ method, error }) => method === 'ingest' && error === null);
      const silent = answers.filter(
        ({ output }) => typeof (output as { ingested?: unknown } | null)?.ingested !== 'boolean',
      );
      assertEqual(silent.length, 0, 'the number of entries without an answer { ingested }');
    },
  ),
  onEngine(
    'takes an entry twice without changing prompts',
    'After a crash a host hands over what it is not sure of; the journal has it once.',
    async ({ open }) => {
      const { host, clock, probe } = await open();
      const session = await host.open('s');
      const [first] = sampleConversations({ count: 1 });
      await converse(session, first?.utterances ?? [], { clock });
      const before = await ask(session, { dryRun: true });
      const { signal } = new AbortController();
      for (const entry of session.view.messages() as readonly MessageEntry[]) {
        await probe.engines[0]?.ingest({ session: session.view, entry, turn: 'user', signal });
      }
      assertEqual((await ask(session, { dryRun: true })).text, before.text, 'the prompt after everything came twice');
    },
  ),
  onEngine('copes with an empty conversation', 'Every session begins with nothing in it.', async ({ open }) => {
    const { host, probe } = await open();
    await ask(await host.open('s'));
    assertMethodsWork(probe, assembling, 'in an empty conversation');
  }),
  onEngine(
    'copes with nothing but tool messages',
    'Compactions and importers leave results without calls.',
    async ({ open }) => {
      const { host, clock, probe } = await open();
      await converse(await host.open('s'), onlyToolMessages(), { clock });
      assertMethodsWork(probe, assembling, 'among tool messages');
    },
  ),
  onEngine(
    'copes with messages of every kind',
    'Conversations consist of images, empty texts and interrupted calls.',
    async ({ open }) => {
      assertMethodsWork((await hold(await open())).probe, assembling, 'in usual conversations');
    },
  ),
  onEngine('copes with every budget', 'Small models exist, and replays without a limit.', async ({ open }) => {
    for (const inputTokens of [0, 1, 250, 1_000, 10_000_000]) {
      assertMethodsWork(
        (await hold(await open({ budget: { inputTokens } }), 1)).probe,
        assembling,
        `with ${inputTokens} tokens`,
      );
    }
    assertMethodsWork((await hold(await open({ budget: roomy }), 1)).probe, assembling, 'without a limit');
  }),
  onEngine(
    'returns a draft of the assembly that it is asked for',
    'A draft of an earlier one is out of date, and one made by hand says nothing of what was done.',
    async ({ open }) => {
      for (const budget of [roomy, tight]) {
        const trial = await hold(await open({ budget }));
        for (const { draft, output } of assembliesOf(trial)) {
          assertThat(isDraft(output) && Object.isFrozen(output), 'it returned something that is no draft of core');
          assertThat(output.budget === draft.budget, 'it returned a draft of another assembly');
        }
        assertEqual(
          trial.failures.filter(({ where }) => where === 'assemble'),
          [],
          'assemblies that the host refused',
        );
      }
    },
  ),
  onEngine(
    'keeps history within what is left for it',
    'What is over the budget is cut by core, without regard for what the engine finds important.',
    async ({ open }) => {
      const tokensOf = (draft: Draft, live: boolean): number =>
        draft.items.reduce((sum, item) => (live && !item.live ? sum : sum + item.tokens), 0);
      for (const { draft, output } of assembliesOf(await hold(await open({ budget: tight })))) {
        const { history } = draft.budget;
        if (!isDraft(output) || tokensOf(draft, true) > history / 2) continue;
        const tokens = tokensOf(output, false);
        assertThat(tokens <= history, `its history takes ${tokens} tokens where ${history} are left`);
      }
    },
  ),
  onEngine(
    'leaves the running turn to the model',
    'What the user has just asked, and what a tool has just answered, must be read.',
    async ({ open }) => {
      const trial = await open({ budget: roomy });
      await converse(await trial.host.open('s'), longTurn(8), { clock: trial.clock });
      for (const { draft, output } of assembliesOf(trial)) {
        const kept = new Set(isDraft(output) ? output.items.map(({ id }) => id) : []);
        const lost = draft.items.filter(({ live, id }) => live && !kept.has(id)).map(({ id }) => id);
        assertEqual(lost, [], 'messages of the running turn that are gone');
      }
      assertMethodsWork(trial.probe, assembling, 'in a turn that goes on');
    },
  ),
  onEngine(
    'answers a compaction with a plan or a refusal',
    'Anything else cannot be carried out.',
    async ({ open }) => {
      const { host, clock, probe } = await open({ budget: { inputTokens: 8_000 } });
      for (const [index, { utterances }] of sampleConversations({ count: 2 }).entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        await session.compact('manual', { model: trialModel });
      }
      for (const { method, output, error } of probe.calls) {
        if (method !== 'compact' || error !== null) continue;
        const { refused, range, actions } = (output ?? {}) as { refused?: unknown } & Partial<Plan>;
        const isAnswer = typeof refused === 'string' || (typeof range === 'object' && Array.isArray(actions));
        assertThat(isAnswer, 'it answered with neither { refused, why } nor a plan');
      }
    },
  ),
  onEngine(
    'plans only compactions that can be carried out',
    'A plan that is refused leaves the prompt too long.',
    async ({ open }) => {
      const { host, clock, failures } = await open({ budget: { inputTokens: 8_000 } });
      for (const [index, { utterances }] of sampleConversations().entries()) {
        const session = await host.open(`s${index}`);
        await converse(session, utterances, { clock });
        const plan = await session.plan('manual', { model: trialModel });
        await giveWay(1);
        const refused = failures.filter(
          ({ where, error }) => where === 'compact' && error.includes('cannot be carried out'),
        );
        assertEqual(
          refused.map(({ error }) => error),
          [],
          'plans that the host refused',
        );
        if (isRefusal(plan)) continue;
        const { status, why } = await session.commit(plan, { model: trialModel });
        assertThat(status !== 'stale' && status !== 'failed', `its plan is ${status}: ${why}`);
      }
    },
  ),
  onEngine(
    'has no plan where there is nothing to compact',
    'A summary of nothing would replace the conversation.',
    async ({ open }) => {
      const { host, probe } = await open();
      const session = await host.open('s');
      for (let messages = 0; messages < 2; messages += 1) {
        const { status } = await session.compact('manual', { model: trialModel });
        assertThat(status !== 'compacted', `it compacted ${messages} messages`);
        await session.ingest({ role: 'user', content: 'Hello.' });
      }
      assertMethodsWork(probe, ['compact'], 'when there was nothing to compact');
    },
  ),
  onEngine(
    'gives up when its caller does',
    'Whoever pressed Stop must not wait, nor pay, any longer.',
    async ({ open }) => {
      const { host, clock, probe } = await open();
      const session = await host.open('s');
      const [first] = sampleConversations({ count: 1 });
      await converse(session, first?.utterances ?? [], { clock });
      const controller = new AbortController();
      const before = probe.calls.length;
      const asked = session.assemble({ model: trialModel, signal: controller.signal }).catch(codeOf);
      await untilBegun(probe.calls, before);
      controller.abort();
      await asked;
      await giveWay();
      const waiting = probe.calls.filter(({ isSettled }) => !isSettled).map(({ method }) => method);
      assertEqual(waiting, [], 'methods that went on after the caller had aborted');
    },
  ),
  onEngine(
    'lets go when its session is closed',
    'A session is opened and closed many times a day.',
    async ({ open }) => {
      const { host, probe } = await open();
      const session = await host.open('s');
      await session.close();
      const [engine] = probe.engines;
      assertEqual(engine === undefined ? 0 : probe.disposals.get(engine), 1, 'how often it was disposed of');
      await engine?.dispose?.();
      assertEqual(probe.disposeErrors.map(String), [], 'what disposing of it threw');
    },
  ),
];
