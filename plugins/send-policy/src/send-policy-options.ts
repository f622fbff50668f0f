import type { DeliveryKind, Provenance } from '@varve/core';
import { z } from 'zod';
import { isTimeZone, type ResolvedWindow, timeOfDayPattern, weekdays } from './time-window.ts';

/** One value, or several of which any will do. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Kind of chat in a rule: `dm` is `direct`; `thread` is any thread or topic, whatever it is a thread of. */
export type ChatName = 'direct' | 'dm' | 'group' | 'channel' | 'thread';

/** Times at which a rule holds, by the clock on the wall. */
export interface TimeWindow {
  /** Days on which it begins. @default every day */
  readonly days?: OneOrMore<(typeof weekdays)[number]> | undefined;
  /** `22:00`; belongs to the window. @default '00:00' */
  readonly from?: string | undefined;
  /** `07:00`; no longer belongs to it. Earlier than `from`: on the next day. @default '24:00' */
  readonly to?: string | undefined;
  /** An IANA zone, such as `Asia/Shanghai`. @default the option `timeZone` */
  readonly timeZone?: string | undefined;
}

/** What a rule is about. Everything that is given must hold; nothing given is every delivery. */
export interface SendMatch {
  /** Channel that it goes to, whatever the case of its letters. */
  readonly channel?: OneOrMore<string> | undefined;
  readonly chatType?: OneOrMore<ChatName> | undefined;
  /** Beginning of the session's key, with or without `agent:<id>:`, whatever the case of its letters. */
  readonly keyPrefix?: OneOrMore<string> | undefined;
  /** Beginning of the session's whole key, whatever the case of its letters. */
  readonly rawKeyPrefix?: OneOrMore<string> | undefined;
  /** Who gets it, by the channel's own name, letter by letter. */
  readonly recipient?: OneOrMore<string> | undefined;
  /** Where what it answers came from; `none` for what answers nothing. */
  readonly provenance?: OneOrMore<Provenance['kind'] | 'none'> | undefined;
  /** What leaves. */
  readonly kind?: OneOrMore<DeliveryKind> | undefined;
  /** How the agent was spoken to; `any` is: not in particular, `none` is for what answers nothing. */
  readonly addressed?: OneOrMore<'mention' | 'reply' | 'any' | 'none'> | undefined;
  readonly during?: TimeWindow | undefined;
}

/** One rule. Their order means nothing: where one denies, nothing leaves. */
export interface SendRule {
  readonly action: 'allow' | 'deny';
  /** @default every delivery */
  readonly match?: SendMatch | undefined;
  /** Why, in words for people. @default the rule's name */
  readonly reason?: string | undefined;
  /** What the decision calls the rule. @default its place, such as `rules[0]` */
  readonly name?: string | undefined;
}

/** What may leave a session. */
export interface SendPolicyOptions {
  readonly rules?: readonly SendRule[] | undefined;
  /** What holds where no rule matches. @default 'allow' */
  readonly default?: 'allow' | 'deny' | undefined;
  /** The short form: kinds of chat in which nothing leaves. It is one more rule that denies. @default none */
  readonly block?: { readonly types: readonly ChatName[]; readonly reason?: string | undefined } | undefined;
  /** Zone of time windows that name none. @default the machine's own */
  readonly timeZone?: string | null | undefined;
}

/** A match whose values are lists. */
export interface ResolvedMatch {
  readonly channel?: readonly string[] | undefined;
  readonly chatType?: readonly ('direct' | 'group' | 'channel' | 'thread')[] | undefined;
  readonly keyPrefix?: readonly string[] | undefined;
  readonly rawKeyPrefix?: readonly string[] | undefined;
  readonly recipient?: readonly string[] | undefined;
  readonly provenance?: readonly string[] | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly addressed?: readonly string[] | undefined;
  readonly during?: ResolvedWindow | undefined;
}

/** A rule as it is decided by. */
export interface ResolvedRule {
  readonly name: string;
  readonly action: 'allow' | 'deny';
  readonly match: ResolvedMatch;
  /** `null` for none given. */
  readonly reason: string | null;
}

