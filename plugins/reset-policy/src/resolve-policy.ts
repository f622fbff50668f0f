import type { Inbound, SessionRecord } from '@varve/core';
import type { ResetPolicyOptions, ResetRules } from './reset-policy-options.ts';

/** When a conversation ends, with nothing left open. */
export interface ResetPolicy {
  readonly mode: 'none' | 'daily' | 'idle';
  readonly atHour: number;
  /** `null`: the machine's own. */
  readonly timeZone: string | null;
  /** `null`: idle time does not matter. Never `null` in mode `idle`. */
  readonly idleMinutes: number | null;
  readonly combine: 'any' | 'all';
}

/** What kind of conversation it is. */
export type ConversationType = 'direct' | 'group' | 'thread';

/**
 * The policy for one conversation: that of its channel alone, where the channel has one, else that of its type over the
 * base. A channel's policy takes nothing from the base but the time zone, and holds whatever the case of its name. `dm` is
 * `direct`.
 */
export function resolvePolicy(
  options: ResetPolicyOptions,
  { type, channel }: { readonly type: ConversationType | 'dm'; readonly channel: string | null },
): ResetPolicy {
  const { resetByChannel = {}, resetByType = {} } = options;
  const isHere = ([name]: readonly [string, ResetRules]): boolean => name.toLowerCase() === channel?.toLowerCase();
  const ofChannel = Object.entries(resetByChannel).find(isHere);
  if (ofChannel !== undefined) {
    const { timeZone } = options;
    return completed([ofChannel[1], { timeZone }]);
  }
  const ofType = type === 'direct' || type === 'dm' ? (resetByType.direct ?? resetByType.dm) : resetByType[type];
  return completed([ofType, options]);
}

/** The first of the layers that says something, field by field; `null` says something. */
function completed(layers: readonly (ResetRules | undefined)[]): ResetPolicy {
  const first = <Field extends keyof ResetRules>(field: Field): ResetRules[Field] =>
    layers.map((layer) => layer?.[field]).find((value) => value !== undefined);
  const mode = first('mode') ?? 'daily';
  const idleMinutes = first('idleMinutes') ?? null;
  return {
    mode,
    atHour: first('atHour') ?? 4,
    timeZone: first('timeZone') ?? null,
    idleMinutes: mode === 'idle' ? (idleMinutes ?? 60) : idleMinutes,
    combine: first('combine') ?? 'any',
  };
}

/**
 * What kind of conversation a record is of, by its key; without a key, by the message. `null` for runs that end by
 * themselves: those of jobs, hooks and sub-agents.
 */
export function conversationTypeOf(
  { key, chatType }: Pick<SessionRecord, 'key' | 'chatType'>,
  inbound: Inbound | null,
): ConversationType | null {
  const [first, , kind = '', place, , sub] = key?.split(':') ?? [];
  const isParsed = first === 'agent';
  if (isParsed && ['cron', 'hook', 'subagent'].includes(kind)) return null;
  // A message alone does not make a thread of a conversation that has none: its policy would change to and fro.
  const isThread = isParsed
    ? (place === 'group' || place === 'channel') && (sub === 'thread' || sub === 'topic')
    : key === null && inbound?.thread !== undefined;
  if (isThread) return 'thread';
  return (chatType ?? inbound?.chatType ?? 'direct') === 'direct' ? 'direct' : 'group';
}
