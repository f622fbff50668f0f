import type { Delivery, JsonValue } from '@varve/core';
import { dryRun, type SendMatch, type SendPolicyOptions, type TimeWindow } from '@varve/plugin-send-policy';
import { describe, expect, it } from 'vitest';
import { inGroup, noon, reply } from './delivery.ts';

const deny = (match: SendMatch): SendPolicyOptions => ({ rules: [{ action: 'deny', match }] });
const allowOnly = (match: SendMatch): SendPolicyOptions => ({ rules: [{ action: 'allow', match }], default: 'deny' });
const key = (sessionKey: string | null, given: Partial<Delivery> = {}): Delivery =>
  reply({ sessionKey, channel: null, chatType: null, recipient: null, ...given });

/** How a rule with this match stands to a delivery. */
const answer = (match: SendMatch, delivery: Delivery, now: number = noon): string | undefined =>
  dryRun(delivery, deny(match), { now }).rules[0]?.matches;

describe('the decision', () => {
  it('is to allow where nobody has said anything', () => {
    expect(dryRun(reply(), {}, { now: noon })).toEqual({
      allow: true,
      reason: 'No rule forbids it.',
      rule: 'default',
      rules: [],
      warnings: [],
    });
  });

  it.each<[title: string, match: SendMatch, delivery: Delivery, answer: 'yes' | 'no' | 'unknown']>([
    ['a channel', { channel: 'telegram' }, reply(), 'yes'],
    ['a channel in other letters', { channel: 'Telegram' }, reply({ channel: 'TELEGRAM' }), 'yes'],
    ['another channel', { channel: 'discord' }, reply(), 'no'],
    ['one of several channels', { channel: ['discord', 'telegram'] }, reply(), 'yes'],
    ['the channel of the key', { channel: 'telegram' }, key('agent:main:telegram:direct:1'), 'yes'],
    ['the channel of a key with an account', { channel: 'telegram' }, key('agent:main:telegram:bot:direct:1'), 'yes'],
    ['a channel that nobody knows', { channel: 'telegram' }, key('agent:main:main'), 'unknown'],
    [
      'the channel of a message to another session',
      { channel: 'telegram' },
      reply({ kind: 'cross-session', channel: null }),
      'unknown',
    ],
    ['a direct chat by its other name', { chatType: 'dm' }, reply(), 'yes'],
    ['a group', { chatType: 'group' }, inGroup(), 'yes'],
    ['a group of the key', { chatType: 'group' }, key('agent:main:slack:group:C1'), 'yes'],
    ['a group of an article', { chatType: 'group' }, key('agent:main:group:slack:C1'), 'yes'],
    ['a direct chat of an article', { chatType: 'direct' }, key('agent:main:dm:slack:U1'), 'yes'],
    ['a key without an agent', { chatType: 'channel' }, key('discord:channel:9'), 'yes'],
    ['a chat that nobody knows', { chatType: 'group' }, key('agent:main:main'), 'unknown'],
    ['a room that is named like a direct chat', { chatType: 'group' }, key('agent:main:irc:group:direct:x'), 'yes'],
    ['that room as no direct chat', { chatType: 'direct' }, key('agent:main:irc:group:direct:x'), 'no'],
    ['a thread', { chatType: 'thread' }, inGroup({ sessionKey: 'agent:main:slack:group:C1:thread:5' }), 'yes'],
    ['a topic', { chatType: 'thread' }, inGroup({ sessionKey: 'agent:main:telegram:group:1:topic:5' }), 'yes'],
    [
      'a thread as the group that it is in',
      { chatType: 'group' },
      inGroup({ sessionKey: 'agent:a:s:group:C:thread:5' }),
      'yes',
    ],
    ['a group that is no thread', { chatType: 'thread' }, inGroup(), 'no'],
    ['a direct chat that is no thread', { chatType: 'thread' }, reply({ sessionKey: null }), 'no'],
    ['a group that may be a thread', { chatType: 'thread' }, inGroup({ sessionKey: null }), 'unknown'],
    ['a name that every object has', { chatType: 'group' }, key('agent:main:constructor:toString:x'), 'unknown'],
    ['a prefix of the key without its agent', { keyPrefix: 'telegram:' }, reply(), 'yes'],
    ['a prefix of the key with its agent', { keyPrefix: 'agent:MAIN:' }, reply(), 'yes'],
    ['another prefix', { keyPrefix: 'discord:' }, reply(), 'no'],
    ['the prefix of a session without a key', { keyPrefix: 'telegram:' }, reply({ sessionKey: null }), 'unknown'],
    ['a whole prefix', { rawKeyPrefix: 'agent:main:telegram:' }, reply(), 'yes'],
    ['a whole prefix without its agent', { rawKeyPrefix: 'telegram:' }, reply(), 'no'],
    ['a recipient', { recipient: 'Ada' }, reply(), 'yes'],
    ['a recipient of other letters', { recipient: 'ada' }, reply(), 'no'],
    ['a recipient that nobody knows', { recipient: 'Ada' }, reply({ recipient: null }), 'unknown'],
    ['a source', { provenance: ['subagent', 'user'] }, reply(), 'yes'],
    ['another source', { provenance: 'subagent' }, reply(), 'no'],
    ['a reply to nobody knows what', { provenance: 'user' }, reply({ provenance: null }), 'unknown'],
    ['what answers nothing', { provenance: 'none' }, reply({ kind: 'announcement', provenance: null }), 'yes'],
    ['a kind', { kind: ['typing', 'reply'] }, reply(), 'yes'],
    ['another kind', { kind: 'typing' }, reply(), 'no'],
    ['a kind that nobody knows', { kind: 'reply' }, reply({ kind: 'fax' as never }), 'unknown'],
    ['a mention', { addressed: ['mention', 'reply'] }, inGroup({ addressed: 'mention' }), 'yes'],
    ['who was not spoken to', { addressed: 'any' }, inGroup(), 'yes'],
    ['a greeting, which answers nothing', { addressed: 'any' }, inGroup({ kind: 'greeting', addressed: null }), 'no'],
    ['typing for nobody knows whom', { addressed: 'any' }, inGroup({ kind: 'typing', addressed: null }), 'unknown'],
    ['a way to speak that nobody knows', { addressed: 'any' }, inGroup({ addressed: 'shout' as never }), 'unknown'],
    ['all of several things', { channel: 'telegram', chatType: 'group' }, inGroup(), 'yes'],
    ['not all of several things', { channel: 'telegram', chatType: 'group' }, reply(), 'no'],
    [
      'one thing for sure and one that nobody knows',
      { kind: 'typing', recipient: 'x' },
      reply({ recipient: null }),
      'no',
    ],
  ])('knows %s', (_, match, delivery, expected) => {
    expect(answer(match, delivery)).toBe(expected);
    expect(dryRun(delivery, deny(match), { now: noon }).allow, 'to deny').toBe(expected === 'no');
    expect(dryRun(delivery, allowOnly(match), { now: noon }).allow, 'to allow').toBe(expected === 'yes');
  });

  const at = (day: number, time: string): number => Date.parse(`2026-01-0${day}T${time}:00Z`);
  const night: TimeWindow = { from: '22:00', to: '07:00', timeZone: 'UTC' };
  it.each<[title: string, window: TimeWindow, now: number, isWithin: boolean]>([
    ['begins at its first minute', night, at(7, '22:00'), true],
    ['goes on after midnight', night, at(8, '06:59'), true],
    ['ends before its last minute', night, at(8, '07:00'), false],
    ['has not begun a minute before', night, at(7, '21:59'), false],
    ['belongs to the day on which it begins', { ...night, days: 'wed' }, at(8, '03:00'), true],
    ['does not belong to the day on which it ends', { ...night, days: 'thu' }, at(8, '03:00'), false],
    ['goes on from Sunday into Monday', { ...night, days: ['sun'] }, at(5, '03:00'), true],
    ['has whole days', { days: ['sat', 'sun'], timeZone: 'UTC' }, at(4, '23:59'), true],
    ['has no other days', { days: ['sat', 'sun'], timeZone: 'UTC' }, at(5, '00:00'), false],
    ['follows the clock of its zone', { from: '20:00', to: '21:00', timeZone: 'Asia/Shanghai' }, noon, true],
    ['knows the day of its zone', { days: 'thu', timeZone: 'Pacific/Auckland' }, at(7, '12:00'), true],
  ])('has a time window that %s', (_, during, now, isWithin) => {
    expect(answer({ during }, reply(), now)).toBe(isWithin ? 'yes' : 'no');
  });

  it('takes the zone of the policy where a window names none, and follows summer time', () => {
    const policy: SendPolicyOptions = {
      ...deny({ during: { from: '09:00', to: '10:00' } }),
      timeZone: 'America/New_York',
    };
    const isDenied = (time: string): boolean => !dryRun(reply(), policy, { now: Date.parse(time) }).allow;
    expect(isDenied('2026-01-07T14:30:00Z')).toBe(true);
    expect(isDenied('2026-07-07T13:30:00Z')).toBe(true);
    expect(isDenied('2026-07-07T14:30:00Z')).toBe(false);
  });

  it('names the rule that decides, and its reason', () => {
    const rules = [
      { action: 'allow', match: { channel: 'telegram' } },
      { action: 'deny', match: { chatType: 'group' }, reason: 'Quiet, please.', name: 'quiet' },
    ] as const;
    expect(dryRun(inGroup(), { rules }, { now: noon })).toMatchObject({ reason: 'Quiet, please.', rule: 'quiet' });
    expect(dryRun(reply(), { rules, default: 'deny' }, { now: noon })).toMatchObject({ allow: true, rule: 'rules[0]' });
    expect(dryRun(key('agent:main:main'), { rules }, { now: noon })).toMatchObject({
      allow: false,
      reason: 'Quiet, please. (Not known: chatType.)',
    });
  });

  it('blocks kinds of chat with a reason, as OpenClaw and the short form say it', () => {
    const block = { types: ['group', 'thread'], reason: 'maintenance' } as const;
    expect(dryRun(inGroup(), { block }, { now: noon })).toMatchObject({
      allow: false,
      reason: 'maintenance',
      rule: 'block',
    });
    expect(dryRun(reply(), { block }, { now: noon }).allow).toBe(true);
    const openClaw: SendPolicyOptions = {
      rules: [{ action: 'deny', match: { channel: 'discord', chatType: 'group' } }],
      default: 'allow',
    };
    expect(dryRun(inGroup({ channel: 'discord' }), openClaw, { now: noon }).allow).toBe(false);
    expect(dryRun(inGroup(), openClaw, { now: noon }).allow).toBe(true);
  });

  it('denies by either form where both are given', () => {
    const policy: SendPolicyOptions = {
      block: { types: ['group'] },
      rules: [
        { action: 'allow', match: { chatType: 'group' } },
        { action: 'deny', match: { recipient: 'Ada' } },
      ],
    };
    expect(dryRun(inGroup(), policy, { now: noon }).rule).toBe('block');
    expect(dryRun(reply(), policy, { now: noon }).rule).toBe('rules[1]');
    expect(dryRun(reply({ recipient: 'Bo' }), policy, { now: noon }).allow).toBe(true);
  });

  const blocked: SendPolicyOptions = { block: { types: ['direct'] } };
  it.each<[title: string, policy: SendPolicyOptions, send: JsonValue, allow: boolean]>([
    ['off', {}, 'off', false],
    ['on, over a rule', blocked, 'on', true],
    ['inherit', blocked, { mode: 'inherit' }, false],
    ['on for a while that is not over', blocked, { mode: 'allow', until: noon + 1 }, true],
    ['on for a while that is over', blocked, { mode: 'allow', until: noon }, false],
    ['off for a while that is over', {}, { mode: 'deny', until: noon }, true],
    ['none', {}, null, true],
    ['a word that nobody knows', {}, 'perhaps', false],
    ['something else', {}, 7, false],
    ['a mode with a misspelt end', {}, { mode: 'allow', untill: noon + 1 }, false],
  ])('follows the setting of the session: %s', (_, policy, send, allow) => {
    expect(dryRun(reply(), policy, { now: noon, send }).allow).toBe(allow);
  });

  it.each<[title: string, delivery: unknown, now: number]>([
    [
      'a delivery that cannot be read',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('broken');
          },
        },
      ),
      noon,
    ],
    ['a delivery that is none', null, noon],
    ['a channel that is no text', reply({ channel: 7 as never }), noon],
    ['no time', reply(), Number.NaN],
  ])('is to deny where it cannot be made, by %s', (_, delivery, now) => {
    const policy = allowOnly({ channel: 'telegram', during: { days: 'wed', timeZone: 'UTC' } });
    const decision = dryRun(delivery as Delivery, { ...policy, default: 'allow' }, { now });
    expect(decision).toMatchObject({ allow: false, rule: 'policy-failed', rules: [] });
  });

  it('is to deny where an override may have ended and there is no time', () => {
    const send = { mode: 'deny', until: noon };
    expect(dryRun(reply(), {}, { now: Number.NaN, send })).toMatchObject({ allow: false, rule: 'policy-failed' });
  });
});

