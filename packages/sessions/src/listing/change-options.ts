import { z } from 'zod';
import { checkOptions } from './check-options.ts';

/** How many sessions are changed. */
export interface ChangeOptions {
  /** Says what would be done, and does nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** Stops behind the session that is being changed. */
  readonly signal?: AbortSignal | undefined;
}

const schema = z.strictObject({
  dryRun: z.boolean().optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof ChangeOptions, z.ZodType>);

/** Checks options, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkChangeOptions(options: ChangeOptions, what: string): void {
  checkOptions(options, { schema, what });
}
