import { z } from 'zod';
import { hour, timeZone } from './base-schemas.ts';
import type { ResetByType, ResetSettings } from './reset-settings.ts';

/** Schema of rules that say when a conversation ends. */
export const resetSchema: z.ZodType<ResetSettings> = z.strictObject({
  mode: z.enum(['none', 'daily', 'idle']).optional(),
  atHour: hour.optional(),
  timeZone: timeZone.nullable().optional(),
  idleMinutes: z.number().min(1).describe('a number of minutes from 1, or null').nullable().optional(),
  combine: z.enum(['any', 'all']).optional(),
});

/** Schema of what is different for a type of conversation. */
export const resetByTypeSchema: z.ZodType<ResetByType> = z
  .strictObject({
    direct: resetSchema.optional(),
    dm: resetSchema.optional(),
    group: resetSchema.optional(),
    thread: resetSchema.optional(),
  })
  .refine(({ direct, dm }) => direct === undefined || dm === undefined, {
    path: ['dm'],
    error: '`dm` is `direct`, which is given, too',
    params: { fix: 'Keep one of the two.' },
  });
