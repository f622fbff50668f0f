import {
  type CompactOutcome,
  type CompactTrigger,
  createHost,
  fold,
  type HealthFinding,
  type Journal,
  type ModelRef,
  memoryStore,
  nameOfAction,
  type PluginList,
  type Prompt,
  type Session,
  VarveError,
} from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPrompt } from './check-prompt.ts';
import { unreliableModel } from './fake-model.ts';
import { agentSession, type Conversation, conversation } from './random-conversation.ts';
import { collect } from './talk.ts';

const models = [
  { provider: 'test', model: 'test-1' },
  { provider: 'test', model: 'test-2' },
] as const;

/** What a conversation came to. */
interface Run {
  readonly prompts: readonly Prompt[];
  readonly outcomes: readonly CompactOutcome[];
}

/** A conversation as a host leads it, checked at every step: under pressure it compacts, then it asks. */
async function run({ inputTokens, steps }: Conversation, plugins: PluginList = [summaryCompaction()]): Promise<Run> {
  const prompts: Prompt[] = [];
  const outcomes: CompactOutcome[] = [];
  const store = memoryStore();
  let now = 1_000;
  let model: ModelRef = models[0];
  const clock = { now: () => now, after: () => () => undefined };
  const open = async (): Promise<Session> => {
    const host = await createHost({ store, clock, budget: { contextTokens: inputTokens, inputTokens }, plugins });
    return host.open('s');
  };
  let session = await open();
  let previous: Prompt | null = null;

  const compact = async (trigger: CompactTrigger): Promise<void> => {
    const outcome = await session.compact(trigger, { model });
    outcomes.push(outcome);
    await checkOutcome(outcome, { session, tokens: session.pressure({ model }).tokens });
  };
  const ask = async (): Promise<void> => {
    await compact('threshold');
    let prompt = await assemble(session, model);
    if (prompt === null) {
      await compact('overflow');
      prompt = await assemble(session, model);
    }
    if (prompt === null) return;
    prompts.push(prompt);
    checkPrompt(prompt, { entries: await collect(session.read()), inputTokens });
    checkGrowth(prompt, previous);
    previous = prompt;
  };
  const reopen = async (): Promise<void> => {
    const before = await session.assemble({ model, dryRun: true }).catch(() => null);
    expect(findingsOf(session)).toEqual([]);
    await session.close();
    session = await open();
    const after = await session.assemble({ model, dryRun: true }).catch(() => null);
    expect(after?.messages, 'the prompt after a restart').toEqual(before?.messages);
    previous = null;
  };
  for (const step of [...steps, { do: 'ask' } as const]) {
    now += step.do === 'wait' ? 600_000 : 1;
    if (step.do === 'ask') await ask();
    else if (step.do === 'say') await session.ingest(step.message);
    else if (step.do === 'compact') await compact(step.trigger);
    else if (step.do === 'undo') await undo(session);
    else if (step.do === 'reopen') await reopen();
    else if (step.do === 'switch') model = model === models[0] ? models[1] : models[0];
    else if (step.do === 'call') {
      for (const message of [step.message, ...step.replies]) await session.ingest(message);
    }
    await checkFold(await store.open('s'));
  }
  expect(findingsOf(session)).toEqual([]);
  return { prompts, outcomes };
}

/** What has failed, apart from models that write prose. */
function findingsOf(session: Session): readonly HealthFinding[] {
  return session.health().findings.filter(({ where }) => !where.startsWith('summarize: '));
}

async function assemble(session: Session, model: ModelRef): Promise<Prompt | null> {
  return session.assemble({ model }).catch((error: unknown) => {
    if (VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return null;
    throw error;
  });
}

async function undo(session: Session): Promise<void> {
  const compaction = session.view.compaction();
  if (compaction !== null) await session.undo(compaction.id);
}

/** Folding the tail gives what folding everything gives. */
async function checkFold(journal: Journal): Promise<void> {
  const entries = await collect(journal.read());
  expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries }));
}

