import { formatKey, type SessionKey } from '@varve/core';
import { createRouting } from '@varve/sessions';
import { routingOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { terminal } from '../chat/talk-of-key.ts';

/** Says why routing gives a key to no message, and where such messages go; `null` for a key that it may give. */
export function unroutedNote(key: SessionKey, config: VarveConfig): string | null {
  const { scope, dmScope, groupScope, personOf } = createRouting(routingOptionsOf(config));
  const begin = `Routing gives no message the key ${formatKey(key)}:`;
  const isDirect = key.kind === 'direct' || key.kind === 'person';
  const isRoom = key.kind === 'group' || key.kind === 'channel';
  if (key.kind === 'global' && scope !== 'global') return `${begin} session.scope is "${scope}".`;
  if (scope === 'global' && (isDirect || isRoom || key.kind === 'main')) {
    return `${begin} session.scope is "global", and all of them go to global.`;
  }
  if (isRoom && groupScope === 'main')
    return `${begin} session.groupScope is "main": they go to agent:${key.agentId}:main.`;
  // What varve chat talks in is chosen by who talks.
  if (!isDirect || (key.kind === 'direct' && key.channel === terminal)) return null;
  if (dmScope === 'main')
    return `${begin} session.dmScope is "main": they go to ${formatKey({ kind: 'main', agentId: key.agentId })}.`;
  if (key.kind === 'person') {
    const isLinked = Object.hasOwn(config.session?.identityLinks ?? {}, key.person);
    return isLinked ? null : `${begin} session.identityLinks has no "${key.person}".`;
  }
  const { agentId, channel, account, peer } = key;
  const person = channel === undefined ? null : personOf(channel, peer);
  if (person !== null) {
    return `${begin} that is ${person}, whose messages go to ${formatKey({ kind: 'person', agentId, person })}.`;
  }
  const parts =
    account !== undefined ? 'per-account-channel-peer' : channel !== undefined ? 'per-channel-peer' : 'per-peer';
  return parts === dmScope
    ? null
    : `${begin} session.dmScope is "${dmScope}", and keys of that form come with "${parts}".`;
}
