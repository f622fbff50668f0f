import { VarveError } from '@varve/core';
import type { ArchiveOptions } from '../live/lifecycle.ts';
import { stopByKey } from './known-child.ts';
import { runningChildren } from '../child-journal/running-slot.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/**
 * Keeps a conversation from being archived while sub-agents work for it, whose ends nobody would read; or stops them, and
 * takes their ends in first.
 *
 * @throws VARVE_CHILDREN_RUNNING  without `cascade`.
 */
export async function clearForArchive(
  world: SubagentWorld,
  keyText: string,
  { sessionId, cascade = false }: ArchiveOptions,
): Promise<void> {
  const current = await world.generations.current(keyText);
  if (current === null || (sessionId !== undefined && sessionId !== current.sessionId)) return;
  const children = await atWork(world, { keyText, sessionId: current.sessionId });
  if (children.length === 0) return;
  if (!cascade) throw runningError(keyText, children);
  for (const childKey of children) await stopByKey(world, childKey);
  await Promise.all(world.children.of(keyText).map(({ tried }) => tried.promise));
}

/** Keys of those that work for a conversation, here or in another process, as its slot says. */
async function atWork(
  { children, host }: SubagentWorld,
  { keyText, sessionId }: { readonly keyText: string; readonly sessionId: string },
): Promise<readonly string[]> {
  const here = children.of(keyText).map(({ record }) => record.childKey);
  const session = await host.open(sessionId, { readOnly: true });
  try {
    const told = runningChildren(session).map(({ key }) => key);
    return [...new Set([...here, ...told])];
  } finally {
    await session.close();
  }
}

function runningError(keyText: string, children: readonly string[]): VarveError {
  const [first = ''] = children;
  const many = children.length === 1 ? 'a sub-agent works' : `${children.length} sub-agents work`;
  return new VarveError(
    'VARVE_CHILDREN_RUNNING',
    `"${keyText}" cannot be archived: ${many} for it, such as ${first}.`,
    {
      fix: 'Wait for their ends, or archive with cascade: true, which stops them first.',
      details: { children },
    },
  );
}
