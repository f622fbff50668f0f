import { formatKey } from '@varve/core';

/** A key for a sub-agent, and the name that it was asked for under. */
export interface ChildName {
  readonly childKey: string;
  readonly spawnId: string;
}

/**
 * Names a sub-agent. Under a name of the caller's own, a parent has the same one in every process; it is a UUID either
 * way, so that keys say nothing and are of one length.
 */
export async function nameChild(
  parentKey: string,
  options: { readonly agentId: string; readonly spawnId?: string | undefined; readonly randomId: () => string },
): Promise<ChildName> {
  const { agentId, spawnId, randomId } = options;
  const id = spawnId === undefined ? randomId() : await uuidOf(JSON.stringify([parentKey, spawnId]));
  return { childKey: formatKey({ kind: 'subagent', agentId, id }), spawnId: spawnId ?? id };
}

/** A UUID of version 8, which is for ids of one's own making. */
async function uuidOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = [...new Uint8Array(hash).slice(0, 16)];
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
