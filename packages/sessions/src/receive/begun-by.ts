import type { SessionView } from '@varve/core';

/**
 * The setting that says why a generation was begun. A setting, since those are stored in the first append of its journal:
 * whoever delivers the command again finds that it was carried out, however soon everything stopped.
 */
const name = 'begun-by';

/** The settings of a generation that a message begins. */
export function begunBy(reason: string, key: string): Readonly<Record<string, { reason: string; key: string }>> {
  return { [name]: { reason, key } };
}

/** The key of the message that began the generation; `null` where none did. */
export function keyThatBegan({ settings }: Pick<SessionView, 'settings'>): string | null {
  const { key } = (settings[name] ?? {}) as { readonly key?: unknown };
  return typeof key === 'string' ? key : null;
}
