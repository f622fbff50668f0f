import {
  agentOf,
  type CanonicalKeyOptions,
  canonicalKey,
  chatTypeOf,
  createHost,
  describeKey,
  formatKey,
  looksLikeSessionId,
  type OpenOptions,
  parseKey,
  type SessionKey,
  VarveError,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Anything that a channel may call somebody, and what keys are made of among it. */
const part = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }) },
  { weight: 2, arbitrary: fc.stringMatching(/^[:%/~@.a-zA-Z0-9]{1,8}$/) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        'main',
        'direct',
        'group',
        'channel',
        'thread',
        'topic',
        'cron',
        'run',
        'hook',
        'subagent',
        'agent',
        'global',
      ],
      ...['~', '~ada', '%7Eada', '%', '%3A', ':', 'a:b', '日本', '研究助手', '\u0000', '\uD800', 'Ada', 'ada'],
    ),
  },
);
const optional = fc.option(part, { nil: undefined });

const anyKey: fc.Arbitrary<SessionKey> = fc.oneof(
  fc.record({ kind: fc.constant('main' as const), agentId: part }),
  fc.record({ kind: fc.constant('direct' as const), agentId: part, peer: part }),
  fc.record({ kind: fc.constant('direct' as const), agentId: part, peer: part, channel: part }),
  fc.record({ kind: fc.constant('direct' as const), agentId: part, peer: part, channel: part, account: part }),
  fc.record({ kind: fc.constant('person' as const), agentId: part, person: part }),
  fc.record({ kind: fc.constantFrom('group' as const, 'channel' as const), agentId: part, channel: part, peer: part }),
  fc.record({
    kind: fc.constantFrom('group' as const, 'channel' as const),
    agentId: part,
    channel: part,
    peer: part,
    thread: fc.record({ kind: fc.constantFrom('thread' as const, 'topic' as const), id: part }),
  }),
  fc
    .record({ kind: fc.constant('cron' as const), agentId: part, job: part, run: optional })
    .map(({ run, ...key }) => (run === undefined ? key : { ...key, run })),
  fc.record({ kind: fc.constantFrom('hook' as const, 'subagent' as const), agentId: part, id: part }),
  fc.constant({ kind: 'global' as const }),
);

