/** A value that holds no other, and the way to it from the body, as in `/messages/0/content`. */
export interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

/** Every value of a body that holds no other, in the order in which they are sent. */
export function leavesOf(body: unknown, path = ''): readonly Leaf[] {
  if (typeof body !== 'object' || body === null) return [{ path, value: body }];
  const entries = Object.entries(body);
  if (entries.length === 0) return [{ path, value: Array.isArray(body) ? '[]' : '{}' }];
  return entries.flatMap(([key, value]) => leavesOf(value, `${path}/${key}`));
}

/** A leaf as one text, so that leaves can be looked up. */
export function leafText({ path, value }: Leaf): string {
  return `${path} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
}

/** Ways to the values of a body that JSON cannot say. */
export function unsayableIn(value: unknown, path = ''): readonly string[] {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object') return [`${path} is ${typeof value}`];
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
    return [`${path} is no plain object`];
  return Object.entries(value).flatMap(([key, one]) => unsayableIn(one, `${path}/${key}`));
}
