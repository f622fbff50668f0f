import type { Delivery } from '@varve/core';
import { dryRun, type SendMatch, type SendPolicyOptions, type SendRule } from '@varve/plugin-send-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noon } from './delivery.ts';

const channels = ['telegram', 'discord', 'Slack'];
const kinds = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'] as const;
const waysToSpeak = ['mention', 'reply', 'any'] as const;
const keys = [
  'agent:main:main',
  'agent:main:telegram:direct:Ada',
  'agent:main:telegram:group:pier-7:topic:4',
  'agent:other:slack:channel:C1',
  'agent:main:irc:group:direct:x',
  'global',
];

const delivery: fc.Arbitrary<Delivery> = fc.record({
  sessionKey: fc.constantFrom(null, ...keys),
  sessionId: fc.constant('harbour'),
  agentId: fc.constant('main'),
  kind: fc.constantFrom(...kinds),
  channel: fc.constantFrom(null, ...channels),
  chatType: fc.constantFrom(null, 'direct', 'group', 'channel'),
  recipient: fc.constantFrom(null, 'Ada', 'pier-7'),
  addressed: fc.constantFrom(null, ...waysToSpeak),
  provenance: fc.constantFrom(null, { kind: 'user' }, { kind: 'subagent' }),
});

const some = <Value>(...values: readonly Value[]): fc.Arbitrary<Value[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

const match: fc.Arbitrary<SendMatch> = fc.record(
  {
    channel: some(...channels),
    chatType: some('direct', 'dm', 'group', 'channel', 'thread'),
    keyPrefix: some('telegram:', 'agent:main:', 'slack:channel:c1'),
    rawKeyPrefix: some('agent:main:', 'global'),
    recipient: some('Ada', 'pier-7'),
    provenance: some('user', 'subagent', 'none'),
    kind: some(...kinds),
    addressed: some(...waysToSpeak, 'none'),
    during: fc.record({
      days: some('mon', 'wed', 'sun'),
      from: fc.constantFrom('00:00', '22:00'),
      to: fc.constant('13:00'),
      timeZone: fc.constant('UTC'),
    }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<SendMatch>;

const action = fc.constantFrom('allow', 'deny');
const rule: fc.Arbitrary<SendRule> = fc.record({ action, match });
const policy: fc.Arbitrary<SendPolicyOptions> = fc.record({ rules: fc.array(rule, { maxLength: 6 }), default: action });
const send = fc.constantFrom(null, 'on', 'off', { mode: 'allow', until: noon + 1 }, { mode: 'deny', until: noon });

describe('send policy, whatever the rules', () => {
  it('never allows more with one more rule that denies', () => {
    fc.assert(
      fc.property(delivery, policy, match, send, (given, { rules = [], ...rest }, more, override) => {
        const before = dryRun(given, { ...rest, rules }, { now: noon, send: override });
        const stricter = { ...rest, rules: [...rules, { action: 'deny' as const, match: more }] };
        const after = dryRun(given, stricter, { now: noon, send: override });
        expect(!before.allow && after.allow).toBe(false);
      }),
    );
  });

  it('decides the same in whichever order its rules stand', () => {
    const shuffled = policy.chain((one) =>
      fc.record({
        one: fc.constant(one),
        rules: fc.shuffledSubarray([...(one.rules ?? [])], { minLength: one.rules?.length ?? 0 }),
      }),
    );
    fc.assert(
      fc.property(delivery, shuffled, (given, { one, rules }) => {
        const expected = dryRun(given, one, { now: noon });
        expect(dryRun(given, { ...one, rules }, { now: noon }).allow).toBe(expected.allow);
      }),
    );
  });

  it('denies what the owner has switched off, and allows what he has switched on', () => {
    fc.assert(
      fc.property(delivery, policy, fc.boolean(), (given, rules, isOn) => {
        const decision = dryRun(given, rules, { now: noon, send: isOn ? 'on' : 'off' });
        expect(decision).toMatchObject({ allow: isOn, rule: 'override' });
      }),
    );
  });

  it('decides as the rules that it shows say', () => {
    fc.assert(
      fc.property(delivery, policy, (given, rules) => {
        const decision = dryRun(given, rules, { now: noon });
        const isDenied = decision.rules.some((one) => one.action === 'deny' && one.matches !== 'no');
        const isAllowed = decision.rules.some((one) => one.action === 'allow' && one.matches === 'yes');
        expect(decision.allow).toBe(!isDenied && (isAllowed || rules.default !== 'deny'));
      }),
    );
  });

  it('never allows by what it does not know: a fact that is taken away makes nothing that was denied by a rule allowed', () => {
    const facts = ['channel', 'chatType', 'recipient', 'sessionKey'] as const;
    fc.assert(
      fc.property(delivery, policy, fc.constantFrom(...facts), (given, rules, fact) => {
        const { rules: all = [] } = rules;
        const denying = { ...rules, rules: all.filter((one) => one.action === 'deny') };
        // The key is read where the delivery says nothing, and may say something else.
        const before = dryRun({ ...given, sessionKey: null }, denying, { now: noon });
        const after = dryRun({ ...given, sessionKey: null, [fact]: null }, denying, { now: noon });
        expect(!before.allow && after.allow).toBe(false);
      }),
    );
  });

  it('denies whatever cannot be read', () => {
    fc.assert(
      fc.property(
        delivery,
        fc.constantFrom('channel', 'recipient', 'sessionKey', 'kind', 'chatType'),
        policy,
        (given, name, rules) => {
          const broken = Object.defineProperty({ ...given }, name, {
            get: () => {
              throw new Error('broken');
            },
          });
          // With one rule at the least, the delivery is looked at.
          const some = { ...rules, rules: [...(rules.rules ?? []), { action: 'allow' as const }] };
          expect(dryRun(broken, some, { now: noon }).allow).toBe(false);
        },
      ),
    );
  });
});