/** A prompt begins with the bytes of the one before, unless its manifest says what was done. */
function checkGrowth({ manifest, messages }: Prompt, previous: Prompt | null): void {
  if (previous === null || manifest.actions.length > 0) return;
  expect(manifest.firstChangedByte, 'first changed byte').toBeNull();
  expect(messages.slice(0, previous.marks.afterStable)).toEqual(previous.messages.slice(0, previous.marks.afterStable));
}

/** A compaction makes the next prompt as small as it says, and what it covers can be had whole. */
async function checkOutcome(
  { status, entry, tokensBefore, tokensAfter }: CompactOutcome,
  { session, tokens }: { readonly session: Session; readonly tokens: number },
): Promise<void> {
  expect(['compacted', 'nothing-to-do', 'below-threshold', 'irreducible', 'blocked']).toContain(status);
  if (entry === null) return;
  expect(tokensAfter).toBeLessThan(tokensBefore);
  expect(tokens, 'tokens after').toBe(tokensAfter);
  const { from, to, firstKept } = entry.range;
  const covered = await collect(session.expand(entry.id));
  expect(covered.map(({ seq }) => seq)).toEqual(Array.from({ length: to.seq - from.seq + 1 }, (_, n) => from.seq + n));
  expect(session.view.messages()[0]?.seq).toBe(firstKept?.seq);
}

describe('a random conversation', () => {
  it('has valid prompts within their budget, and loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (given) => void (await run(given))),
      { numRuns: 30 },
    );
  });

  it('has them with count and ratio triggers, and with pruning', async () => {
    const plugins = [
      ttlPruning({ minPrunableToolChars: 0, softTrim: { maxChars: 1_000, headChars: 300, tailChars: 300 } }),
      summaryCompaction({ compactAtMessages: 12, compactAtRatio: 0.5, keepRecentMessages: 5 }),
    ];
    await fc.assert(
      fc.asyncProperty(conversation, async (given) => void (await run(given, plugins))),
      { numRuns: 30 },
    );
  });
});

describe('a conversation with models that write anything', () => {
  it('has valid prompts with one summary each, and loses nothing', async () => {
    let written = 0;
    const property = fc.asyncProperty(conversation, fc.nat(1_000), async (given, seed) => {
      const models = [
        unreliableModel(seed, 'first'),
        { port: unreliableModel(seed + 7, 'second'), contextTokens: 4_000 },
      ];
      const { prompts, outcomes } = await run(given, [summaryCompaction({ models })]);
      written += outcomes.filter(({ entry }) => entry?.prose != null && entry.by.model !== undefined).length;
      for (const { messages } of prompts) {
        const lines = JSON.stringify(messages[0]?.content ?? '').split('\\n');
        const isSummary = lines[0]?.includes('[Summary of entries') === true;
        const ends = lines.filter((line) => line.startsWith('## End of the summary'));
        if (isSummary) expect(ends, lines.join('\n')).toHaveLength(1);
      }
    });
    await fc.assert(property, { numRuns: 30 });
    expect(written, 'compactions with new prose').toBeGreaterThan(0);
  });
});

describe('a session of an agent', () => {
  it('is compacted whenever that is due, so that no request is cut and the current message stays', {
    timeout: 600_000,
  }, async () => {
    const property = fc.asyncProperty(agentSession, async (given) => {
      const { prompts, outcomes } = await run(given);
      for (const { status, why } of outcomes) expect(['below-threshold', 'compacted'], why).toContain(status);
      expect(prompts).toHaveLength(given.steps.filter((step) => step.do === 'ask').length + 1);
      for (const { manifest } of prompts) {
        const done = new Set(manifest.actions.map((action) => nameOfAction(action).split(':')[0]));
        expect([...done].filter((action) => !['compaction', 'cleared', 'restored'].includes(action ?? ''))).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: 6 });
  });
});
