import { z } from 'zod';
import { shapeOf } from './shape-of.ts';

/** A path that names a session: by its id, or by the key of its conversation. */
export const sessionPath: z.ZodType<{ readonly session: string }> = z.strictObject({ session: sessionName() });

function sessionName(): z.ZodType<string> {
  return (
    z
      .string()
      .min(1)
      .max(700)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
      .regex(/^[^\u0000-\u001f\u007f]+$/, 'it has control characters')
      .describe('Session id, or key of the conversation, percent-encoded: `agent%3Amain%3Amain`.')
  );
}

/** A path behind that of a session, with one more name. */
export function sessionPathWith<Name extends string>(
  name: Name,
  description: string,
): z.ZodType<{ readonly session: string } & { readonly [Key in Name]: string }> {
  const named = z.string().min(1).max(200).describe(description);
  return shapeOf(z.strictObject({ session: sessionName(), [name]: named }));
}

/** A whole number of a query. */
export function numberIn({
  least,
  most = Number.MAX_SAFE_INTEGER,
}: {
  readonly least: number;
  readonly most?: number;
}): z.ZodType<number, unknown> {
  return z.coerce.number().int().min(least).max(most);
}

/** `true` or `false` of a query. */
export const flag: z.ZodType<boolean> = shapeOf(z.enum(['true', 'false']).transform((text) => text === 'true'));

/** A list of a query, with commas. */
export function listOf<Name extends string>(names: readonly Name[]): z.ZodType<readonly Name[]> {
  const isKnown = (text: string): boolean => text.split(',').every((name) => names.includes(name as Name));
  const text = z
    .string()
    .max(500)
    .refine(isKnown, `it is no list of ${names.join(', ')}`);
  return shapeOf(text.transform((list) => list.split(',')));
}

/** A text without line breaks and other control characters, for names and reasons. */
export function lineOf(most: number): z.ZodType<string> {
  return (
    z
      .string()
      .min(1)
      .max(most)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
      .regex(/^[^\u0000-\u001f\u007f\u2028\u2029]+$/, 'it has line breaks or control characters')
  );
}
