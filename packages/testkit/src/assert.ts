/** Thrown by a case whose subject does something else than it should. */
export class CaseFailure extends Error {
  override readonly name = 'CaseFailure';
}

/** Throws a {@link CaseFailure} unless the condition holds. */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CaseFailure(message);
}

/** Compares two values by what is in them; an own property that is `undefined` counts as absent. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const path = firstDifference(actual, expected, '');
  if (path === null) return;
  // Where nothing was to be there, what is there tells more than how much it is.
  if (path === '/length' && (expected as readonly unknown[]).length === 0) {
    throw new CaseFailure(`${what}: expected nothing, got ${shown(actual)}.`);
  }
  const [got, wanted] = shownApart(valueAt(actual, path), valueAt(expected, path));
  throw new CaseFailure(`${what}: expected ${wanted}, got ${got}${path === '' ? '' : ` at ${path}`}.`);
}

/** Expects a promise, or what a function throws, to fail with an error of that code. */
export async function assertFails(attempt: () => unknown, code: string, what: string): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    const got = (error as { readonly code?: unknown } | null)?.code;
    if (got === code) return;
    const text = error instanceof Error ? error.message : String(error);
    throw new CaseFailure(`${what}: expected the error ${code}, got ${String(got ?? text)}.`);
  }
  throw new CaseFailure(`${what}: expected the error ${code}, but it succeeded.`);
}

/** The path of the first difference, such as `/entries/0/seq`; `null` for none. */
function firstDifference(a: unknown, b: unknown, path: string): string | null {
  if (Object.is(a, b)) return null;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path;
  if (Array.isArray(a) !== Array.isArray(b)) return path;
  if (Array.isArray(a) && a.length !== (b as readonly unknown[]).length) return `${path}/length`;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const difference = firstDifference(left?.[key], right?.[key], `${path}/${key}`);
    if (difference !== null) return difference;
  }
  return null;
}

function valueAt(value: unknown, path: string): unknown {
  const keys = path.split('/').slice(1);
  return keys.reduce((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], value);
}

const longestShown = 200;

/** Two values as text; of long texts, where they begin to differ. */
function shownApart(a: unknown, b: unknown): readonly [string, string] {
  if (typeof a !== 'string' || typeof b !== 'string') return [shown(a), shown(b)];
  let index = 0;
  while (index < Math.min(a.length, b.length) && a[index] === b[index]) index += 1;
  const from = Math.max(0, index - 40);
  if (from === 0) return [shown(a), shown(b)];
  return [shown(`…${a.slice(from)}`), shown(`…${b.slice(from)}`)];
}

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value));
  return text.length > longestShown ? `${text.slice(0, longestShown)}… (${text.length} characters)` : text;
}
