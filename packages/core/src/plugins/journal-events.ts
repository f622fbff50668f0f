import type { Entry } from '../journal/entry.ts';
import type { EventBase, JournalEvent } from './events.ts';

/**
 * The events that an entry stands for: `entry-appended`, and behind it what its type implies. The same entry always
 * gives the same events, whether it was appended just now or read years later.
 */
export function eventsOfEntry(entry: Entry, base: EventBase): readonly JournalEvent[] {
  const { seq } = entry;
  const appended: JournalEvent = { name: 'entry-appended', event: { ...base, seq, entry } };
  const implied = impliedBy(entry, { ...base, seq });
  return implied === null ? [appended] : [appended, implied];
}

function impliedBy(entry: Entry, base: EventBase & Pick<Entry, 'seq'>): JournalEvent | null {
  switch (entry.type) {
    case 'compaction': {
      const { trigger, tokensBefore, tokensAfter } = entry;
      const outcome = { status: 'compacted', why: '', trigger, entry, tokensBefore, tokensAfter } as const;
      return { name: 'compaction-committed', event: { ...base, reason: trigger, outcome } };
    }
    case 'edit':
      return { name: 'edit-recorded', event: { ...base, by: entry.by, edits: entry.edits } };
    case 'setting':
      return { name: 'setting-changed', event: { ...base, name: entry.name, value: entry.value } };
    case 'state':
      return { name: 'state-changed', event: { ...base, slot: entry.slot, text: entry.text } };
    case 'head': {
      const { reason, targetId, targetSeq } = entry;
      return { name: 'head-moved', event: { ...base, reason, targetId, targetSeq } };
    }
    case 'revoke':
      return { name: 'entry-revoked', event: { ...base, targetId: entry.targetId } };
    default:
      // Messages, requests and records: the entry itself says all.
      return null;
  }
}
