import type { Delivery } from '@varve/core';

/** Noon of a Wednesday, by the clock of Greenwich. */
export const noon: number = Date.UTC(2026, 0, 7, 12);

/** A reply to somebody in a direct chat, with what is given in place of it. */
export function reply(given: Partial<Delivery> = {}): Delivery {
  return {
    sessionKey: 'agent:main:telegram:direct:Ada',
    sessionId: 'harbour',
    agentId: 'main',
    kind: 'reply',
    channel: 'telegram',
    chatType: 'direct',
    recipient: 'Ada',
    addressed: 'any',
    provenance: { kind: 'user' },
    text: 'The tide is in.',
    ...given,
  };
}

/** The same in a group. */
export function inGroup(given: Partial<Delivery> = {}): Delivery {
  const sessionKey = 'agent:main:telegram:group:pier-7';
  return reply({ sessionKey, chatType: 'group', recipient: 'pier-7', ...given });
}
