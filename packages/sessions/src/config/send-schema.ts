import { z } from 'zod';
import { oneOrMore, shortText, text, timeZone } from './base-schemas.ts';
import type { SendMatchSettings, SendRuleSettings, SendRules, SendSettings } from './send-settings.ts';

const chatKind = z.enum(['direct', 'dm', 'group', 'channel', 'thread']);
const time = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'It is no time of day')
  .describe('a time such as "07:30"');

const during = z
  .strictObject({
    days: oneOrMore(z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])).optional(),
    from: time.refine((from) => from !== '24:00', 'A day begins at "00:00"').optional(),
    to: time.refine((to) => to !== '00:00', 'A day ends at "24:00"').optional(),
    timeZone: timeZone.optional(),
  })
  .refine(({ from = '00:00', to = '24:00' }) => from !== to, {
    path: ['to'],
    error: 'It ends when it begins',
    params: { fix: 'Leave "from" and "to" out for whole days.' },
  });

const match: z.ZodType<SendMatchSettings> = z.strictObject({
  channel: oneOrMore(text).optional(),
  chatType: oneOrMore(chatKind).optional(),
  keyPrefix: oneOrMore(text).optional(),
  rawKeyPrefix: oneOrMore(text).optional(),
  recipient: oneOrMore(text).optional(),
  provenance: oneOrMore(
    z.enum(['user', 'system-event', 'subagent', 'inter-session', 'model', 'tool', 'plugin', 'none']),
  ).optional(),
  kind: oneOrMore(z.enum(['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'])).optional(),
  addressed: oneOrMore(z.enum(['mention', 'reply', 'any', 'none'])).optional(),
  during: during.optional(),
});

const reason = shortText(500);

const rule: z.ZodType<SendRuleSettings> = z.strictObject({
  action: z.enum(['allow', 'deny']).describe('"allow" or "deny"'),
  match: match.optional(),
  reason: reason.optional(),
  name: shortText(100).optional(),
});

const rules = {
  rules: z.array(rule).optional(),
  block: z
    .strictObject({
      types: z.array(chatKind).min(1, 'It names no kind of chat').describe('at least one kind of chat'),
      reason: reason.optional(),
    })
    .optional(),
};

/** Schema of the rules of an agent or a channel. */
export const sendRulesSchema: z.ZodType<SendRules> = z.strictObject(rules);

/** Schema of the rules for all sessions. */
export const sendSchema: z.ZodType<SendSettings> = z.strictObject({
  ...rules,
  default: z.enum(['allow', 'deny']).optional(),
  timeZone: timeZone.nullable().optional(),
});
