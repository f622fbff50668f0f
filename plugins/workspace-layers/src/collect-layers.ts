import type { Draft, HookContext } from '@varve/core';
import { dayInZone } from './day-in-zone.ts';
import type { LongTermMemory } from './long-term-memory.ts';
import { memoryItems } from './memory-text.ts';
import { listingItem, workspaceItems } from './workspace-items.ts';

/** Which layer yields first when space is short: memory, then workspace. */
const priorities = { memory: 10, workspace: 20 } as const;

/** Days of notes that the layer looks at; `memory_search` has all of them. */
const mostDays = 200;

/** Whoever else writes notes may do so in another zone, where it was a day earlier when the prompt was rebuilt. */
const dayMs = 86_400_000;

/**
 * Adds the layers `memory` and `workspace`. Notes that were made after the last rebuild of the prompt wait for the next
 * one: until then `memory_search` finds them, and the front of the prompt stays as it is.
 */
export async function collectLayers(draft: Draft, memory: LongTermMemory, context: HookContext): Promise<Draft> {
  const { session, now, warn } = context;
  const { workspace, options } = memory;
  const conversation = memory.conversation(session);
  const since = session.compaction()?.at ?? session.messages()[0]?.at ?? now();
  const isChild = conversation.kind === 'subagent';
  const notes = isChild
    ? { found: [], problems: [] }
    : await workspace.memory({ mostDays, sinceDay: dayInZone(since - dayMs, options.timeZone) });
  const files = await workspace.files(isChild ? options.subagents : options.files);
  const names = options.listing && !isChild ? await workspace.names() : { found: [], problems: [] };
  memory.warn([...notes.problems, ...files.problems, ...names.problems], warn);
  const mayShow = memory.filterFor(conversation);
  const shown = [...options.files, ...options.memory, 'memory/'];
  const items = [...workspaceItems(files.found, options), ...listingItem(names.found, shown)];
  const layers = [
    { id: 'memory', heading: 'Memory', items: memoryItems(notes.found, { ...options, mayShow, since }) },
    { id: 'workspace', heading: 'Workspace', items },
  ] as const;
  return layers
    .filter((layer) => layer.items.length > 0)
    .reduce(
      (filled, layer) =>
        filled.addLayer(
          { ...layer, role: 'system', stability: 'session', priority: priorities[layer.id] },
          'long-term-memory',
        ),
      draft,
    );
}
