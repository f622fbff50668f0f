/** A JSON object of unknown content. */
export type Fields = { readonly [field: string]: unknown };

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** True for an object that is neither a list nor `null`. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of a list; none of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string; empty for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** True for a string with something in it. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** True for a whole number above zero. */
export function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

/** An element that came before, with the path of the one that comes again. */
export interface Repeated {
  readonly path: string;
  readonly name: string;
}

/** Those of named things whose name came before. */
export function repeatedNames(named: readonly Repeated[]): readonly Repeated[] {
  const seen = new Set<string>();
  return named.filter(({ name }) => {
    const again = seen.has(name);
    seen.add(name);
    return again;
  });
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? '').length;
}

/** Path of the first string or key with a half of a surrogate pair in it, or `null`. */
export function pathOfBadUnicode(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, element] of Object.entries(value)) {
    const own = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = /\p{Surrogate}/u.test(key) ? own : pathOfBadUnicode(element, own);
    if (found !== null) return found;
  }
  return null;
}

/** True for a text that is JSON of an object. */
export function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
