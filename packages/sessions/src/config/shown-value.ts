const longest = 80;

/** Names of settings whose values must not stand in an error: by mistake, a key may be in any of them. */
const secret = /api-?key|password|secret|base-?url|token$/i;

/** A value as an error shows it: shortened, and never one that may be secret. `null` for nothing to show. */
export function shownValue(path: readonly PropertyKey[], value: unknown): string | null {
  if (value === undefined || path.some((part) => secret.test(String(part)))) return null;
  const text = jsonOf(value);
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
