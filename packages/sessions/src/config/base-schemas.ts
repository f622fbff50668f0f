import { z } from 'zod';
import { parseByteSize } from './byte-size.ts';
import { parseDuration } from './duration.ts';
import { isTimeZone, zoneFix } from './time-zone.ts';

// What is described here stands in the fix of an error behind "Give".

/** A whole number from 0. */
export const count: z.ZodType<number> = z.int().nonnegative().describe('a whole number from 0');

/** A whole number from 1. */
export const positive: z.ZodType<number> = z.int().positive().describe('a whole number from 1');

/** A share. */
export const ratio: z.ZodType<number> = z.number().min(0).max(1).describe('a number from 0 to 1');

/** Yes or no. */
export const flag: z.ZodType<boolean> = z.boolean().describe('true or false');

/** A text that says something. */
export const text: z.ZodType<string> = z
  .string()
  .refine((given) => given.trim() !== '', 'It is empty')
  .describe('a text that is not empty');

/** A text that says something, in so many characters at most: spaces around it do not count. */
export function shortText(most: number): z.ZodType<string> {
  return text
    .refine((given) => given.trim().length <= most, `It is longer than ${most} characters`)
    .describe(`a text of at most ${most} characters`);
}

/** A span of time with its unit. */
export const duration: z.ZodType<string> = z
  .string()
  .refine((given) => parseDuration(given) !== null, 'It is no span of time')
  .describe('a number with its unit, such as "30s", "5m", "1h" or "30d"');

/** A span of time that is not nothing. */
export const someTime: z.ZodType<string> = duration
  .refine((given) => parseDuration(given) !== 0, 'It is no time at all')
  .describe('a number above 0 with its unit, such as "30s", "10m" or "1h"');

/** An amount of bytes. */
export const byteSize: z.ZodType<string | number> = z
  .union([z.string(), z.number()])
  .refine((given) => parseByteSize(given) !== null, 'It is no amount of bytes')
  .describe('a number of bytes, or one with its unit, such as "512mb" or "10gb"');

/** An hour of the day. */
export const hour: z.ZodType<number> = z
  .int()
  .min(0, 'There is no such hour')
  .max(23, 'There is no such hour; the end of a day, 24, is hour 0')
  .describe('a whole hour from 0 to 23');

/** The name of a time zone. */
export const timeZone: z.ZodType<string> = z
  .string()
  .superRefine((given, context) => {
    if (isTimeZone(given)) return;
    context.addIssue({ code: 'custom', message: 'There is no such time zone', params: { fix: zoneFix(given) } });
  })
  .describe('the name of a time zone, such as "Asia/Shanghai"');

/** A model as it is referred to: whether there is such a short name is looked up later. */
export const modelName: z.ZodType<string> = text.describe('a short name of models.names, or "provider/model"');

/** One value, or several of which any will do. */
export function oneOrMore<Value>(value: z.ZodType<Value>): z.ZodType<Value | readonly Value[]> {
  return z.union([value, z.array(value).min(1, 'An empty list matches nothing; leave it out to match everything')]);
}
