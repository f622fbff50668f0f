import {
  agentOf as agentOfKey,
  chatTypeOf,
  formatKey,
  type Inbound,
  parseKey,
  type SessionKey,
  type SessionRecord,
} from '@varve/core';
import { channelName } from './channel-name.ts';
import type { Binding, Routing } from './routing.ts';

/** Where a message goes. */
export interface Route {
  readonly key: SessionKey;
  /** The key as it is written. */
  readonly keyText: string;
  readonly agentId: string;
  /** The person that a link names behind a direct chat; `null` for one that is linked to nobody, and where others write, too. */
  readonly identity: string | null;
  /** Who takes part in the conversation, whichever message this is: a main one that rooms lead to counts as a group. */
  readonly chatType: SessionRecord['chatType'];
  /** What decided, in words: the agent, then the conversation. */
  readonly matchedBy: readonly [agent: string, conversation: string];
}

/**
 * Finds the agent and the conversation of a message, whatever the case of its channel's name. Pure.
 *
 * @throws VARVE_KEY_INVALID  for an empty channel or peer.
 */
export function resolveRoute(given: Inbound, routing: Routing): Route {
  const inbound = { ...given, channel: channelName(given.channel) };
  const { agentId, by } = agentOf(inbound, routing);
  const person = inbound.chatType === 'direct' ? routing.personOf(inbound.channel, inbound.peer) : null;
  const { key, because } = keyOf(inbound, { routing, agentId, person });
  const takesRooms = key.kind === 'main' && routing.groupScope === 'main';
  const chatType = takesRooms ? 'group' : chatTypeOf(key);
  return {
    key,
    keyText: formatKey(key),
    agentId,
    identity: chatType === 'direct' ? person : null,
    chatType,
    matchedBy: [by, because],
  };
}

/** The way to a conversation whose key is known. Pure. @throws VARVE_KEY_INVALID */
export function routeToKey(keyText: string, { defaultAgentId, groupScope }: Routing): Route {
  const key = parseKey(keyText);
  return {
    key,
    keyText: formatKey(key),
    agentId: agentOfKey(key) ?? defaultAgentId,
    identity: key.kind === 'person' ? key.person : null,
    chatType: key.kind === 'main' && groupScope === 'main' ? 'group' : chatTypeOf(key),
    matchedBy: ['conversation', 'conversation'],
  };
}

function agentOf(inbound: Inbound, { bindings, defaultAgentId }: Routing): { agentId: string; by: string } {
  if (inbound.agentId !== undefined) return { agentId: inbound.agentId, by: 'message' };
  const index = bindings.findIndex((binding) => fits(binding, inbound));
  const binding = bindings[index];
  if (binding === undefined) return { agentId: defaultAgentId, by: 'default agent' };
  return { agentId: binding.agentId, by: `binding ${index + 1}` };
}

function fits({ channel, account, chatType, peer }: Binding, inbound: Inbound): boolean {
  return (
    (channel === undefined || channelName(channel) === inbound.channel) &&
    (account === undefined || account === inbound.account) &&
    (chatType === undefined || chatType === inbound.chatType) &&
    (peer === undefined || peer === inbound.peer)
  );
}

interface Found {
  readonly routing: Routing;
  readonly agentId: string;
  readonly person: string | null;
}

function keyOf(inbound: Inbound, found: Found): { readonly key: SessionKey; readonly because: string } {
  const { routing, agentId } = found;
  if (routing.scope === 'global') return { key: { kind: 'global' }, because: 'scope global' };
  if (inbound.chatType === 'direct') return directKeyOf(inbound, found);
  if (routing.groupScope === 'main') return { key: { kind: 'main', agentId }, because: 'groupScope main' };
  const { channel, peer, thread, chatType: kind } = inbound;
  const room = { kind, agentId, channel, peer } as const;
  return thread === undefined
    ? { key: room, because: 'room' }
    : { key: { ...room, thread: { kind: thread.kind, id: thread.id } }, because: thread.kind };
}

function directKeyOf(
  { channel, account = 'default', peer }: Inbound,
  { routing, agentId, person }: Found,
): { readonly key: SessionKey; readonly because: string } {
  const { dmScope } = routing;
  if (dmScope === 'main') return { key: { kind: 'main', agentId }, because: 'dmScope main' };
  if (person !== null) return { key: { kind: 'person', agentId, person }, because: `identity link ${person}` };
  const because = `dmScope ${dmScope}`;
  if (dmScope === 'per-peer') return { key: { kind: 'direct', agentId, peer }, because };
  if (dmScope === 'per-channel-peer') return { key: { kind: 'direct', agentId, channel, peer }, because };
  return { key: { kind: 'direct', agentId, channel, account, peer }, because };
}
