import { createHash } from 'node:crypto';
import { canonicalKey, formatKey, type JsonValue, looksLikeSessionId, VarveError } from '@varve/core';
import { verboseLevels } from '@varve/sessions/config';
import { z } from 'zod';
import type { ImportTarget } from './imported.ts';

/** What a store of OpenClaw says of a conversation, as far as it is taken over. */
export interface OpenClawEntry {
  readonly sessionId: string;
  readonly sessionFile?: string | undefined;
  readonly updatedAt?: number | undefined;
  readonly sessionStartedAt?: number | undefined;
  readonly chatType?: 'direct' | 'group' | 'channel' | undefined;
  readonly channel?: string | undefined;
  readonly label?: string | undefined;
  readonly displayName?: string | undefined;
  readonly spawnedBy?: string | undefined;
  readonly providerOverride?: string | undefined;
  readonly modelOverride?: string | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly verboseLevel?: string | undefined;
  readonly sendPolicy?: 'allow' | 'deny' | undefined;
  readonly incognito?: boolean | undefined;
}

const text = z.string().min(1).optional().catch(undefined);
const moment = z.number().nonnegative().optional().catch(undefined);

/** What has another form is as if it were not there. */
const entrySchema: z.ZodType<OpenClawEntry> = z.object({
  sessionId: z.string().min(1),
  sessionFile: text,
  updatedAt: moment,
  sessionStartedAt: moment,
  chatType: z.enum(['direct', 'group', 'channel']).optional().catch(undefined),
  channel: text,
  label: text,
  displayName: text,
  spawnedBy: text,
  providerOverride: text,
  modelOverride: text,
  thinkingLevel: text,
  verboseLevel: text,
  sendPolicy: z.enum(['allow', 'deny']).optional().catch(undefined),
  incognito: z.boolean().optional().catch(undefined),
});

/** Reads an entry; `undefined` for one that names no session. */
export function readEntry(value: unknown): OpenClawEntry | undefined {
  return entrySchema.safeParse(value).data;
}

/** The same for the same conversation, each time it is imported. */
export function sessionIdOf(id: string, key: string): string {
  return looksLikeSessionId(id) ? id.toLowerCase() : derivedSessionId(id, key);
}

/** An id for the conversation of a key whose own is none, or that of another conversation here; the same each time. */
export function derivedSessionId(id: string, key: string | null): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([key, id]))
    .digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** The key as it is written here; one that is in no known form stays as it is. */
export function keyOf(name: string, agentId: string): string {
  try {
    return formatKey(canonicalKey(name, { agentId }));
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return name;
    throw error;
  }
}

/** What is known of the conversation beside its messages. */
export function namesOf(entry: OpenClawEntry, agentId: string): ImportTarget['names'] {
  const { chatType, channel, label, displayName, spawnedBy } = entry;
  return {
    agentId,
    ...(chatType !== undefined && { chatType }),
    ...(channel !== undefined && { channel }),
    ...(label !== undefined && { label }),
    ...(displayName !== undefined && { displayName }),
    ...(spawnedBy !== undefined && { parentSessionKey: keyOf(spawnedBy, agentId) }),
  };
}

/** What somebody had set for the conversation. */
export function settingsOf(entry: OpenClawEntry): Readonly<Record<string, JsonValue>> {
  const { providerOverride, modelOverride, thinkingLevel, verboseLevel, sendPolicy, incognito } = entry;
  const model = providerOverride === undefined ? modelOverride : `${providerOverride}/${modelOverride ?? ''}`;
  return {
    ...(modelOverride !== undefined && model !== undefined && { model }),
    ...(thinkingLevel !== undefined && { thinking: thinkingLevel }),
    ...(verboseLevel !== undefined && { verbose: verboseLevels.find((level) => level === verboseLevel) ?? 'on' }),
    ...(sendPolicy !== undefined && { send: sendPolicy }),
    ...(incognito !== undefined && { incognito }),
  };
}
