import type { Session, SessionView } from '@varve/core';

/** The kind of record that holds them. */
const kind = 'handled';

/** Commands that are remembered: a channel delivers again what it sent within minutes. */
const mostKeys = 32;

/** Whether a command that was delivered under a key has been carried out in this generation. */
export function isHandled(view: SessionView, key: string): boolean {
  return handledIn(view).includes(key);
}

/** The keys of the newest commands that were carried out in this generation, oldest first. */
export function handledIn(view: SessionView): readonly string[] {
  const { keys } = (view.lastRecord(kind) ?? {}) as { readonly keys?: unknown };
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

/** Remembers that a command was carried out. Not a message, it leaves nothing else in the journal. */
export async function rememberHandled(session: Session, key: string): Promise<void> {
  await session.record(`host:${kind}`, { keys: [...handledIn(session.view), key].slice(-mostKeys) });
}
