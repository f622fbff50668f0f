import { z } from 'zod';
import { messageOfError, VarveError } from '../errors.ts';
import { firstIssue } from '../first-issue.ts';
import type { NoteSpec } from './draft.ts';
import type { LayerSpec } from './layer.ts';

const tokens = z.custom<number>((value) => typeof value === 'number' && value >= 0, {
  error: 'it is no number from 0',
});

const itemsSchema = z.array(
  z.object({
    text: z.string(),
    source: z.object({ path: z.string(), hash: z.string() }).optional(),
    seqs: z.array(z.int().positive()).optional(),
  }),
);

const layerSchema = z
  .strictObject({
    id: z.string().min(1),
    role: z.enum(['system', 'user']),
    stability: z.enum(['static', 'session', 'turn', 'volatile']),
    priority: z
      .custom<number>((value) => typeof value === 'number' && !Number.isNaN(value), { error: 'it is no number' })
      .optional(),
    heading: z.string().optional(),
    items: itemsSchema,
    minTokens: tokens.optional(),
    maxTokens: tokens.optional(),
  })
  .refine(({ minTokens = 0, maxTokens = Infinity }) => minTokens <= maxTokens, {
    path: ['minTokens'],
    error: 'it is more than maxTokens',
  });

const noteSchema = z.strictObject({
  id: z.string().min(1),
  heading: z.string().optional(),
  items: itemsSchema,
  maxTokens: tokens.optional(),
});

const ruleSchema = z.string().min(1);
const changeSchema = z.instanceof(Function);

/** A copy of a layer that a plugin asks for, in plain JavaScript perhaps. @throws VARVE_OPTION_INVALID */
export function checkLayer(spec: LayerSpec): LayerSpec {
  return checked(spec, {
    schema: layerSchema,
    what: 'layer',
    fix: 'Give { id, role, stability, items: [{ text }] } as the type LayerSpec describes it.',
  });
}

/** A copy of a note that a plugin asks for, in plain JavaScript perhaps. @throws VARVE_OPTION_INVALID */
export function checkNote(spec: NoteSpec): NoteSpec {
  return checked(spec, {
    schema: noteSchema,
    what: 'note',
    fix: 'Give { id, items: [{ text, seqs }] } as the type NoteSpec describes it.',
  });
}

/** Refuses a rule that is no text: verdicts name it. @throws VARVE_OPTION_INVALID */
export function checkRule(rule: string): void {
  checked(rule, { schema: ruleSchema, what: 'rule', fix: 'Name the rule by which the draft is changed.' });
}

/** Refuses what cannot be called for each text. @throws VARVE_OPTION_INVALID */
export function checkChange(change: unknown): void {
  checked(change, { schema: changeSchema, what: 'change', fix: 'Call edit((part) => text, { rule }).' });
}

function checked<Value>(
  given: Value,
  { schema, what, fix }: { readonly schema: z.ZodType; readonly what: string; readonly fix: string },
): Value {
  const { path, why, value } = parsed(given, schema);
  if (why === undefined) return value as Value;
  throw new VarveError('VARVE_OPTION_INVALID', `The ${what} is not valid at ${path}: ${why}`, {
    fix,
    details: { path },
  });
}

function parsed(
  given: unknown,
  schema: z.ZodType,
): { readonly path?: string; readonly why?: string; readonly value?: unknown } {
  try {
    const result = schema.safeParse(given);
    return result.success ? { value: result.data } : firstIssue(result.error);
  } catch (error) {
    return { path: '(root)', why: messageOfError(error) };
  }
}
