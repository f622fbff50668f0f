import type { JsonValue } from '../../json-value.ts';
import { type ModelRef, nameOfModel } from '../../model-ref.ts';
import type { Seq, Tokens } from '../../units.ts';
import type { SessionRuntime } from '../session-runtime.ts';

const recordType = 'core:ceiling';

/** Models of which a session remembers how much they take. */
const mostModels = 20;

/**
 * Entries for which a ceiling holds. What was read out of an error may be wrong, and what it was about may have changed:
 * then the model is asked for more, and refuses or not.
 */
const entriesHeld = 500;

/** What a model has shown to take at most. A type, since a record holds it as JSON. */
type Ceiling = {
  /** In tokens of the counter `by`. */
  readonly tokens: Tokens;
  readonly by: string;
  /** The window that was known when it was learned; `null` for none. Another one makes it a thing of the past. */
  readonly window: Tokens | null;
  readonly sinceSeq: Seq;
};

/** A model, and the window that is known of it. */
interface KnownModel {
  readonly model: ModelRef;
  readonly window: Tokens | null;
}

/** The size of a prompt, with tools, that a model has shown to take at most in this session; `Infinity` for none. */
export function ceilingOf(runtime: SessionRuntime, { model, window }: KnownModel): Tokens {
  const known = storedCeiling(runtime, model);
  if (known === undefined || known.window !== window) return Infinity;
  return runtime.journal.state().seq - known.sinceSeq > entriesHeld ? Infinity : known.tokens;
}

/** Stores that a model takes no more than this, so that it holds after a restart, and for no other model. */
export async function learnCeiling(
  runtime: SessionRuntime,
  { model, window, tokens }: KnownModel & { readonly tokens: Tokens },
): Promise<void> {
  const { journal, counter } = runtime;
  if (tokens >= ceilingOf(runtime, { model, window })) return;
  const kept = ceilingsBut(runtime, model).slice(-(mostModels - 1));
  const learned: Ceiling = { tokens, by: counter.id, window, sinceSeq: journal.state().seq };
  const data = Object.fromEntries([...kept, [nameOfModel(model), learned]]);
  await journal.append([{ type: recordType, data }]);
}

/** Forgets a ceiling that a prompt of this size has gone through all the same. Stored with what is stored next. */
export function liftCeiling(
  runtime: SessionRuntime,
  { model, tokens }: { readonly model: ModelRef; readonly tokens: Tokens },
): void {
  const known = storedCeiling(runtime, model);
  if (known === undefined || tokens <= known.tokens) return;
  runtime.journal.defer({ type: recordType, data: Object.fromEntries(ceilingsBut(runtime, model)) });
}

function storedCeiling({ journal, counter }: SessionRuntime, model: ModelRef): Ceiling | undefined {
  const known = ceilingsIn(journal.state().records[recordType]?.data).get(nameOfModel(model));
  return known?.by === counter.id ? known : undefined;
}

function ceilingsBut({ journal }: SessionRuntime, model: ModelRef): readonly [string, Ceiling][] {
  const ceilings = ceilingsIn(journal.state().records[recordType]?.data);
  ceilings.delete(nameOfModel(model));
  return [...ceilings];
}

function ceilingsIn(data: JsonValue | undefined): Map<string, Ceiling> {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  return new Map(Object.entries(isObject ? data : {}).flatMap(([model, value]) => entryOf(model, value)));
}

/** What is not whole, such as a record of an older version, is no ceiling. */
function entryOf(model: string, value: JsonValue | undefined): [string, Ceiling][] {
  const { tokens, by, window, sinceSeq } = (value ?? {}) as { readonly [Field in keyof Ceiling]?: unknown };
  const isWhole = typeof tokens === 'number' && typeof by === 'string' && typeof sinceSeq === 'number';
  if (!isWhole || (window !== null && typeof window !== 'number')) return [];
  return [[model, { tokens, by, window, sinceSeq }]];
}
