import type { Draft, Group } from './draft.ts';

/**
 * The groups that may be left out, oldest first: those before the running turn, up to the first unread one unless that is
 * asked for. The newest group of the conversation stays.
 */
export function* droppableGroups(draft: Draft, { unread }: { readonly unread: boolean }): Iterable<Group> {
  const groups = draft.groups();
  const newest = groups.findLastIndex((group) => group.items[0]?.note === null);
  for (let index = 0; index < newest; index += 1) {
    const group = groups[index] as Group;
    if (group.live || (group.unread && !unread)) return;
    if (!group.protected) yield group;
  }
}
