import type { Child } from './child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** Ends a sub-agent as stopped, and with it those that work for it. The first who ends it says how. */
export function stopChild({ children }: Pick<SubagentWorld, 'children'>, child: Child): void {
  child.endedBy ??= 'stopped';
  child.controller.abort(new Error('It was stopped.'));
  stopChildrenOf({ children }, child.record.childKey);
}

/**
 * Ends all that work for a conversation, and what works for them. Their ends are told, and nobody is asked to answer them.
 * Gives how many were at work.
 */
export function stopChildrenOf({ children }: Pick<SubagentWorld, 'children'>, parentKey: string): number {
  const atWork = children.of(parentKey).filter(({ hasEnded }) => !hasEnded);
  for (const child of atWork) {
    child.isAnnounced = false;
    stopChild({ children }, child);
  }
  return atWork.length;
}
