import type { CarriedState, Checkpoint, Entry, Journal, MessageEntry, Store, Tail } from '@varve/core';
import { assertEqual } from './assert.ts';

/** A message entry; its id and its time follow from its seq. @default text `message <seq>` */
export function messageEntry(seq: number, text: string = `message ${seq}`): MessageEntry {
  return {
    v: 1,
    id: entryIdOf(seq),
    parentId: seq === 1 ? null : entryIdOf(seq - 1),
    seq,
    at: 1_700_000_000_000 + seq,
    type: 'message',
    message: { role: 'user', content: [{ type: 'text', text }] },
    provenance: { kind: 'user' },
    tokens: { n: text.length, by: 'letters-1' },
  };
}

/** Message entries of a range, both ends included. */
export function messageEntries(fromSeq: number, toSeq: number): MessageEntry[] {
  return Array.from({ length: Math.max(0, toSeq - fromSeq + 1) }, (_, index) => messageEntry(fromSeq + index));
}

/** The id that {@link messageEntry} gives to the entry with that seq. */
export function entryIdOf(seq: number): string {
  return `01J${String(seq).padStart(23, '0')}`;
}

/** A checkpoint with next to no state in it: no store looks there. */
export function checkpointFrom(visibleFromSeq: number, settings: CarriedState['settings'] = {}): Checkpoint {
  return { visibleFromSeq, state: { seq: visibleFromSeq - 1, settings } as CarriedState };
}

/** Opens a journal and begins it if there is none. @default sessionId `one` */
export function beginJournal(store: Store, sessionId = 'one'): Promise<Journal> {
  return store.open(sessionId, { create: { v: 1, sessionId, createdAt: 1_700_000_000_000 } });
}

/** Everything that an iteration gives. */
export async function collectEntries(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const list: Entry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

/** The tail of a journal, after checking that it is what reading from where it begins gives: the law of every tail. */
export async function readLawfulTail(journal: Journal): Promise<Tail> {
  const tail = await journal.tail();
  const read = await collectEntries(journal.read({ fromSeq: tail.checkpoint?.visibleFromSeq ?? 1 }));
  assertEqual(tail.entries, read, 'the tail and what reading from its beginning gives');
  return tail;
}
