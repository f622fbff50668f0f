import type { Fault } from './fault.ts';

/** Something that a store was asked to keep. Positions count what was done to the disk. */
export interface Claim {
  readonly kind: 'append' | 'replace' | 'put' | 'remove';
  readonly sessionId: string;
  /** Entries as JSON, of a put one record, of a removal none. */
  readonly texts: readonly string[];
  /** Before it was asked, so much had been done. */
  readonly askedAt: number;
  /** When it resolved, so much had been done; `null` while it has not. */
  readonly doneAt: number | null;
}

/** What is read of one session after a stop. */
export interface SeenSession {
  /** Each as JSON; absent where nobody looked. */
  readonly entries?: readonly string[] | undefined;
  /** As JSON; `null` where there is none, absent where nobody looked. */
  readonly record?: string | null | undefined;
}

/** What a store may hold of one session after a stop. */
interface Expected {
  /** Each state that the journal may be in, that with all that was acknowledged first. */
  readonly journals: readonly (readonly string[])[];
  /** Each record that there may be; the first was acknowledged, unless `isRecordOpen`. */
  readonly records: readonly string[];
  readonly isRecordOpen: boolean;
}

/** Holds sessions against what had been asked and acknowledged at a point. Knows nothing of the product. */
export function judgeStop(
  claims: readonly Claim[],
  { at, seen }: { readonly at: number; readonly seen: ReadonlyMap<string, SeenSession> },
): readonly Fault[] {
  return [...seen].flatMap(([sessionId, session]) => {
    const expected = expectedOf(claims, { sessionId, at });
    return [...journalFaults(session, expected), ...recordFaults(session, expected)].map(({ rule, text }) => {
      return { rule, text: `${sessionId}: ${text}` };
    });
  });
}

/** The sessions of which anything had been asked at a point. */
export function sessionsAt(claims: readonly Claim[], at: number): ReadonlySet<string> {
  return new Set(claims.filter(({ askedAt }) => askedAt <= at).map(({ sessionId }) => sessionId));
}

function expectedOf(
  claims: readonly Claim[],
  { sessionId, at }: { readonly sessionId: string; readonly at: number },
): Expected {
  const journals: (readonly string[])[] = [[]];
  const records: string[] = [];
  let isRecordOpen = true;
  for (const { kind, texts, askedAt, doneAt, sessionId: of } of claims) {
    if (of !== sessionId || askedAt > at) continue;
    const isDone = doneAt !== null && doneAt <= at;
    if (kind === 'put') {
      if (isDone) records.splice(0);
      if (isDone) isRecordOpen = false;
      records.push(...texts);
      continue;
    }
    // Of a record that is removed, nothing need be there any more.
    if (kind === 'remove') {
      isRecordOpen = true;
      if (isDone) records.splice(0);
    }
    const next = kind === 'append' ? [...(journals.at(-1) ?? []), ...texts] : texts;
    if (isDone) journals.splice(0);
    journals.push(next);
  }
  return { journals, records, isRecordOpen };
}

function journalFaults({ entries }: SeenSession, { journals }: Expected): readonly Fault[] {
  if (entries === undefined) return [];
  const isSame = (state: readonly string[]): boolean =>
    state.length === entries.length && state.every((text, at) => text === entries[at]);
  if (journals.some(isSame)) return [];
  const [acknowledged = []] = journals;
  const there = new Set(entries);
  const lost = acknowledged.filter((text) => !there.has(text));
  const known = new Set(journals.flat());
  const invented = entries.filter((text) => !known.has(text));
  const faults: Fault[] = [];
  if (lost.length > 0)
    faults.push({ rule: 'lost', text: `${lost.length} of ${acknowledged.length}, first ${lost[0]}` });
  if (invented.length > 0) faults.push({ rule: 'changed', text: `nobody gave ${invented[0]}` });
  if (faults.length > 0) return faults;
  return [{ rule: 'append', text: `${entries.length} entries are there, in an order or a number that never was` }];
}

function recordFaults({ record }: SeenSession, { records, isRecordOpen }: Expected): readonly Fault[] {
  if (record === undefined) return [];
  if (record !== null && records.some((text) => sorted(text) === sorted(record))) return [];
  // What nobody has stored may be missing, or made of the journal.
  const isMade = record === null || JSON.parse(record).rev === 0;
  if (isRecordOpen && isMade) return [];
  return [{ rule: 'lost', text: `its record is ${record}, and not ${records.join(' or ')}` }];
}

/** The same JSON with the names of fields in order. */
function sorted(text: string): string {
  return JSON.stringify(JSON.parse(text), (_name, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
