import { addUsage } from '../add-usage.ts';
import type { Entry } from './entry.ts';
import type { SessionCounters } from './session-record.ts';

/**
 * Counts one more entry. Pure; entries must come in seq order, and one that is counted already counts no more: counting
 * a journal at once gives what counting it in parts gives.
 */
export function countEntry(counters: SessionCounters, entry: Entry): SessionCounters {
  if (entry.seq <= counters.countedSeq) return counters;
  const next = { ...counters, countedSeq: entry.seq };
  switch (entry.type) {
    case 'message': {
      const isUser = entry.provenance.kind === 'user';
      return {
        ...next,
        messages: counters.messages + 1,
        userMessages: counters.userMessages + (isUser ? 1 : 0),
        lastUserAt: isUser ? entry.at : counters.lastUserAt,
        spent: addUsage(counters.spent, entry.usage),
      };
    }
    case 'request':
      return { ...next, requests: counters.requests + 1, totalTokens: entry.tokens };
    case 'compaction':
      return { ...next, compactions: counters.compactions + 1 };
    default:
      return next;
  }
}
