import { childrenAtWork, slotOf } from '../child-journal/children-at-work.ts';
import { walkRecords } from '../listing/walk-records.ts';
import type { ArchiveGuard } from '../live/archive-guard.ts';
import { stopByKey } from './known-child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** What sub-agents have against an archive: their ends would come to nobody. */
export function guardOf(world: SubagentWorld): ArchiveGuard {
  const { host, children } = world;
  return {
    atWork: async ({ keyText, sessionId }) => {
      const here = children.of(keyText).map(({ record }) => record.childKey);
      const begun = walkRecords(host.sessions, { parentSessionKey: keyText, state: 'open' });
      const slot = await slotOf(host, sessionId);
      return [...new Set([...here, ...(await childrenAtWork(world, { keyText, slot, begun }))])];
    },
    stop: async (keyText, asked) => {
      for (const childKey of asked) await stopByKey(world, childKey);
      await Promise.all(children.of(keyText).map(({ tried }) => tried.promise));
    },
  };
}
