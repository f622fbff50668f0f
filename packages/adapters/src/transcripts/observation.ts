import type { TranscriptRecord } from './transcript-record.ts';

/**
 * Says of the user's messages that a tool wrote them. Where a model acts in plain text, what came of its action is told
 * to it in the user's place; there is no call that it could be the result of.
 */
export function asObservations(records: readonly TranscriptRecord[]): readonly TranscriptRecord[] {
  return records.map((record) => {
    if (record.kind !== 'message' || record.message.role !== 'user') return record;
    return { ...record, provenance: { kind: 'tool' } };
  });
}

/** True when a model's answer is among the records. */
export function hasAnswer(records: readonly TranscriptRecord[]): boolean {
  return records.some((record) => record.kind === 'message' && record.call !== undefined);
}
