import type { Group, Item } from './draft.ts';

/** Groups of lists that never change: drafts that share a list, in the name of another actor, share them. */
const known = new WeakMap<readonly Item[], readonly Group[]>();

/** The groups of a list of items, in the order in which they begin. */
export function groupsIn(items: readonly Item[]): readonly Group[] {
  const groups = known.get(items) ?? collectGroups(items);
  known.set(items, groups);
  return groups;
}

function collectGroups(items: readonly Item[]): readonly Group[] {
  const byId = new Map<string, Item[]>();
  for (const item of items) {
    const members = byId.get(item.groupId);
    if (members === undefined) byId.set(item.groupId, [item]);
    else members.push(item);
  }
  return [...byId].map(([id, members]) => ({
    id,
    items: members,
    tokens: members.reduce((tokens, item) => tokens + item.tokens, 0),
    live: members.some((item) => item.live),
    unread: members.some((item) => item.unread),
    protected: members.some((item) => item.protected),
  }));
}
