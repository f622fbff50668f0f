import type { EntryExplanation, Seq, Session } from '@varve/core';

/** An entry of an explanation, with the key that its host or transcript gave it: `line:12`. */
export type PlacedEntry = EntryExplanation & { readonly key?: string };

/** The first byte that a request changed of the one before it. */
export interface FirstChange {
  readonly request: number;
  readonly byte: number;
}

/** Adds the keys under which the messages were stored. */
export async function withKeys(
  session: Session,
  entries: readonly EntryExplanation[],
): Promise<readonly PlacedEntry[]> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return [];
  const keys = new Map<Seq, string>();
  for await (const entry of session.read({ fromSeq: first.seq, toSeq: last.seq })) {
    if (entry.type === 'message' && entry.key !== undefined) keys.set(entry.seq, entry.key);
  }
  return entries.map((entry) => {
    const key = keys.get(entry.seq);
    return key === undefined ? entry : { ...entry, key };
  });
}

/** The smallest first changed byte of the requests behind `earlier`, up to `later`; `null` when each only grew. */
export async function firstChangeIn(
  session: Session,
  { earlier, later }: { readonly earlier: number; readonly later: number },
): Promise<FirstChange | null> {
  let request = 0;
  let least: FirstChange | null = null;
  for await (const entry of session.read()) {
    if (entry.type !== 'request') continue;
    request += 1;
    if (request > later) break;
    const { firstChangedByte: byte } = entry;
    if (request > earlier && byte !== null && (least === null || byte < least.byte)) least = { request, byte };
  }
  return least;
}
