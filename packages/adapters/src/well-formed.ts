import type { JsonValue } from '@varve/core';

/** The text with every lone surrogate replaced by U+FFFD: providers refuse what is not valid Unicode. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The value with every string and key in it made well-formed. */
export function jsonToWellFormed<Value extends JsonValue | undefined>(value: Value): Value {
  return rebuilt(value) as Value;
}

function rebuilt(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((element) => rebuilt(element) ?? null);
  // `fromEntries` makes own properties, also of a key like `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [toWellFormed(key), rebuilt(element)]));
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
