import { emptyCounters, type SessionPatch, type Store } from '@varve/core';

const startedAt = 1_750_000_000_000;

/** Key of a conversation. */
export function keyOf(at: number): string {
  return `agent:main:telegram:direct:${100_000_000 + at}`;
}

/** Id of its session. */
export function sessionIdOf(at: number): string {
  return `a1b2c3d4-e5f6-7890-abcd-${String(at).padStart(12, '0')}`;
}

/** Our record of a conversation. */
export function recordOf(at: number): SessionPatch {
  return {
    key: keyOf(at),
    channel: 'telegram',
    chatType: 'direct',
    displayName: `User ${at}`,
    createdAt: startedAt - 1_000_000,
    currentSince: startedAt - 1_000_000,
    updatedAt: startedAt - at * 1_000,
    counters: { ...emptyCounters, countedSeq: 40, messages: 40, userMessages: 10, requests: 10, totalTokens: 57_000 },
  };
}

/** The entry of a conversation in a store of OpenClaw, about 1 KB. */
export function openClawEntryOf(at: number): Readonly<Record<string, unknown>> {
  const to = String(100_000_000 + at);
  const place = { channel: 'telegram', to: `telegram:${to}`, accountId: 'default' };
  return {
    sessionId: sessionIdOf(at),
    updatedAt: startedAt - at * 1_000,
    sessionFile: `/home/user/.openclaw/agents/main/sessions/${sessionIdOf(at)}.jsonl`,
    channel: 'telegram',
    chatType: 'direct',
    systemSent: true,
    abortedLastRun: false,
    compactionCount: 2,
    inputTokens: 45_000,
    outputTokens: 12_000,
    totalTokens: 57_000,
    contextTokens: 200_000,
    model: 'claude-sonnet-4-20250514',
    modelProvider: 'anthropic',
    thinkingLevel: 'low',
    origin: {
      label: `User ${at}`,
      provider: 'telegram',
      surface: 'telegram',
      chatType: 'direct',
      from: place.to,
      ...place,
    },
    deliveryContext: place,
    lastChannel: 'telegram',
    lastTo: place.to,
    lastAccountId: 'default',
  };
}

/** Fills a store with records, many at once. */
export async function fillRecords(store: Store, count: number): Promise<void> {
  const batch = 1_000;
  for (let from = 0; from < count; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((at) => store.sessions.put(sessionIdOf(at), recordOf(at), { expectedRev: 0 })));
  }
}
