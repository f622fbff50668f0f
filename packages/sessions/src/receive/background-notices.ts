import type { Host } from '@varve/core';
import { LRUCache } from 'lru-cache';
import { compactionNotice } from './verbose-notice.ts';

/** Sessions whose notices wait for the next message. */
const mostSessions = 1_000;

/** Compactions that ran beside conversations, until somebody can be told. */
export interface BackgroundNotices {
  /** What is to be told of a session, once. */
  take(sessionId: string): readonly string[];
  /** Listens no longer. */
  close(): void;
}

/** Listens to a host. */
export function createBackgroundNotices(host: Pick<Host, 'events'>): BackgroundNotices {
  const waiting = new LRUCache<string, readonly string[]>({ max: mostSessions });
  const off = host.events.on('compaction-committed', ({ sessionId, reason, outcome }) => {
    const notice = reason === 'background' ? compactionNotice(outcome) : null;
    if (notice !== null) waiting.set(sessionId, [...(waiting.get(sessionId) ?? []), notice]);
  });
  return {
    take: (sessionId) => {
      const texts = waiting.get(sessionId) ?? [];
      waiting.delete(sessionId);
      return texts;
    },
    close: off,
  };
}
