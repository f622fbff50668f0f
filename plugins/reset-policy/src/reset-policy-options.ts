import { modelOfName } from '@varve/core';
import { z } from 'zod';
import { isTimeZone, unknownZoneText } from './time-zone.ts';

/** When a conversation ends by itself. */
export interface ResetRules {
  /** `daily`: at an hour of the day; `idle`: when nobody has written for long; `none`: never. @default 'daily' */
  readonly mode?: 'none' | 'daily' | 'idle' | undefined;
  /** For `daily`: the hour at which a day ends, 0 to 23. @default 4 */
  readonly atHour?: number | undefined;
  /** Whose hours these are, such as `Asia/Shanghai`. @default null, the machine's own */
  readonly timeZone?: string | null | undefined;
  /** After so long without a message of a person; in mode `daily` beside the hour. @default null: 60 for `idle`, else never */
  readonly idleMinutes?: number | null | undefined;
  /** In mode `daily` with `idleMinutes`: whether one of the two is enough, or both are needed. @default 'any' */
  readonly combine?: 'any' | 'all' | undefined;
}

/** When conversations end, and who may end them. */
export interface ResetPolicyOptions extends ResetRules {
  /** What is different for a type of conversation; what is left out stays as it is. `dm` is `direct`. @default nothing */
  readonly resetByType?:
    | { readonly [Type in 'direct' | 'dm' | 'group' | 'thread']?: ResetRules | undefined }
    | undefined;
  /** Rules that hold in a channel, whatever the case of its name, instead of all others but the time zone. @default none */
  readonly resetByChannel?: Readonly<Record<string, ResetRules>> | undefined;
  /** Commands that end a conversation, whatever the case. @default ['/new', '/reset', '/restart'] */
  readonly triggers?: readonly string[] | undefined;
  /** Who may use them: people in one of these roles, or with one of these ids. @default owners */
  readonly authorised?:
    | {
        readonly roles?: readonly ('owner' | 'member' | 'unknown')[] | undefined;
        /** As the channel writes them, letter by letter. */
        readonly ids?: readonly string[] | undefined;
      }
    | undefined;
  /**
   * Models that a trigger can choose, beside those that the host tells with each command: a short name, and
   * `provider/model`. Either may be written. @default none
   */
  readonly models?: Readonly<Record<string, string>> | undefined;
  /** What the model is asked when nothing follows the trigger; `null`: nothing is. @default a request for a greeting */
  readonly greeting?: string | null | undefined;
}

const hour = z
  .int('Expected a whole hour')
  .min(0, 'Expected an hour from 0 to 23')
  .max(23, 'Expected an hour from 0 to 23; the end of a day, 24, is hour 0');
const zone = z.string().refine(isTimeZone, { error: ({ input }) => unknownZoneText(String(input)) });
const minutes = z.number().min(1);
const mode = z.enum(['none', 'daily', 'idle']);
const combine = z.enum(['any', 'all']);
const role = z.enum(['owner', 'member', 'unknown']);

const rules = z.strictObject({
  mode: mode.optional(),
  atHour: hour.optional(),
  timeZone: zone.nullable().optional(),
  idleMinutes: minutes.nullable().optional(),
  combine: combine.optional(),
});

const word = /^\/[a-z][\w-]*$/i;

/** The options with their defaults; rules of types and channels are as they were given. */
export interface ResolvedOptions extends ResetPolicyOptions {
  readonly triggers: readonly string[];
  readonly authorised: {
    readonly roles: readonly ('owner' | 'member' | 'unknown')[];
    readonly ids: readonly string[];
  };
  readonly models: Readonly<Record<string, string>>;
  readonly greeting: string | null;
}

/** Schema of the options. */
export const optionsSchema: z.ZodType<ResolvedOptions, ResetPolicyOptions> = z.strictObject({
  mode: mode
    .default('daily')
    .describe('Whether conversations end at an hour of the day, after idle time, or never by themselves.'),
  atHour: hour.default(4).describe('For daily: the hour at which a day ends.'),
  timeZone: zone
    .nullable()
    .default(null)
    .describe("Whose hours these are, such as 'Asia/Shanghai'; null is the machine's own."),
  idleMinutes: minutes
    .nullable()
    .default(null)
    .describe('Minutes without a message of a person. For daily, beside the hour; for idle, null is 60.'),
  combine: combine
    .default('any')
    .describe('For daily with idleMinutes: whether one of the two is enough, or both are needed.'),
  resetByType: z
    .partialRecord(z.enum(['direct', 'dm', 'group', 'thread']), rules, {
      error: ({ keys }: Readonly<Record<string, unknown>>) =>
        keys === undefined ? undefined : `There are direct (or dm), group and thread, but no ${String(keys)}`,
    })
    .refine(({ direct, dm }) => direct === undefined || dm === undefined, '`dm` is `direct`: give one of them')
    .default({})
    .describe('What of mode to combine is different for direct (or dm), group, thread.'),
  resetByChannel: z
    .record(z.string().min(1), rules)
    .refine((all) => new Set(Object.keys(all).map((name) => name.toLowerCase())).size === Object.keys(all).length, {
      error: 'A channel is named twice: the case of its letters says nothing',
    })
    .default({})
    .describe('Rules, mode to combine, that hold in a channel instead of all others but the time zone.'),
  triggers: z
    .array(z.string().regex(word, 'Expected a slash and a word, such as "/new"'))
    .default(['/new', '/reset', '/restart'])
    .describe('Commands that end a conversation, whatever the case.'),
  authorised: z
    .strictObject({
      roles: z.array(role).default(['owner']).describe('People in these roles.'),
      ids: z.array(z.string().min(1)).default([]).describe('People with these ids, as the channel writes them.'),
    })
    .prefault({})
    .describe('Who may use the triggers.'),
  models: z
    .record(
      z.string(),
      z.string().refine((name) => modelOfName(name) !== null, 'Expected "provider/model"'),
    )
    .refine((models) => Object.keys(models).every((name) => /^[^\s/]+$/.test(name)), {
      error: 'Expected short names of one word, without a slash',
    })
    .default({})
    .describe('Models that a trigger can choose beside those of the host: a short name, and provider/model.'),
  greeting: z
    .string()
    .trim()
    .min(1)
    .nullable()
    .default('A new conversation begins. Greet the user in one or two sentences, and ask what they would like to do.')
    .describe('What the model is asked when nothing follows the trigger; null is nothing.'),
});
