import { type ErrorCode, messageOfError, VarveError } from './errors.ts';
import type { JsonValue } from './json-value.ts';

/**
 * Deepest nesting of what is stored. Whoever reads a journal must be able to walk it: parsers elsewhere stop between 512
 * and 1 000 levels, and recursive code here overflows the stack at a few thousand. Data that is meant nests less than 50.
 */
const maxJsonDepth = 500;

/** Levels that core itself puts around what a caller gave: the entry, the message, its parts. */
const levelsOfAnEntry = 12;

/** Most values in one piece of JSON: an object that holds another one twice, thirty times over, would fill the memory. */
const maxJsonValues = 2_000_000;

/** A frozen copy of a value as it is stored, or where and why it cannot be stored. */
export type StorableJson =
  | { readonly value: JsonValue; readonly why?: undefined }
  | { readonly path: string; readonly why: string };

/**
 * Decides what can be stored: what `JSON.parse(JSON.stringify(value))` gives back whole, and nothing that it would lose
 * or change without a word (functions, `undefined` in a list, `NaN`, a `Map`). `undefined` properties are left out, and
 * an object with `toJSON`, such as a date, stands for what that returns. Never throws, whatever getters do.
 */
export function storableJson(
  given: unknown,
  { maxDepth = maxJsonDepth, isOwn = false }: { readonly maxDepth?: number; readonly isOwn?: boolean } = {},
): StorableJson {
  const walk: Walk = { path: [], maxDepth, trusted: isOwn, values: 0, why: '' };
  try {
    const value = copyOf(given, walk);
    if (typeof value === 'object' && value !== null) copies.add(value);
    if (value !== refused) return { value };
  } catch (error) {
    walk.why = `reading it failed: ${messageOfError(error)}`;
  }
  return { path: walk.path.join('.') || '(root)', why: walk.why };
}

/**
 * The frozen copy of a value that can be stored.
 *
 * @param options.what  What the value is, as the subject of a sentence: `The setting "x"`.
 * @throws the given code, with the path  for a value that cannot.
 */
export function requireJson(
  given: unknown,
  { code, what, fix }: { readonly code: ErrorCode; readonly what: string; readonly fix?: string | undefined },
): JsonValue {
  const json = storableJson(given);
  if (json.why === undefined) return json.value;
  throw new VarveError(code, `${what} is not JSON at ${json.path}: ${json.why}.`, {
    fix: fix ?? 'Give plain objects, arrays, strings, finite numbers, booleans and null.',
    details: { path: json.path },
  });
}

/**
 * An entry, or a part of one, as it will be read again: the frozen copy of what core put together. A copy that was made
 * before is taken as it is.
 *
 * @throws VARVE_ENTRY_INVALID  for one that cannot be stored.
 */
export function asStored<Shape>(entry: Shape): Shape {
  const json = storableJson(entry, { maxDepth: maxJsonDepth + levelsOfAnEntry, isOwn: true });
  if (json.why === undefined) return json.value as Shape;
  throw new VarveError('VARVE_ENTRY_INVALID', `An entry cannot be stored: at ${json.path}, ${json.why}.`, {
    fix: 'Give plain objects, arrays, strings, finite numbers, booleans and null.',
    details: { path: json.path },
  });
}

/** Where a copy has got to. On a refusal, `path` stays where it happened. */
interface Walk {
  readonly path: (string | number)[];
  readonly maxDepth: number;
  /** Takes what was copied before as it is. Not for callers: they could nest one copy in another without end. */
  readonly trusted: boolean;
  values: number;
  why: string;
}

/** Frozen copies that have been made. */
const copies = new WeakSet<object>();

const refused = Symbol('refused');

type Copy = JsonValue | typeof refused;

function refuse(walk: Walk, why: string): typeof refused {
  walk.why = why;
  return refused;
}

function copyOf(given: unknown, walk: Walk): Copy {
  walk.values += 1;
  if (walk.values > maxJsonValues) return refuse(walk, `it holds more than ${maxJsonValues} values`);
  const value = representedBy(given, walk);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON knows no -0.
      return Number.isFinite(value) ? value + 0 : refuse(walk, `${value} is no number of JSON`);
    case 'object':
      return value === null ? null : copyObject(value, walk);
    default:
      return refuse(walk, `${typeof value} is no type of JSON`);
  }
}

/** What stands for a value in JSON: what its `toJSON` returns, if it has one. */
function representedBy(value: unknown, { path }: Walk): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, String(path.at(-1) ?? '')) as unknown) : value;
}

function copyObject(value: object, walk: Walk): Copy {
  const { path, maxDepth, trusted } = walk;
  if (trusted && copies.has(value)) return value as JsonValue;
  if (path.length >= maxDepth) return refuse(walk, `it is nested more than ${maxDepth} deep, or holds itself`);
  if (Array.isArray(value)) return copyList(value, walk);
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (tag !== 'Object') return refuse(walk, `${tag} is no type of JSON`);
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const given = (value as Readonly<Record<string, unknown>>)[key];
    if (given === undefined) continue;
    path.push(key);
    const part = copyOf(given, walk);
    if (part === refused) return refused;
    path.pop();
    // An assignment to this one name would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true });
    else copy[key] = part;
  }
  return Object.freeze(copy);
}

function copyList(values: readonly unknown[], walk: Walk): Copy {
  const copy: JsonValue[] = [];
  for (let index = 0; index < values.length; index += 1) {
    walk.path.push(index);
    const part = copyOf(values[index], walk);
    if (part === refused) return refused;
    walk.path.pop();
    copy.push(part);
  }
  return Object.freeze(copy);
}
