import { agentOf, type Inbound, parseKey, type SessionKey } from '@varve/core';
import type { RoutingOptions } from '@varve/sessions';
import { usage } from '../terminal/parse-options.ts';

/** Name of the channel, and of the person at it. */
export const terminal = 'terminal';

/** Where what is typed goes: what every message says of it, and the routing that leads there. */
export interface Talk {
  readonly agentId: string;
  readonly place: Pick<Inbound, 'agentId' | 'channel' | 'account' | 'chatType' | 'peer' | 'thread'>;
  readonly routing: RoutingOptions;
}

const here = { channel: terminal, chatType: 'direct', peer: terminal } as const;

/**
 * Where what is typed goes: to a conversation by its key, to one of the terminal's own by a name, or to the agent's main
 * one.
 *
 * @throws VARVE_USAGE  for a key that nobody can write to, such as that of a job.
 */
export function talkOf(conversation: string | undefined, agentId: string): Talk {
  if (conversation === undefined) return { agentId, place: { ...here, agentId }, routing: { dmScope: 'main' } };
  if (!conversation.includes(':') && conversation !== 'global') {
    return { agentId, place: { ...here, agentId, peer: conversation }, routing: { dmScope: 'per-channel-peer' } };
  }
  if (!/^(?:agent:|global$)/.test(conversation)) {
    const fix = 'Give a name without a colon, such as work, or a key, such as agent:main:telegram:direct:123.';
    throw usage(`"${conversation}" is neither a name nor a key.`, fix);
  }
  const key = parseKey(conversation);
  return { agentId: agentOf(key) ?? agentId, ...placeOf(key, conversation) };
}

function placeOf(key: SessionKey, text: string): Pick<Talk, 'place' | 'routing'> {
  switch (key.kind) {
    case 'global':
      return { place: here, routing: { scope: 'global' } };
    case 'main':
      return { place: { ...here, agentId: key.agentId }, routing: { dmScope: 'main' } };
    case 'person':
      return {
        place: { ...here, agentId: key.agentId },
        routing: { dmScope: 'per-peer', identityLinks: { [key.person]: [`${terminal}:${terminal}`] } },
      };
    case 'direct': {
      const { agentId, channel = terminal, account, peer } = key;
      const scope = key.channel === undefined ? 'per-peer' : 'per-channel-peer';
      const dmScope = account === undefined ? scope : 'per-account-channel-peer';
      return { place: { agentId, channel, account, chatType: 'direct', peer }, routing: { dmScope } };
    }
    case 'group':
    case 'channel': {
      const { kind: chatType, agentId, channel, peer, thread } = key;
      return { place: { agentId, channel, chatType, peer, thread }, routing: {} };
    }
    default:
      throw usage(`Nobody can write to "${text}": it runs by itself.`, `See it with varve sessions show '${text}'.`);
  }
}