/** The policy as it is decided by, whichever form it was written in. */
export interface Policy {
  readonly rules: readonly ResolvedRule[];
  readonly default: 'allow' | 'deny';
}

/** An object that says which names it knows when it is given another. */
function knownFields<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `"${issue.keys.join('", "')}" is not known here; known are ${names}`
        : undefined,
  });
}

function oneOrMore<Value, Given>(
  value: z.ZodType<Value, Given>,
): z.ZodType<readonly Value[], Given | readonly Given[]> {
  const many = z.array(value).min(1, 'An empty list matches nothing; leave it out to match everything');
  return z.union([value.transform((one) => [one]), many], {
    error: ({ code, errors, input }) => {
      const [first] = (code === 'invalid_union' ? errors[Array.isArray(input) ? 1 : 0] : undefined) ?? [];
      return first?.message;
    },
  });
}

const word = z.string().trim().min(1);
const action = z.enum(['allow', 'deny'], 'Say "allow" or "deny"');
const reason = z.string().trim().min(1).max(500);
const zone = z.string().refine(isTimeZone, 'Expected a zone that this machine knows, such as "Europe/London"');
const time = z.string().regex(timeOfDayPattern, 'Expected a time such as "07:30"');
const chatName = z
  .enum(['direct', 'dm', 'group', 'channel', 'thread'])
  .transform((name) => (name === 'dm' ? 'direct' : name));

const timeWindow = knownFields({
  days: oneOrMore(z.enum(weekdays)).default(weekdays),
  from: time.refine((from) => from !== '24:00', 'A day begins at "00:00"').default('00:00'),
  to: time.refine((to) => to !== '00:00', 'A day ends at "24:00"').default('24:00'),
  timeZone: zone.optional(),
}).refine(({ from, to }) => from !== to, {
  error: 'It ends when it begins; leave both out for whole days',
  path: ['to'],
});

const match = knownFields({
  channel: oneOrMore(word).optional(),
  chatType: oneOrMore(chatName).optional(),
  keyPrefix: oneOrMore(word).optional(),
  rawKeyPrefix: oneOrMore(word).optional(),
  recipient: oneOrMore(z.string().min(1)).optional(),
  provenance: oneOrMore(
    z.enum(['user', 'system-event', 'subagent', 'inter-session', 'model', 'tool', 'plugin', 'none']),
  ).optional(),
  kind: oneOrMore(z.enum(['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'])).optional(),
  addressed: oneOrMore(z.enum(['mention', 'reply', 'any', 'none'])).optional(),
  during: timeWindow.optional(),
});

const given = knownFields({
  rules: z
    .array(knownFields({ action, match: match.default({}), reason: reason.optional(), name: word.max(100).optional() }))
    .default([])
    .describe('Rules; where one of them denies, nothing leaves.'),
  default: action.default('allow').describe('What holds where no rule matches.'),
  block: knownFields({
    types: z.array(chatName).min(1, 'Name at least one kind of chat, or leave "block" out').describe('Kinds of chat.'),
    reason: reason.optional().describe('Why, in words for people.'),
  })
    .optional()
    .describe('Kinds of chat in which nothing leaves: the short form of one more rule.'),
  timeZone: zone.nullable().default(null).describe("Zone of time windows that name none; without, the machine's own."),
});

/** Schema of the options: what comes out of it is one list of rules. */
export const optionsSchema: z.ZodType<Policy, SendPolicyOptions> = given.transform(
  ({ rules, block, timeZone, default: byDefault }): Policy => {
    const own = rules.map((rule, index): ResolvedRule => {
      const { during, ...rest } = rule.match;
      const resolved =
        during === undefined ? rest : { ...rest, during: { ...during, timeZone: during.timeZone ?? timeZone } };
      return {
        name: rule.name ?? `rules[${index}]`,
        action: rule.action,
        match: resolved,
        reason: rule.reason ?? null,
      };
    });
    if (block === undefined) return { rules: own, default: byDefault };
    const blocking: ResolvedRule = {
      name: 'block',
      action: 'deny',
      match: { chatType: block.types },
      reason: block.reason ?? null,
    };
    return { rules: [blocking, ...own], default: byDefault };
  },
);
