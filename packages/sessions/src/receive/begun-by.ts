import type { OpenOptions, SessionView } from '@varve/core';

/** The kind of record that says why a generation was begun. */
const kind = 'begun-by';

/**
 * The records of a generation that a message begins. They stand in the first append of its journal: whoever delivers the
 * command again finds that it was carried out, however soon everything stopped. A fact about this generation, and so
 * nothing that a later one has.
 */
export function begunBy(reason: string, key: string): NonNullable<OpenOptions['records']> {
  return { [`host:${kind}`]: { reason, key } };
}

/** The key of the message that began the generation; `null` where none did. */
export function keyThatBegan(view: Pick<SessionView, 'lastRecord'>): string | null {
  const { key } = (view.lastRecord(kind) ?? {}) as { readonly key?: unknown };
  return typeof key === 'string' ? key : null;
}
