import type { CompactOutcome } from '@varve/core';
import { type Gate, gate, type ModelScript } from '@varve/testkit/model-server';
import type { ModelApi } from './model-apis.ts';
import { measure, type SessionResult, usualPlugins } from './run-session.ts';
import { boundedSummariser } from './scripted-agent.ts';
import type { PlannedTurn, SessionPlan } from './session-plan.ts';
import { planSession } from './session-plan.ts';
import { openStage, type SessionStage } from './session-stage.ts';

/** What became of a session that went on while its summariser said nothing. JSON. */
export interface HeldResult extends Pick<SessionResult, 'prompts' | 'errors' | 'journalFaults' | 'rungs'> {
  readonly api: ModelApi['name'];
  readonly further: 'light' | 'heavy';
  /** How the compaction ended once the summariser answered. */
  readonly outcome: CompactOutcome['status'] | 'none';
  /** Turns that were answered meanwhile, and messages that were ingested within 50 ms of the session's clock. */
  readonly answered: number;
  readonly ingested: number;
  /** Longest time that one of these took by the wall, in milliseconds. */
  readonly slowest: number;
}

/** Turns that go on meanwhile. */
const furtherTurns = 20;

/** Turns that fill the window to where a background compaction begins, at most. */
const mostFilling = 40;

/**
 * Fills a session until a background compaction asks its summariser, which does not answer; goes on for 20 turns, light
 * ones or such that the window fills up meanwhile; then lets the summariser answer.
 */
export async function runHeld(
  api: ModelApi,
  { further, seed }: { readonly further: HeldResult['further']; readonly seed: number },
): Promise<HeldResult> {
  const held = gate();
  const asked = gate();
  const plan = evenPlan(seed, further);
  const summary = (): ModelScript => heldScript(held, asked);
  await using stage = await openStage({ plan, api, plugins: usualPlugins, summary });
  let isAsked = false;
  void asked.opened.then(() => {
    isAsked = true;
  });
  const ended: CompactOutcome['status'][] = [];
  stage.events.on('compaction-refused', ({ reason, outcome }) => reason === 'background' && ended.push(outcome.status));
  stage.events.on('compaction-committed', ({ reason }) => reason === 'background' && ended.push('compacted'));
  let turn = 0;
  for (; turn < mostFilling && !isAsked; turn += 1) {
    await stage.play(turn, { waits: false });
    await stage.loops();
  }
  const meanwhile = await goOn(stage, mostFilling);
  held.open();
  await stage.settle();
  const { prompts, errors, journalFaults, rungs } = await measure(stage);
  const outcome = ended[0] ?? 'none';
  return { api: api.name, further, outcome, ...meanwhile, prompts, errors, journalFaults, rungs };
}

function heldScript(held: Gate, asked: Gate): ModelScript {
  const write = boundedSummariser();
  let isFirst = true;
  return async (request) => {
    if (isFirst) {
      isFirst = false;
      asked.open();
      await held.opened;
    }
    return write(request);
  };
}

/** Plays the further turns, and puts a message of another speaker in before each. */
async function goOn(stage: SessionStage, from: number): Promise<Pick<HeldResult, 'answered' | 'ingested' | 'slowest'>> {
  let answered = 0;
  let ingested = 0;
  let slowest = 0;
  for (let turn = from; turn < from + furtherTurns; turn += 1) {
    const text = `A note that comes in between, number ${turn}.`;
    const began = performance.now();
    const stored = stage.session().ingest({ role: 'user', content: text });
    // Nothing in it may wait for more time than this to pass.
    stage.clock.advance(50);
    await stored;
    slowest = Math.max(slowest, performance.now() - began);
    stage.acknowledged.users.push(text);
    ingested += 1;
    const record = await stage.play(turn, { waits: false });
    if (record?.status === 'answered') answered += 1;
  }
  return { answered, ingested, slowest: Math.round(slowest) };
}

/** Turns that are all alike: one result of 3 000 characters while the window is filled; then none, or ones like these. */
function evenPlan(seed: number, further: HeldResult['further']): SessionPlan {
  const plan = planSession({ seed, turns: mostFilling + furtherTurns, facts: 0 });
  const turns = plan.turns.map((turn, index): PlannedTurn => {
    const call = {
      tool: 'read_file',
      path: 'services/orders/src/client-1.ts',
      page: index * 100,
      chars: 3_000,
    } as const;
    const isLight = index >= mostFilling && further === 'light';
    return { ...turn, rounds: isLight ? [] : [[call]], pauseMs: 100 };
  });
  return { ...plan, turns, corrections: [], facts: [] };
}
