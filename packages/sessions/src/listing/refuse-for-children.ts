import type { SessionRecord } from '@varve/core';
import { childrenAtWork, isChildAtWork, slotOf } from '../child-journal/children-at-work.ts';
import type { ListingParts } from './listing-parts.ts';
import type { OpenChildren } from './open-children.ts';

/** Why a session is not archived as long as sub-agents work, as far as records say; `null` when none does. */
export function refuseForChildren(
  parts: ListingParts,
  record: SessionRecord,
  children: OpenChildren,
): Promise<string | null> {
  return refuse(parts, record, { children, asksSlot: false });
}

/** The same of a session that nobody works with meanwhile: one that was begun since the walk is found, too. */
export function refuseForChildrenNow(
  parts: ListingParts,
  record: SessionRecord,
  children: OpenChildren,
): Promise<string | null> {
  return refuse(parts, record, { children, asksSlot: true });
}

async function refuse(
  parts: ListingParts,
  record: SessionRecord,
  { children, asksSlot }: { readonly children: OpenChildren; readonly asksSlot: boolean },
): Promise<string | null> {
  const { host } = parts;
  const { key, sessionId } = record;
  if (await isChildAtWork(host, record)) return 'it is a sub-agent that has not ended';
  if (key === null) return null;
  const slot = asksSlot ? await slotOf(host, sessionId) : [];
  const [child, ...others] = await childrenAtWork(parts, { keyText: key, slot, begun: children.get(key) ?? [] });
  if (child === undefined) return null;
  return `${others.length === 0 ? 'a sub-agent has' : `${others.length + 1} sub-agents have`} not ended: ${child}`;
}
