import type { SessionRecord } from '@varve/core';
import { archiveGeneration } from '../generation/archive-generation.ts';
import type { GenerationParts } from '../generation/begin-generation.ts';
import { type ArchiveGuard, childrenRunningError } from './archive-guard.ts';
import type { Hands, LiveSessions } from './live-sessions.ts';
import { requireGeneration } from './require-generation.ts';

/** How a generation is put away. */
export interface ArchiveOptions {
  /** A generation of the key. @default the current one */
  readonly sessionId?: string | undefined;
  /** For the event. @default 'asked' */
  readonly reason?: string | undefined;
  /** Whether turns that run are aborted; they are waited for otherwise. @default false */
  readonly abort?: boolean | undefined;
  /** Whether sub-agents that work for it are stopped first; it is not archived otherwise. @default false */
  readonly cascade?: boolean | undefined;
}

/** What generations are put away with. */
export interface ArchiveParts extends GenerationParts {
  readonly live: LiveSessions;
  readonly guard: ArchiveGuard;
}

interface Asked extends Pick<ArchiveOptions, 'sessionId'> {
  readonly keyText: string;
  readonly reason: string;
  readonly cascade: boolean;
  /** Sub-agents that were stopped for it: they are not asked about again. */
  readonly stopped: Set<string>;
}

/**
 * Puts a generation away. Whether sub-agents work for it is asked twice: at once, so that nothing is aborted in vain, and
 * while nobody can begin one. They are stopped in between, since their ends come in as long as the key is not held.
 */
export async function archiveKey(
  parts: ArchiveParts,
  keyText: string,
  { sessionId, reason = 'asked', abort = false, cascade = false }: ArchiveOptions,
): Promise<{ readonly sessionId: string | null }> {
  const asked: Asked = { keyText, sessionId, reason, cascade, stopped: new Set() };
  const stopping = abort ? { abort: `The conversation was archived: ${reason}.` } : {};
  for (;;) {
    await stopChildren(parts, asked, await parts.generations.current(keyText));
    const archived = await parts.live.change(keyText, (hands) => archive(parts, hands, asked), stopping);
    if (archived !== null) return archived;
  }
}

/** Stops those that work for the generation, where that is asked for. @throws VARVE_CHILDREN_RUNNING  without `cascade` */
async function stopChildren(parts: ArchiveParts, asked: Asked, current: SessionRecord | null): Promise<void> {
  const { keyText, sessionId, stopped, cascade } = asked;
  if (current === null || (sessionId !== undefined && sessionId !== current.sessionId)) return;
  const children = await notStopped(parts, asked, current.sessionId);
  if (children.length === 0) return;
  if (!cascade) throw childrenRunningError(keyText, children);
  for (const childKey of children) stopped.add(childKey);
  await parts.guard.stop(keyText, children);
}

async function notStopped(
  { guard }: ArchiveParts,
  { keyText, stopped }: Asked,
  sessionId: string,
): Promise<readonly string[]> {
  const atWork = await guard.atWork({ keyText, sessionId });
  return atWork.filter((childKey) => !stopped.has(childKey));
}

/** Gives `null` when sub-agents were begun meanwhile that are to be stopped first. */
async function archive(
  parts: ArchiveParts,
  hands: Hands,
  asked: Asked,
): Promise<{ readonly sessionId: string | null } | null> {
  const { keyText, reason, cascade } = asked;
  // Awake, and so locked: no other process works with it.
  const current = await hands.current();
  const sessionId = asked.sessionId ?? current?.sessionId ?? null;
  if (sessionId === null) return { sessionId };
  const record = await requireGeneration(parts, { keyText, sessionId });
  const refuse = async (): Promise<string | null> => {
    const children = sessionId === current?.sessionId ? await notStopped(parts, asked, sessionId) : [];
    if (children.length === 0) return null;
    if (!cascade) throw childrenRunningError(keyText, children);
    return 'sub-agents were begun meanwhile';
  };
  const why = await archiveGeneration(parts, record, { reason, refuse });
  if (why !== null && record.state !== 'archived') return null;
  if (sessionId === current?.sessionId) await hands.sleep();
  return { sessionId };
}
