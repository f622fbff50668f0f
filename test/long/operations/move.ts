import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';

/** Moves the head to any entry. */
export async function move(stage: Stage, { pick, reason }: Extract<Operation, { readonly do: 'move' }>): Promise<void> {
  const entries = stage.appended;
  const given = entries[pick % Math.max(1, entries.length)];
  if (given === undefined) return;
  const head = await stage.session.moveHead(given.id, { reason });
  stage.see({ kind: 'move', given: given.id, head: head.id });
  stage.count(`move to ${reason}`);
  stage.count(head.targetId === given.id ? 'head moved' : 'head moved on');
}
