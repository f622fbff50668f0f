/** A JSON object of unknown content. */
export type Fields = { readonly [field: string]: unknown };

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The objects in a list; none of anything else. */
export function recordsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** A string; empty for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number; `null` for anything else. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** The value that stands at a path such as `messages[2].content[0].id`. */
export function valueAt(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((at, key) => (Array.isArray(at) ? at[Number(key)] : fieldsOf(at)[key]), value);
}

/** Parsed JSON, or the text itself when it is none. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
