import { isDeepStrictEqual } from 'node:util';
import { fold, VarveError } from '@varve/core';
import { isSound } from './factors.ts';
import { ask } from './operations/ask.ts';
import { commitPlan, compact, race } from './operations/compaction.ts';
import { ingest, say } from './operations/ingest.ts';
import { lookBack } from './operations/look-back.ts';
import { move } from './operations/move.ts';
import { provoke } from './operations/provoke.ts';
import { askOtherHost, reopen } from './operations/restart.ts';
import { undo } from './operations/undo.ts';
import type { Observation } from './oracle/observation.ts';
import { layerTexts } from './plugins/hostile.ts';
import { Stage, type StageChanges } from './stage.ts';
import type { Operation, TranscriptPlan } from './transcript-plan.ts';

/** What was seen of a transcript, and how its operations ended. */
export interface Played {
  readonly observation: Observation;
  readonly outcomes: ReadonlyMap<string, number>;
  /** How often a summariser was asked. */
  readonly asks: number;
}

/** What a transcript is played with. */
export interface PlayOptions extends StageChanges {
  /** How many of its operations. @default all */
  readonly operations?: number | undefined;
}

/** Operations that a compaction may run beside; others wait for it. */
const besides: ReadonlySet<Operation['do']> = new Set(['say', 'rule', 'ask', 'set', 'state', 'model', 'move', 'wait']);

/** Most operations that a compaction runs beside. */
const longestBeside = 6;

/** How often, in operations, the fold of the tail is compared with that of the whole journal. */
const foldEvery = 10;

/** Plays the operations of a plan, or the first ones. */
export async function playTranscript(
  plan: TranscriptPlan,
  { operations = plan.operations.length, ...changes }: PlayOptions = {},
): Promise<Played> {
  const stage = new Stage(plan, changes);
  try {
    await stage.open();
    for (const [op, operation] of plan.operations.slice(0, operations).entries()) {
      stage.op = op;
      stage.clock.advance(1);
      await perform(stage, operation);
      const isTurn = operation.do === 'move' || operation.do === 'undo';
      if (isTurn || op % foldEvery === plan.seed % foldEvery) await compareFolds(stage);
    }
    await stage.settleBeside();
    for (const reply of stage.replies) stage.see({ kind: 'reply', ...reply });
    const { findings } = stage.session.health();
    if (findings.length > 0 && isSound(plan.strategy)) {
      stage.see({ kind: 'wrong', what: `ill health: ${findings[0]?.where} ${findings[0]?.lastError}` });
    }
    await stage.close();
    await compareFolds(stage);
    const entries = await stage.stored();
    if (!isDeepStrictEqual(entries, stage.appended))
      stage.see({ kind: 'wrong', what: 'what is read is not what was stored' });
    return { observation: { events: stage.events, entries, layerTexts }, outcomes: stage.outcomes, asks: stage.asks };
  } finally {
    await stage.end();
  }
}

async function perform(stage: Stage, operation: Operation): Promise<void> {
  const since = stage.besideSince;
  const isOverdue = since !== null && stage.op - since > stage.plan.seed % longestBeside;
  try {
    if (since !== null && (isOverdue || !mayRunBeside(operation))) await stage.settleBeside();
    await operate(stage, operation);
  } catch (error) {
    const code = VarveError.is(error) ? error.code : 'no code';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stage.see({ kind: 'wrong', what: `${operation.do} threw ${code}: ${text.split('\n').slice(0, 4).join(' ')}` });
  }
}

/** Whatever compacts itself would wait for the summariser of the one that runs. */
function mayRunBeside(operation: Operation): boolean {
  return besides.has(operation.do) || (operation.do === 'undo' && operation.what !== 'fresh-compaction');
}

async function operate(stage: Stage, operation: Operation): Promise<void> {
  const { session } = stage;
  switch (operation.do) {
    case 'say':
      return say(stage, operation);
    case 'rule':
      return ingest(stage, { role: 'system', content: `Rule ${operation.pick}: rhyme.` }, {});
    case 'ask':
      return ask(stage, operation);
    case 'compact':
      return compact(stage, operation);
    case 'plan':
      return commitPlan(stage, operation);
    case 'undo':
      return undo(stage, operation);
    case 'move':
      return move(stage, operation);
    case 'race':
      return race(stage, operation);
    case 'model': {
      stage.choose(operation.pick);
      const { provider, model } = stage.model;
      return operation.set ? session.set('model', `${provider}/${model}`) : undefined;
    }
    case 'set':
      return session.set(`name-${operation.pick % 3}`, { at: operation.pick });
    case 'state': {
      const text = operation.pick % 4 === 0 ? null : `$& ${operation.pick} tasks`;
      return session.setState(`slot-${operation.pick % 3}`, text);
    }
    case 'reopen':
      return reopen(stage, operation);
    case 'wait':
      stage.clock.advance(600_000);
      // What runs beside the session is given up on by now: that comes to its end before anything else.
      return stage.settleBeside();
    case 'provoke':
      return provoke(stage);
    case 'look-back':
      return lookBack(stage, operation);
    case 'other-host':
      return askOtherHost(stage);
  }
}

/** The law of the tail. Seen only where it is broken: both sides are as large as the journal. */
async function compareFolds(stage: Stage): Promise<void> {
  const journal = await stage.store.open('s', { readOnly: true });
  const [tail, all] = [fold(await journal.tail()), fold({ checkpoint: null, entries: stage.appended })];
  await journal.close();
  if (!isDeepStrictEqual(tail, all)) stage.see({ kind: 'same', what: 'fold', a: shown(tail), b: shown(all) });
  stage.count('fold compared');
}

function shown(folded: ReturnType<typeof fold>): unknown {
  return { ...folded, edits: [...folded.edits], verdicts: [...folded.verdicts] };
}
