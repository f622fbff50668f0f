import type { SessionRecord } from '@varve/core';
import type { ListedSession, SessionFilter, Sessions } from '@varve/sessions';
import { isoText } from '../../terminal/moment-text.ts';

/** All sessions that a filter lets through, last updated first. */
async function* allSessions(sessions: Sessions, filter: SessionFilter): AsyncGenerator<ListedSession, void, undefined> {
  let after: Awaited<ReturnType<Sessions['list']>>['next'] = null;
  do {
    const page: Awaited<ReturnType<Sessions['list']>> = await sessions.list({
      ...filter,
      limit: 1_000,
      after: after ?? undefined,
    });
    yield* page.sessions;
    after = page.next;
  } while (after !== null);
}

/**
 * The sessions of a store as one document, `{"sessions": {<key>: {…}}}`, with times as text: one entry a conversation, its
 * current generation. A session without a key stands under its id.
 */
export async function storeDocument(sessions: Sessions, filter: SessionFilter): Promise<object> {
  const found: Record<string, object> = {};
  for await (const { record, kind, peer, generation } of allSessions(sessions, filter)) {
    if (isLeftOut(record, generation)) continue;
    const { spent, totalTokens, messages, compactions } = record.counters;
    found[nameOf(record)] = {
      id: record.sessionId,
      agentId: record.agentId,
      ...{ kind, peer, channel: record.channel, chatType: record.chatType, identity: record.identity },
      ...{ label: record.label, displayName: record.displayName, parentSessionKey: record.parentSessionKey },
      createdAt: isoText(record.createdAt),
      updatedAt: isoText(record.updatedAt),
      ...{ inputTokens: spent.inputTokens, outputTokens: spent.outputTokens, totalTokens },
      ...{ cacheRead: spent.cacheReadTokens, cacheWrite: spent.cacheWriteTokens, messages, compactions },
    };
  }
  return { sessions: found };
}

/** The same as OpenClaw's `sessions.json`: keys and entries on the first level, times in milliseconds. */
export async function openClawDocument(sessions: Sessions, filter: SessionFilter): Promise<object> {
  const found: Record<string, object> = {};
  for await (const { record, generation } of allSessions(sessions, filter)) {
    if (isLeftOut(record, generation)) continue;
    const { sessionId, updatedAt, createdAt, chatType, channel, label, displayName, parentSessionKey } = record;
    const { spent, totalTokens, compactions } = record.counters;
    found[nameOf(record)] = {
      ...{ sessionId, updatedAt, sessionStartedAt: createdAt },
      ...(chatType === null ? {} : { chatType }),
      ...(channel === null ? {} : { channel }),
      ...(label === null ? {} : { label }),
      ...(displayName === null ? {} : { displayName }),
      ...(parentSessionKey === null ? {} : { spawnedBy: parentSessionKey }),
      ...{ inputTokens: spent.inputTokens, outputTokens: spent.outputTokens, totalTokens, totalTokensFresh: true },
      ...{ cacheRead: spent.cacheReadTokens, cacheWrite: spent.cacheWriteTokens, compactionCount: compactions },
    };
  }
  return found;
}

/** Earlier generations have no place where a key stands for one session. */
function isLeftOut({ key, state }: SessionRecord, generation: ListedSession['generation']): boolean {
  return key === null ? state === 'archived' : generation !== 'current';
}

function nameOf({ key, sessionId }: SessionRecord): string {
  return key ?? sessionId;
}
