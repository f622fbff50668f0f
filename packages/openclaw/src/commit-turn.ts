import { fromPi, type ListedPiMessage, type PiMessage } from '@varve/adapters/pi';
import type { Provenance, Session } from '@varve/core';
import type { Conversation, LargestBudget } from './conversations.ts';
import { nameOfMessage } from './message-name.ts';
import type { CommitTurnCall } from './openclaw-api.ts';

/** Records of committed turns, by the key under which OpenClaw commits them. */
const turnRecord = 'openclaw:turn';

/** Messages that belong together, and whether a user has begun their run. */
interface Batch {
  readonly messages: readonly PiMessage[];
  readonly isHeartbeat?: boolean | undefined;
  /** Names those that carry no time. */
  readonly name: string;
  /** Whether what the provider has reported is to be held against what was counted. @default true */
  readonly takesUsage?: boolean | undefined;
}

/**
 * Puts messages behind all others. Each has a key made of what it says and when, so that one that comes again, by
 * whatever road, is not stored again. Gives how many were new.
 */
export async function ingestMessages(
  session: Session,
  { messages, isHeartbeat, name, takesUsage = true }: Batch,
): Promise<number> {
  let added = 0;
  for (const [index, listed] of fromPi(messages).entries()) {
    const before = session.info().counters.messages;
    const { message } = listed;
    const usage = takesUsage ? listed.usage : undefined;
    const provenance = isHeartbeat === true ? ofHeartbeat(listed) : listed.provenance;
    await session.ingest(message, { key: keyOf(listed.given, `${name}:${index}`), provenance, usage });
    if (session.info().counters.messages > before) added += 1;
  }
  return added;
}

/**
 * Stores a turn once, however often it is committed: a process that ends in the middle has stored a part of its messages
 * under their keys, and the next attempt stores the others.
 */
export async function commitTurn(
  conversation: Conversation,
  { advancementKey, messages, isHeartbeat }: Pick<CommitTurnCall, 'advancementKey' | 'messages' | 'isHeartbeat'>,
): Promise<'committed' | 'duplicate'> {
  const { session, asked } = conversation;
  const committed = await committedTurns(conversation);
  if (committed.has(advancementKey)) return 'duplicate';
  const takesUsage = asked?.isShareKnown === true;
  await ingestMessages(session, { messages, isHeartbeat, name: advancementKey, takesUsage });
  learnShare(conversation, messages);
  const { hostTokens, largest } = conversation;
  await session.record(turnRecord, { advancementKey, hostTokens, largest });
  committed.add(advancementKey);
  return 'committed';
}

/** What was committed, and learnt, before: read from the journal the first time. */
export async function committedTurns(conversation: Conversation): Promise<Set<string>> {
  if (conversation.committed !== null) return conversation.committed;
  const keys = new Set<string>();
  for await (const entry of conversation.session.read()) {
    if (entry.type !== turnRecord || !('data' in entry)) continue;
    const { advancementKey, hostTokens, largest } = (entry.data ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof advancementKey === 'string') keys.add(advancementKey);
    if (typeof hostTokens === 'number') conversation.hostTokens = hostTokens;
    if (typeof largest === 'object' && largest !== null) conversation.largest = largest as LargestBudget;
  }
  conversation.committed = keys;
  return keys;
}

/**
 * The first answer of the first turn tells what OpenClaw sends besides: what was reported of its prompt, without the
 * messages. Later ones tell when that has become less.
 */
function learnShare(conversation: Conversation, messages: readonly PiMessage[]): void {
  const { asked, hostTokens } = conversation;
  const usage = fromPi(messages).find(({ message }) => message.role === 'assistant')?.usage;
  if (usage === undefined || asked === null) return;
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const reported = inputTokens + cacheReadTokens + cacheWriteTokens;
  conversation.hostTokens = Math.min(hostTokens ?? Math.max(0, reported - asked.counted), reported);
}

/** Nobody has said what a heartbeat says. */
function ofHeartbeat({ message, provenance }: ListedPiMessage): Provenance | undefined {
  return message.role === 'user' ? { kind: 'system-event' } : provenance;
}

function keyOf(given: PiMessage, name: string): string {
  const { timestamp } = given;
  return `openclaw:${typeof timestamp === 'number' ? timestamp : name}:${nameOfMessage(given)}`;
}
