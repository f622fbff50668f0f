import type { Session, Tool } from '@varve/core';
import { emitEvent, messageOfError } from '@varve/core/host';
import type { ArchiveGuard } from '../live/archive-guard.ts';
import { createChildren } from './children.ts';
import { guardOf } from './guard-of.ts';
import { stopByKey } from './known-child.ts';
import { type ChildFacts, listChildren } from './list-children.ts';
import { bringHome, type Recovery, recoverChildren } from './recover-children.ts';
import { spawnChild } from './spawn-child.ts';
import type { ChildEnd, Spawned, SpawnOptions } from './spawn-options.ts';
import { spawnTools } from './spawn-tool.ts';
import { stopChildrenOf } from './stop-children.ts';
import { subagentRules } from './subagent-options.ts';
import type { SubagentParts, SubagentWorld } from './subagent-parts.ts';

/** The sub-agents of one host's conversations. */
export interface Subagents {
  /** Begins one; also within a `use` of the parent. */
  spawn(parentKey: string, options: SpawnOptions): Promise<Spawned>;
  /** The tool for a turn of a session, where its model may have one. */
  tools(session: Session): readonly Tool[];
  /** The sub-agents of a conversation. */
  list(parentKey: string): Promise<readonly ChildFacts[]>;
  /** Ends one, and those that work for it; `null` when there is none of that key. */
  stop(childKey: string): Promise<ChildEnd | null>;
  /** Ends all that work for a conversation, without waiting. Gives how many there were. */
  stopAllOf(parentKey: string): number;
  /** What they have against an archive. */
  readonly guard: ArchiveGuard;
  /** After a start: see `Sessions.recover`. */
  recover(): Promise<Recovery>;
  /** Lets go of all that are at work: they go on with `recover` after the next start. Idempotent. */
  close(): Promise<void>;
}

/** Makes the sub-agents of one host. @throws VARVE_OPTION_INVALID */
export function createSubagents(parts: SubagentParts): Subagents {
  const rules = subagentRules(parts.options);
  const ending = new AbortController();
  const world: SubagentWorld = { ...parts, rules, children: createChildren(), closing: ending.signal };
  const homecomings = followWakes(world);
  return {
    spawn: (parentKey, options) => world.live.join(parentKey, (parent) => spawnChild(world, { parent }, options)),
    tools: (session) => spawnTools(world, session),
    list: (parentKey) => listChildren(world, parentKey),
    stop: (childKey) => stopByKey(world, childKey),
    stopAllOf: (parentKey) => stopChildrenOf(world, parentKey),
    guard: guardOf(world),
    recover: () => recoverChildren(world),
    close: async () => {
      ending.abort(new Error('The sessions are being closed.'));
      await Promise.all([...homecomings, ...world.children.all().map(({ work }) => work)]);
    },
  };
}

/** Brings home what waits for a conversation as soon as somebody works with it. Gives what is under way. */
function followWakes(world: SubagentWorld): ReadonlySet<Promise<void>> {
  const { host, closing } = world;
  const underWay = new Set<Promise<void>>();
  host.events.on(
    'session-activated',
    ({ sessionKey, ...base }) => {
      if (sessionKey === null) return;
      const homecoming = bringHome(world, sessionKey)
        .catch((error: unknown) => {
          if (closing.aborted) return;
          const text = `What waits for the conversation could not be brought home: ${messageOfError(error)}`;
          emitEvent(host, 'warning', { ...base, sessionKey, text });
        })
        .finally(() => underWay.delete(homecoming));
      underWay.add(homecoming);
    },
    { signal: closing },
  );
  return underWay;
}
