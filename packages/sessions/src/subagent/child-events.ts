import type { EventBase } from '@varve/core';
import { emitEvent, messageOfError } from '@varve/core/host';
import type { Child } from './child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** What every event of a sub-agent says that need not be open. */
export function baseOfChild({ record, sessionId, agentId }: Child): EventBase {
  const { childKey, parentKey, label } = record;
  return {
    sessionId: sessionId ?? '',
    sessionKey: childKey,
    agentId,
    parentSessionKey: parentKey,
    label,
    displayName: null,
  };
}

/** What tells listeners of something that went wrong with a sub-agent, and is tried again or left. */
export function warnOf({ host }: Pick<SubagentWorld, 'host'>, child: Child, what: string): (error: unknown) => void {
  return (error) => emitEvent(host, 'warning', { ...baseOfChild(child), text: `${what}: ${messageOfError(error)}` });
}
