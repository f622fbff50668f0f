import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { firstIssue } from '../first-issue.ts';
import type { CompactTrigger, RecordEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import type { ModelRef } from '../model-ref.ts';
import { requireJson } from '../storable-json.ts';
import type { Seq, Ulid } from '../units.ts';

/** A signal, of whatever realm. */
export const signalSchema: z.ZodType<AbortSignal> = z.custom<AbortSignal>(
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  { error: 'it is no AbortSignal' },
);

/** A model's name. */
export const modelSchema: z.ZodType<ModelRef> = z.object({ provider: z.string().min(1), model: z.string().min(1) });

const requestSchema = z.object({
  model: modelSchema,
  tools: z.array(z.unknown()).optional(),
  query: z.string().nullish(),
  dryRun: z.boolean().optional(),
  instructions: z.string().nullish(),
  signal: signalSchema.optional(),
});

const ingestSchema = z.object({ key: z.string().min(1).optional(), signal: signalSchema.optional() });

const triggers: readonly CompactTrigger[] = ['threshold', 'overflow', 'manual', 'background'];
const triggerSchema = z.object({ trigger: z.enum(triggers) });
const nameSchema = z.object({ name: z.string().min(1) });
const idSchema = z.object({ entryId: z.string() });
/** Bounds of a range: `Infinity` is one, too. */
const bound = z.custom<number>((value) => typeof value === 'number' && !Number.isNaN(value), {
  error: 'it is no number',
});
const rangeSchema = z.object({ fromSeq: bound.optional(), toSeq: bound.optional() }).optional();
const textSchema = z.object({ text: z.string().nullable() });

/** What every prompt and every compaction is asked for. */
interface RequestOptions {
  readonly model: ModelRef;
  readonly tools?: readonly JsonValue[] | undefined;
}

/**
 * Checks the options of a prompt or a compaction, which may come from plain JavaScript, and gives them back.
 *
 * @throws VARVE_OPTION_INVALID  with the path of what is wrong.
 */
export function checkRequest<Options extends RequestOptions>(options: Options): Options {
  checkShape(options, { schema: requestSchema, fix: 'Give { model: { provider, model } }, with tools as a list.' });
  if (options.tools === undefined) return options;
  return { ...options, tools: requireJson(options.tools, { code: 'VARVE_OPTION_INVALID', what: 'The tools' }) };
}

/** Checks why a compaction is asked for, and gives it back. @throws VARVE_OPTION_INVALID */
export function checkTrigger(trigger: CompactTrigger): CompactTrigger {
  checkShape({ trigger }, { schema: triggerSchema, fix: `Use one of: ${triggers.join(', ')}.` });
  return trigger;
}

/** Checks what a host says beside a message, but for what belongs to the message itself. @throws VARVE_OPTION_INVALID */
export function checkIngest(options: {
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}): void {
  checkShape(options, { schema: ingestSchema, fix: 'Give the key as a text that is not empty.' });
}

/** Checks the name of a setting or a state slot. @throws VARVE_OPTION_INVALID */
export function checkName(name: string): void {
  checkShape({ name }, { schema: nameSchema, fix: 'Give the name as a text that is not empty.' });
}

/** Checks the id of an entry. @throws VARVE_OPTION_INVALID */
export function checkEntryId(entryId: Ulid): void {
  checkShape({ entryId }, { schema: idSchema, fix: 'Give the id of an entry.' });
}

/** Checks which entries are to be read. @throws VARVE_OPTION_INVALID */
export function checkRange(range: { readonly fromSeq?: Seq; readonly toSeq?: Seq } | undefined): void {
  checkShape(range, { schema: rangeSchema, fix: 'Give { fromSeq, toSeq } as numbers, or nothing.' });
}

/** Checks the text of a state slot. @throws VARVE_OPTION_INVALID */
export function checkText(text: string | null): void {
  checkShape({ text }, { schema: textSchema, fix: 'Give a text, or null to clear the slot.' });
}

/**
 * Checks the type of a record and gives it back: `owner:kind`. Core's own records, and the other entry types, are not a
 * host's to write.
 *
 * @throws VARVE_PLUGIN_RECORD
 */
export function checkRecordType(type: string): RecordEntry['type'] {
  if (typeof type === 'string' && /^(?!core:)[a-z0-9][a-z0-9/_-]*:[a-z][a-z0-9-]*$/.test(type)) {
    return type as RecordEntry['type'];
  }
  throw new VarveError('VARVE_PLUGIN_RECORD', `A record cannot have the type "${String(type)}".`, {
    fix: 'Use owner:kind, in lower-case letters, digits and dashes, such as transcripts:compaction.',
  });
}

/** Holds options against a schema. @throws VARVE_OPTION_INVALID  with the path of what is wrong. */
export function checkShape(
  given: unknown,
  { schema, fix }: { readonly schema: z.ZodType; readonly fix: string },
): void {
  const result = schema.safeParse(given);
  if (result.success) return;
  const { path, why } = firstIssue(result.error);
  throw new VarveError('VARVE_OPTION_INVALID', `The option at ${path} is not valid: ${why}`, {
    fix,
    details: { path },
  });
}