describe('the options', () => {
  it.each<[title: string, options: unknown, message: string]>([
    ['a misspelt option', { rule: [] }, '"rule" is not known here; known are rules, default, block, timeZone'],
    [
      'a misspelt match',
      { rules: [{ action: 'deny', match: { chanel: 'x' } }] },
      'rules.0.match: "chanel" is not known',
    ],
    ['a rule without an action', { rules: [{ match: {} }] }, 'rules.0.action: Say "allow" or "deny"'],
    ['another default', { default: 'maybe' }, 'default: Say "allow" or "deny"'],
    ['an empty list', { rules: [{ action: 'deny', match: { channel: [] } }] }, 'rules.0.match.channel: An empty list'],
    ['a kind that there is not', { rules: [{ action: 'deny', match: { kind: ['fax'] } }] }, '"greeting"'],
    ['a zone that there is not', { timeZone: 'Mars/Olympus' }, 'timeZone: Expected a zone that this machine knows'],
    [
      'a kind of chat that there is not',
      { block: { types: ['room'] } },
      'block.types.0: Invalid option: expected one of "direct"',
    ],
    ['a block of nothing', { block: { types: [] } }, 'block.types: Name at least one kind of chat'],
    [
      'a time that there is not',
      { rules: [{ action: 'deny', match: { during: { from: '24:30' } } }] },
      'rules.0.match.during.from: Expected a time such as "07:30"',
    ],
    [
      'a window without length',
      { rules: [{ action: 'deny', match: { during: { from: '08:00', to: '08:00' } } }] },
      'rules.0.match.during.to: It ends when it begins',
    ],
  ])('refuse %s', (_, options, message) => {
    expect(() => dryRun(reply(), options as SendPolicyOptions, { now: noon })).toThrow(message);
  });

  it.each<[title: string, policy: SendPolicyOptions, warning: string]>([
    [
      'whose prefixes no key has both',
      deny({ keyPrefix: 'discord:', rawKeyPrefix: ['agent:main:telegram:', 'global'] }),
      'The rule "rules[0]" can never match',
    ],
    ['that allows what is allowed', { rules: [{ action: 'allow', name: 'open' }] }, 'The rule "open" changes nothing'],
    ['that denies what is denied', { ...deny({ chatType: 'group' }), default: 'deny' }, 'The rule "rules[0]" changes'],
    [
      'beside one that denies everything',
      {
        rules: [
          { action: 'deny', name: 'all' },
          { action: 'allow', match: { kind: 'reply' } },
        ],
      },
      'The rule "rules[1]" never matters: "all" forbids everything.',
    ],
  ])('warn of a rule %s', (_, policy, warning) => {
    const { warnings } = dryRun(reply(), policy, { now: noon });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(warning);
  });

  it.each<[title: string, policy: SendPolicyOptions]>([
    ['a prefix of the agent and one of the rest', deny({ keyPrefix: 'telegram:', rawKeyPrefix: 'agent:ma' })],
    ['prefixes that go on from each other', deny({ keyPrefix: 'telegram:group', rawKeyPrefix: 'agent:main:tele' })],
    ['a rule that allows in a policy that denies', allowOnly({ kind: 'reply' })],
  ])('do not warn of %s', (_, policy) => {
    expect(dryRun(reply(), policy, { now: noon }).warnings).toEqual([]);
  });
});
