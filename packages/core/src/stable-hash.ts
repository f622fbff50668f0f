/**
 * A short hash of a value that does not depend on the order of keys: 32 bits of FNV-1a, eight hexadecimal digits.
 * Tells set-ups apart in the journal; not a safeguard against anybody. Options may hold anything, a client that holds
 * itself too: what is no JSON counts by its text or its kind, and what cannot be read counts as one thing.
 */
export function stableHash(value: unknown): string {
  let hash = 0x811c9dc5;
  for (const unit of new TextEncoder().encode(textOf(value, { objects: [], room: { left: maxObjects } }))) {
    hash = Math.imul(hash ^ unit, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

/** Options are no deeper and no larger than this; behind it values count as one thing. */
const maxDepth = 50;
const maxObjects = 10_000;

const unread = '"…"';

/** The objects that a value stands in, and how many more are looked into. */
interface Within {
  readonly objects: readonly object[];
  readonly room: { left: number };
}

/** The JSON of a value with its keys sorted. */
function textOf(value: unknown, { objects, room }: Within): string {
  if (value instanceof RegExp || typeof value === 'function') return JSON.stringify(String(value));
  if (typeof value === 'bigint' || typeof value === 'symbol') return JSON.stringify(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  room.left -= 1;
  if (objects.includes(value) || objects.length >= maxDepth || room.left < 0) return unread;
  try {
    return textOfObject(value, { objects: [...objects, value], room });
  } catch {
    return unread;
  }
}

function textOfObject(value: object, within: Within): string {
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON() as unknown, within);
  if (Array.isArray(value)) return `[${value.map((part) => textOf(part, within)).join()}]`;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${textOf(part, within)}`).join()}}`;
}
