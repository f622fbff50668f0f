import { VarveError } from '@varve/core';
import type { z } from 'zod';

/**
 * Checks what a caller gives, which may come from plain JavaScript: an unknown name is an error, too.
 *
 * @param options.what  What was called, for the message: `sessions.list`.
 * @throws VARVE_OPTION_INVALID
 */
export function checkOptions(value: unknown, options: { readonly schema: z.ZodType; readonly what: string }): void {
  const { schema, what } = options;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return;
  const path = issue.path.map(String).join('.');
  const where = path === '' ? '' : ` at "${path}"`;
  throw new VarveError('VARVE_OPTION_INVALID', `${what} cannot do with what it was given${where}: ${issue.message}.`, {
    fix: 'Give what its type describes, and nothing else.',
    details: { path },
  });
}
