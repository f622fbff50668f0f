import type { JsonValue, Milliseconds } from '@varve/core';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** Deepest nesting that is read. Deeper values are no transcripts, and break programs that walk them. */
export const deepestNesting = 200;

/** True for objects, not for arrays and `null`. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** True for arrays. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The value under a key that the object itself has. */
export function valueAt(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The string under a key; `undefined` for everything else. */
export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** The string under a key, unless it is empty. */
export function filledStringAt(object: JsonObject, key: string): string | undefined {
  return stringAt(object, key) || undefined;
}

/** The number under a key, if it is finite. */
export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = valueAt(object, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A count of tokens under a key: a number that is neither negative nor too large to be counted with. */
export function countAt(object: JsonObject, key: string): number | undefined {
  const value = numberAt(object, key);
  return value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** The object under a key; an empty one for everything else. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = valueAt(object, key);
  return isObject(value) ? value : {};
}

/** The array under a key; an empty one for everything else. */
export function arrayAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = valueAt(object, key);
  return isArray(value) ? value : [];
}

/** A moment under a key: an ISO 8601 string, or milliseconds since 1970. */
export function momentAt(object: JsonObject, key: string): Milliseconds | undefined {
  const text = stringAt(object, key);
  const moment = text === undefined ? numberAt(object, key) : Date.parse(text);
  return moment === undefined || Number.isNaN(moment) ? undefined : moment;
}

/** What a value is, for people: the `type` that it names, or its JSON type. */
export function typeNameOf(value: JsonValue): string {
  if (isObject(value)) return filledStringAt(value, 'type') ?? 'object';
  if (isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** True when arrays and objects lie more than `levels` deep in each other. Never deeper itself than that. */
export function isDeeperThan(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((element: JsonValue | undefined) => isDeeperThan(element, levels - 1));
}
