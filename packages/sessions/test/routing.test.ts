import type { Inbound } from '@varve/core';
import { createRouting, type RoutingOptions, resolveRoute } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const message: Inbound = {
  channel: 'telegram',
  chatType: 'direct',
  peer: '123',
  messageId: 'm1',
  sender: { id: '123', role: 'owner' },
  addressed: 'any',
  text: 'Hello!',
};

function route(options: RoutingOptions, inbound: Partial<Inbound> = {}): ReturnType<typeof resolveRoute> {
  return resolveRoute({ ...message, ...inbound }, createRouting(options));
}

const links = { alice: ['telegram:123', 'discord:987', 'bob-on-irc'] };

describe('the route of a message', () => {
  it.each([
    ['main', 'agent:main:main'],
    ['per-peer', 'agent:main:direct:123'],
    ['per-channel-peer', 'agent:main:telegram:direct:123'],
    ['per-account-channel-peer', 'agent:main:telegram:default:direct:123'],
  ] as const)('of a direct chat under dmScope %s is %s', (dmScope, keyText) => {
    expect(route({ dmScope })).toMatchObject({ keyText, matchedBy: ['default agent', `dmScope ${dmScope}`] });
  });

  it('makes one person one conversation in every scope of direct chats but main', () => {
    for (const dmScope of ['per-peer', 'per-channel-peer', 'per-account-channel-peer'] as const) {
      const here = route({ dmScope, identityLinks: links });
      const there = route({ dmScope, identityLinks: links }, { channel: 'discord', peer: '987', account: 'work' });
      const anywhere = route({ dmScope, identityLinks: links }, { channel: 'irc', peer: 'bob-on-irc' });
      expect([here.keyText, there.keyText, anywhere.keyText]).toEqual(Array(3).fill('agent:main:direct:~alice'));
      expect(here.identity).toBe('alice');
    }
    expect(route({ identityLinks: links })).toMatchObject({ keyText: 'agent:main:main', identity: 'alice' });
  });

  it('never lets a stranger named like a person, or by another case, into their conversation', () => {
    for (const peer of ['alice', '~alice', 'ALICE', 'Bob-On-IRC']) {
      const stranger = route({ dmScope: 'per-peer', identityLinks: links }, { channel: 'irc', peer });
      expect(stranger.keyText).not.toBe('agent:main:direct:~alice');
      expect(stranger.identity).toBeNull();
    }
    expect(route({ dmScope: 'per-peer', identityLinks: links }, { channel: 'discord' }).identity).toBeNull();
  });

  it.each(['telegram', 'Telegram', 'TELEGRAM'])('is the same for the channel %s, however it is written', (channel) => {
    const bindings = [{ agentId: 'work', channel: 'teleGram' }];
    const options = { dmScope: 'per-channel-peer', bindings } as const;
    const found = route(options, { channel, peer: 'Ada' });
    expect(found).toMatchObject({
      keyText: 'agent:work:telegram:direct:Ada',
      matchedBy: ['binding 1', expect.anything()],
    });
    const room = { chatType: 'group', peer: '-100' } as const;
    expect(route(options, { ...room, channel }).keyText).toBe('agent:work:telegram:group:-100');
    expect(route({ dmScope: 'per-peer', identityLinks: { alice: ['TeleGram:123'] } }, { channel }).identity).toBe(
      'alice',
    );
  });

  it('leads rooms and threads to conversations of their own, or to the main one', () => {
    const room = { chatType: 'group', peer: '-100' } as const;
    const topic = { ...room, thread: { kind: 'topic', id: '7' } } as const;
    expect(route({}, room)).toMatchObject({ keyText: 'agent:main:telegram:group:-100', identity: null });
    expect(route({}, topic)).toMatchObject({ keyText: 'agent:main:telegram:group:-100:topic:7' });
    expect(route({ groupScope: 'main' }, topic)).toMatchObject({ keyText: 'agent:main:main', chatType: 'group' });
    expect(route({ scope: 'global' }, topic)).toMatchObject({ keyText: 'global' });
    expect(route({ identityLinks: links, dmScope: 'per-peer' }, { ...room, peer: '123' }).identity).toBeNull();
  });

  it('finds the agent by the message, by the first binding that fits, or by default', () => {
    const bindings = [
      { agentId: 'ops', channel: 'slack' },
      { agentId: 'home', channel: 'telegram', peer: '123' },
      { agentId: 'rest', channel: 'telegram' },
    ];
    const options: RoutingOptions = { bindings, defaultAgentId: 'main', dmScope: 'per-peer' };
    expect(route(options)).toMatchObject({ agentId: 'home', matchedBy: ['binding 2', 'dmScope per-peer'] });
    expect(route(options, { peer: '9' })).toMatchObject({ agentId: 'rest' });
    expect(route(options, { channel: 'irc' })).toMatchObject({ agentId: 'main' });
    expect(route(options, { agentId: 'own' })).toMatchObject({
      agentId: 'own',
      matchedBy: ['message', expect.any(String)],
    });
  });

  it('is shared only by messages of the same person, room or thread', () => {
    const name = fc.oneof(
      fc.constantFrom('a', 'A', '~a', 'a:b', ':', '%3A', 'direct', 'group'),
      fc.string({ minLength: 1 }),
    );
    const inbound = fc.record({ channel: name, peer: name, chatType: fc.constantFrom('direct', 'group', 'channel') });
    fc.assert(
      fc.property(inbound, inbound, (a, b) => {
        const options: RoutingOptions = { dmScope: 'per-channel-peer' };
        const [one, other] = [route(options, a as Partial<Inbound>), route(options, b as Partial<Inbound>)];
        const isSame = a.channel === b.channel && a.peer === b.peer && a.chatType === b.chatType;
        expect(one.keyText === other.keyText).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('routing options', () => {
  it.each<[RoutingOptions, string]>([
    [{ dmScope: 'per-pear' as never }, 'There is no dmScope "per-pear".'],
    [{ scope: 'nobody' as never }, 'There is no scope "nobody".'],
    [{ groupScope: '' as never }, 'There is no groupScope "".'],
    [{ identityLinks: { a: ['t:1'], b: ['t:1'] } }, '"t:1" is linked to both "a" and "b".'],
    [{ identityLinks: { a: ['T:1'], b: ['t:1'] } }, '"t:1" is linked to both "a" and "b".'],
    [{ identityLinks: { a: ['b'], b: ['t:1'] } }, 'The link "a" names the link "b".'],
    [{ identityLinks: { a: ['t:'] } }, 'The link "a" holds the name "t:".'],
    [{ identityLinks: { ' ': ['t:1'] } }, 'A link has no name.'],
    [{ defaultAgentId: '' }, 'An agent has no name.'],
    [{ bindings: [{ agentId: '' }] }, 'An agent has no name.'],
  ])('%j are refused', (options, text) => {
    expect(() => createRouting(options)).toThrow(expect.objectContaining({ code: 'VARVE_ROUTING_INVALID' }));
    expect(() => createRouting(options)).toThrow(text);
  });

  it('that have no effect are warned of', () => {
    expect(createRouting({ identityLinks: links }).warnings).toEqual([expect.stringContaining('dmScope "main"')]);
    expect(createRouting({ identityLinks: links, scope: 'global' }).warnings).toEqual([
      expect.stringContaining('scope "global"'),
    ]);
    expect(createRouting({ identityLinks: links, dmScope: 'per-peer' }).warnings).toEqual([]);
    expect(createRouting().warnings).toEqual([]);
  });
});
