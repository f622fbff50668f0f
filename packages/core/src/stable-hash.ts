/**
 * A short hash of a JSON value that does not depend on the order of keys: 32 bits of FNV-1a, eight hexadecimal digits.
 * Tells set-ups apart in the journal; not a safeguard against anybody.
 */
export function stableHash(value: unknown): string {
  let hash = 0x811c9dc5;
  for (const unit of new TextEncoder().encode(JSON.stringify(value, sortKeys))) {
    hash = Math.imul(hash ^ unit, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

function sortKeys(_: string, value: unknown): unknown {
  if (value instanceof RegExp || typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