/** Tells keys apart without the product: JSON with its fields in order. */
function identityOf(key: SessionKey): string {
  return JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('a session key', () => {
  it('is read back as it was written, whatever its parts hold', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(parseKey(formatKey(key))).toEqual(key);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never shared by two conversations', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(formatKey(a) === formatKey(b)).toBe(identityOf(a) === identityOf(b));
      }),
      { numRuns: 5_000 },
    );
    const texts = new Map<string, string>();
    for (const key of fc.sample(anyKey, 20_000)) {
      const text = formatKey(key);
      expect(texts.get(text) ?? identityOf(key)).toBe(identityOf(key));
      texts.set(text, identityOf(key));
    }
  });

  it('has one form: what parses is written again as it was', () => {
    const pieces = fc.array(
      fc.constantFrom('agent', 'main', 'direct', 'group', 'thread', 'cron', 'run', ':', '%3A', '%41', '~', 'x', ''),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(pieces, fc.constantFrom('', ':'), (texts, between) => {
        const text = texts.join(between);
        try {
          expect(formatKey(parseKey(text))).toBe(text);
        } catch (error) {
          if (!VarveError.is(error, 'VARVE_KEY_INVALID')) throw error;
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('stays on one line of printable characters apart from what people write', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(formatKey(key)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('holds peers of 10,000 characters, and tells peers apart that differ by case alone', () => {
    const peer = 'p:%/\u0000'.repeat(2_000);
    const key: SessionKey = { kind: 'direct', agentId: 'main', channel: 'matrix', peer };
    expect(parseKey(formatKey(key))).toEqual(key);
    const named = (name: string): string => formatKey({ kind: 'direct', agentId: 'main', peer: name });
    expect(named('@Alice:hs')).not.toBe(named('@alice:hs'));
    expect(named('@Alice:hs')).toBe('agent:main:direct:@Alice%3Ahs');
  });

  it('keeps agents apart whose names are in any script', () => {
    expect(formatKey({ kind: 'main', agentId: '日本' })).not.toBe(formatKey({ kind: 'main', agentId: '研究助手' }));
    expect(agentOf(parseKey('agent:研究助手:main'))).toBe('研究助手');
    expect(agentOf({ kind: 'global' })).toBeNull();
  });

  it('never takes a raw peer for a linked person', () => {
    expect(formatKey({ kind: 'person', agentId: 'main', person: 'ada' })).toBe('agent:main:direct:~ada');
    expect(formatKey({ kind: 'direct', agentId: 'main', peer: '~ada' })).toBe('agent:main:direct:%7Eada');
    expect(formatKey({ kind: 'direct', agentId: 'main', peer: 'ada' })).toBe('agent:main:direct:ada');
  });

  it.each([
    '',
    'agent',
    'agent:main',
    'agent::main',
    'agent:main:',
    'agent:main::direct:x',
    'agent:main:direct:',
    'agent:main:direct:~',
    'agent:main:telegram',
    'agent:main:telegram:group:1:thread:',
    'agent:main:telegram:group:1:branch:2',
    'agent:main:direct:%zz',
    'agent:main:direct:%41',
    'agent:main:direct:a\nb',
    'Agent:main:main',
    'GLOBAL',
    'telegram:direct:1',
  ])('is not %j', (text) => {
    expect(() => parseKey(text)).toThrow(expect.objectContaining({ code: 'VARVE_KEY_INVALID' }));
  });

  it.each<SessionKey>([
    { kind: 'main', agentId: '' },
    { kind: 'direct', agentId: 'main', peer: '' },
    { kind: 'direct', agentId: 'main', peer: 'x', channel: '' },
    { kind: 'direct', agentId: 'main', peer: 'x', account: 'work' },
    { kind: 'group', agentId: 'main', channel: 'c', peer: '' },
    { kind: 'group', agentId: 'main', channel: 'c', peer: 'p', thread: { kind: 'topic', id: '' } },
    { kind: 'cron', agentId: 'main', job: 'j', run: '' },
  ])('is not written with an empty part: %j', (key) => {
    expect(() => formatKey(key)).toThrow(expect.objectContaining({ code: 'VARVE_KEY_INVALID' }));
  });

  it('says who is spoken with, not fooled by a peer that is named like a kind', () => {
    expect(chatTypeOf(parseKey('agent:main:telegram:direct:channel'))).toBe('direct');
    expect(chatTypeOf(parseKey('agent:main:telegram:group:direct'))).toBe('group');
    expect(chatTypeOf(parseKey('agent:main:subagent:1'))).toBeNull();
  });

  it.each([
    ['agent:main:telegram:group:direct:1', 'agent:main:telegram:group:direct%3A1'],
    ['agent:main:cron:direct:9', 'agent:main:cron:direct%3A9'],
    ['agent:main:subagent:direct:9', 'agent:main:subagent:direct%3A9'],
    ['agent:main:group:channel:987', 'agent:main:%63hannel:group:987'],
  ])('has one reading: %s is no key, and is read as %s', (text, canonical) => {
    expect(() => parseKey(text)).toThrow(expect.objectContaining({ code: 'VARVE_KEY_INVALID' }));
    expect(formatKey(canonicalKey(text))).toBe(canonical);
  });

  it('tells the record of its session who is spoken with, where nobody says otherwise', async () => {
    const host = await createHost();
    const recordOf = async (sessionId: string, options: OpenOptions): Promise<unknown> => {
      const session = await host.open(sessionId, options);
      const { agentId, channel, chatType } = session.info();
      return { agentId, channel, chatType };
    };
    const telegram = 'agent:ops:telegram:direct:1';
    expect(await recordOf('a', { key: telegram })).toEqual({ agentId: 'ops', channel: 'telegram', chatType: 'direct' });
    expect(await recordOf('b', { key: telegram, chatType: 'group' })).toMatchObject({ chatType: 'group' });
    expect(await recordOf('c', { key: 'global' })).toEqual({ agentId: 'main', channel: null, chatType: null });
    expect(await recordOf('d', { key: 'my own name' })).toEqual({ agentId: 'main', channel: null, chatType: null });
    expect(await recordOf('e', { key: 'agent:main:subagent:7' })).toMatchObject({ chatType: null });
    await host.close();
  });

  it('belongs to nobody in particular once two people are said to take part while its session is open', async () => {
    const host = await createHost();
    const session = await host.open('s', { key: 'agent:main:main', identity: 'ada' });
    await host.open('s', { key: 'agent:main:main', identity: 'ada', chatType: 'direct' });
    expect(session.info()).toMatchObject({ identity: 'ada', chatType: 'direct' });
    await host.open('s', { identity: 'bob' });
    expect(session.view).toMatchObject({ identity: null, chatType: 'direct' });
    await host.open('s', { identity: 'ada', chatType: 'group' });
    expect(session.view).toMatchObject({ identity: null, chatType: 'group' });
    await host.open('s', { chatType: 'direct' });
    expect(session.view.chatType).toBe('group');
    await host.close();
  });

  it('is described in words', () => {
    expect(describeKey(parseKey('agent:main:telegram:direct:123'))).toBe('telegram, direct with 123');
    expect(describeKey(parseKey('agent:ops:slack:work:direct:U1'))).toBe('slack/work, direct with U1 (ops)');
    expect(describeKey(parseKey('agent:main:telegram:group:-100:topic:7'))).toBe('telegram, group -100, topic 7');
    expect(describeKey(parseKey('agent:main:cron:nightly:run:1'))).toBe('job nightly, run 1');
  });
});

describe('keys of other systems', () => {
  it.each<[string, string, CanonicalKeyOptions?]>([
    ['telegram:direct:123', 'agent:main:telegram:direct:123'],
    ['main', 'agent:main:main'],
    ['agent:main:home', 'agent:main:main', { mainKey: 'home' }],
    ['  agent:main:main  ', 'agent:main:main'],
    ['AGENT:Main:telegram:group:-100:topic:7', 'agent:Main:telegram:group:-100:topic:7'],
    ['agent:main:matrix:direct:@ada:server', 'agent:main:matrix:direct:@ada%3Aserver'],
    ['agent:main:matrix:group:!AbC:server:thread:$e:1', 'agent:main:matrix:group:!AbC%3Aserver:thread:$e%3A1'],
    ['agent:main:direct:@ada:server:x', 'agent:main:direct:@ada%3Aserver%3Ax'],
    ['main-agent:telegram:user_1', 'agent:main-agent:telegram:direct:user_1'],
    ['main-agent:discord:guild_abc:channel_xyz', 'agent:main-agent:discord:channel:guild_abc%3Achannel_xyz'],
    ['agent:main:dm:telegram:123', 'agent:main:telegram:direct:123'],
    ['agent:main:group:discord:987', 'agent:main:discord:group:987'],
    ['agent:main:thread:discord:55', 'agent:main:discord:group:55:thread:55'],
    ['agent:main:cron:nightly:run:0b6c', 'agent:main:cron:nightly:run:0b6c'],
    ['agent:main:subagent:a:subagent:b', 'agent:main:subagent:a%3Asubagent%3Ab'],
    ['hook:7', 'agent:ops:hook:7', { agentId: 'ops' }],
    ['global', 'global'],
  ])('%s is read as %s', (text, canonical, options = {}) => {
    expect(formatKey(canonicalKey(text, options))).toBe(canonical);
  });

  it.each(['', ':', 'agent:', 'unheard', 'agent:main:what', 'a:b'])('%j is none', (text) => {
    expect(() => canonicalKey(text)).toThrow(expect.objectContaining({ code: 'VARVE_KEY_INVALID' }));
  });

  it('are read as our own when they are', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const text = formatKey(key);
        fc.pre(text.trim() === text);
        expect(canonicalKey(text)).toEqual(key);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never break on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          expect(parseKey(formatKey(canonicalKey(text)))).toBeDefined();
        } catch (error) {
          if (!VarveError.is(error, 'VARVE_KEY_INVALID')) throw error;
        }
      }),
    );
  });
});

describe('a session id', () => {
  it('is told from a key', () => {
    expect(looksLikeSessionId('0B6C2F0E-8d1c-4a5e-9f0a-1234567890ab')).toBe(true);
    expect(looksLikeSessionId(' 0b6c2f0e-8d1c-4a5e-9f0a-1234567890ab ')).toBe(true);
    expect(looksLikeSessionId('agent:main:main')).toBe(false);
    expect(looksLikeSessionId('0b6c2f0e8d1c4a5e9f0a1234567890ab')).toBe(false);
  });
});
