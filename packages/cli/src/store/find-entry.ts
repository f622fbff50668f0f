import type { Entry, Session } from '@varve/core';
import { usage } from '../terminal/parse-options.ts';

/**
 * The entry that somebody names: by its number, `#42` or `42`, or by its id.
 *
 * @throws VARVE_USAGE  when there is none.
 */
export async function findEntry(session: Session, name: string): Promise<Entry> {
  const number = /^#?(\d{1,15})$/.exec(name.trim())?.[1];
  const range = number === undefined ? {} : { fromSeq: Number(number), toSeq: Number(number) };
  for await (const entry of session.read(range)) {
    if (number === undefined ? entry.id === name.trim() : entry.seq === Number(number)) return entry;
  }
  throw usage(`There is no entry "${name}" in session "${session.sessionId}".`, 'See varve sessions tail.');
}
