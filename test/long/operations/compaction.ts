import { type CompactTrigger, isRefusal, VarveError } from '@varve/core';
import { seededRandom } from '@varve/testkit';
import { changePlan } from '../change-plan.ts';
import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';
import { signalFor } from './abort-signal.ts';
import { ingest } from './ingest.ts';

type OperationOf<Kind extends Operation['do']> = Extract<Operation, { readonly do: Kind }>;

/** Compacts; where the strategy does that beside the session, the next operations come meanwhile. */
export async function compact(stage: Stage, { trigger, abort }: OperationOf<'compact'>): Promise<void> {
  const isAutomatic = trigger === 'background' || trigger === 'threshold';
  if (stage.plan.strategy === 'background' && isAutomatic) return compactBeside(stage);
  return compactNow(stage, { trigger, signal: signalFor(abort) });
}

/** Begins a compaction, and goes on once its summariser has been asked. */
export async function compactBeside(stage: Stage): Promise<void> {
  return stage.beginBeside(() => compactNow(stage, { trigger: 'background' }));
}

/** Compacts, and counts how that ended. */
export async function compactNow(
  stage: Stage,
  { trigger, signal }: { readonly trigger: CompactTrigger; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { model, session } = stage;
  const began = stage.op;
  try {
    const { status } = await session.compact(trigger, { model, signal });
    stage.count(`compaction ${status}`);
    if (stage.op > began) stage.count(`compaction beside others ${status}`);
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    stage.count('compaction impossible');
  }
}

/** Asks for a plan, and carries it out later or with something about it changed. */
export async function commitPlan(stage: Stage, { pick, late }: OperationOf<'plan'>): Promise<void> {
  const { model, session } = stage;
  try {
    const plan = await session.plan('manual', { model });
    if (isRefusal(plan)) return stage.count(`plan ${plan.refused}`);
    if (late) await ingest(stage, { role: 'assistant', content: 'One moment.' }, {});
    const items = session.view.messages().map(({ id, seq }) => ({ entryId: id, seq }));
    const changed = pick % 3 === 0 ? plan : changePlan(plan, { items, random: seededRandom(pick) });
    const { status } = await session.commit(changed, { model });
    stage.count(`plan ${status}`);
  } catch (error) {
    // What has not even the shape of a plan is the caller's mistake, and thrown; what no longer holds is an outcome.
    const isShapeless = VarveError.is(error, 'VARVE_PLAN_INVALID') && error.message.includes('shape');
    if (!isShapeless && !VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    stage.count(isShapeless ? 'plan invalid' : 'plan impossible');
  }
}

/** Whichever comes first: nothing is lost, and what no longer stands is refused for a reason. */
export async function race(stage: Stage, { pick }: OperationOf<'race'>): Promise<void> {
  const { model, session } = stage;
  const newest = session.view.compaction();
  const target = stage.appended[pick % Math.max(1, stage.appended.length)];
  const third = async (): Promise<unknown> => {
    if (pick % 3 === 0 && newest !== null) return session.undo(newest.id);
    if (pick % 3 === 1 && target !== undefined) return session.moveHead(target.id, { reason: 'branch' });
    return session.setState('slot-0', `raced ${pick}`);
  };
  const message = { role: 'assistant', content: `Meanwhile, ${pick}.` } as const;
  const works = [() => session.compact('manual', { model }), () => ingest(stage, message, {}), third];
  const turned = [...works.slice(pick % 3), ...works.slice(0, pick % 3)];
  for (const result of await Promise.allSettled(turned.map((work) => work()))) {
    if (result.status === 'fulfilled') continue;
    const isReason = ['VARVE_UNDO_ORDER', 'VARVE_BUDGET_IMPOSSIBLE'].some(
      (code) => VarveError.is(result.reason) && result.reason.code === code,
    );
    if (!isReason) throw result.reason;
    stage.count('race refused');
  }
}
