import {
  type JsonValue,
  parseKey,
  type Session,
  throwIfAborted,
  toolCallsOfMessage,
  type Ulid,
  VarveError,
} from '@varve/core';
import { readChild } from '../child-journal/child-records.ts';
import { addRunning, removeRunning, runningChildren } from '../child-journal/running-slot.ts';
import { lastAddressOf } from '../egress/return-address.ts';
import { securitySettings } from '../settings/carry-over.ts';
import { choiceOf, defaultChoiceOf, fullNameOf } from '../settings/session-models.ts';
import { textOfSetting } from '../settings/setting-values.ts';
import { beginChild, type ChildBeginning, takeBackChild } from './begin-child.ts';
import { type Child, createChild } from './child.ts';
import { warnOf } from './child-events.ts';
import { type ChildName, nameChild } from './child-key.ts';
import { labelOf } from './child-texts.ts';
import { knownChild } from './known-child.ts';
import { checkSpawn, type Spawned, type SpawnOptions } from './spawn-options.ts';
import { spawnRefused } from './spawn-refusal.ts';
import { spawnedOf } from './spawned-of.ts';
import { startChild } from './start-child.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** Where a sub-agent is asked for. */
export interface SpawnPlace {
  /** The parent's current generation, in use. */
  readonly parent: Session;
  /** The call of the tool that asks for it; a fork ends before its answer. @default none */
  readonly toolCallId?: string | undefined;
}

/**
 * Begins a sub-agent, or finds the one that was begun under the same `spawnId`. It is all there or not at all: what was
 * stored for one that does not begin after all is taken back.
 *
 * @throws VARVE_OPTION_INVALID, VARVE_ABORTED; VARVE_SPAWN_REFUSED  beyond a limit, for an agent or a model that is not
 *   allowed or known; VARVE_FORK_TOO_LARGE; VARVE_INGEST_REFUSED; VARVE_STORE_IO; what `prepare` throws.
 */
export async function spawnChild(world: SubagentWorld, place: SpawnPlace, options: SpawnOptions): Promise<Spawned> {
  checkSpawn(options);
  throwIfAborted(options.signal);
  const agentId = options.agentId ?? place.parent.view.agentId;
  const parentKey = keyOf(place.parent);
  const { randomId } = world;
  const name = await nameChild(parentKey, { agentId, spawnId: options.spawnId, randomId });
  const known = options.spawnId === undefined ? null : await knownChild(world, name.childKey);
  if (known !== null) return known;
  // From here on nothing is awaited until it is among the children: two that come at once are one, and count.
  const racing = world.children.get(name.childKey);
  if (racing !== null) return spawnedOf(racing);
  const settings = checkedSettings(world, { place, agentId, name, model: options.model });
  const { parent } = place;
  const depth = checkedDepth(world, parent);
  checkCount(world, parent);
  const { mode = 'isolated', cleanup = 'keep', timeoutMs = world.rules.timeoutMs, task } = options;
  const facts = { task, label: labelOf(options.label, task), mode, cleanup, depth, timeoutMs, at: world.clock.now() };
  const returnTo = lastAddressOf(parent.view);
  const child = createChild({ ...name, parentKey, parentSessionId: parent.sessionId, ...facts, returnTo }, agentId);
  world.children.add(child);
  await beginOrTakeBack(world, child, { parent, settings, at: forkEnd(place) });
  startChild(world, child, { signal: options.signal });
  return spawnedOf(child);
}

/** Begins it; whatever fails, nothing is left of it. */
async function beginOrTakeBack(world: SubagentWorld, child: Child, beginning: ChildBeginning): Promise<void> {
  const { parent } = beginning;
  const { childKey, label, at, parentKey, task } = child.record;
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const prepared = await world.rules.prepare?.({ parentKey, childKey, agentId: child.agentId, task });
    if (prepared !== undefined) undo.push(() => prepared.rollback());
    // Before there is a child: whoever finds one after a crash finds it in the slot of its parent, too.
    undo.push(() => removeRunning(parent, childKey));
    await addRunning(parent, { key: childKey, label, since: at });
    undo.push(() => takeBackChild(world, childKey));
    await beginChild(world, child, beginning);
    child.begun.resolve();
  } catch (error) {
    for (const step of undo.toReversed())
      await step().catch(warnOf(world, child, 'What there was of it is still there'));
    world.children.remove(child);
    child.begun.reject(error);
    child.ended.reject(error);
    child.delivered.resolve('waiting');
    throw error;
  }
}

function keyOf({ view }: Session): string {
  if (view.key !== null) return view.key;
  throw new VarveError('VARVE_OPTION_INVALID', 'A session without a key can have no sub-agents.', {
    fix: 'Open it through sessions.use, with a key.',
    details: { path: 'key' },
  });
}

interface ForSettings {
  readonly place: SpawnPlace;
  readonly agentId: string;
  readonly name: ChildName;
  readonly model: string | undefined;
}

/** What it begins with: what may leave and be remembered is never more than the parent's. @throws VARVE_SPAWN_REFUSED */
function checkedSettings(
  { models, rules }: SubagentWorld,
  { place, agentId, name, model: asked }: ForSettings,
): Readonly<Record<string, JsonValue>> {
  const { view } = place.parent;
  const { settings, agentId: own } = view;
  const { model: chosenThere, thinking: thinkingThere } = settings;
  if (agentId !== own && !rules.allowAgents.some((allowed) => allowed === '*' || allowed === agentId)) {
    throw spawnRefused('agent', `Agent "${own}" may not give tasks to agent "${agentId}".`, 'Leave agentId out.');
  }
  if (models === null) {
    throw spawnRefused('model', 'Nobody answers in these conversations.', 'Give createSessions its models.');
  }
  const kept = [...securitySettings, 'thinking'].flatMap((setting) => {
    const value = settings[setting];
    return value === undefined ? [] : [[setting, value] as const];
  });
  // What its parent has of its channel it would not have by itself, in no channel.
  const inParent = agentId === own ? choiceOf(view, models) : null;
  const alone = defaultChoiceOf({ agentId, key: name.childKey, channel: null, settings }, models);
  const chosen = textOfSetting(asked ?? rules.model ?? chosenThere);
  const model = chosen === null ? (inParent ?? alone).model : fullNameOf(chosen, models);
  const thinking = textOfSetting(thinkingThere) ?? inParent?.thinking ?? alone.thinking;
  if (models.port({ ...alone, model, thinking }) === null) {
    throw spawnRefused('model', `There is no model "${model}".`, 'Leave the model out, or name one that there is.');
  }
  return {
    ...Object.fromEntries(kept),
    ...(chosen === null && model === alone.model ? {} : { model }),
    ...(thinking === alone.thinking ? {} : { thinking }),
  };
}

/** How deep a sub-agent of a conversation is. @throws VARVE_SPAWN_REFUSED */
function checkedDepth({ rules }: SubagentWorld, parent: Session): number {
  const depth = depthOf(parent) + 1;
  if (depth <= rules.maxDepth) return depth;
  const [message, fix] =
    rules.maxDepth === 0
      ? ['There are no sub-agents here.', 'Do the task yourself.']
      : ['A sub-agent of this depth can begin no others.', 'Do the task yourself.'];
  throw spawnRefused('depth', message, fix);
}

/** How deep a conversation is: 0 for one that is no sub-agent. */
export function depthOf(session: Session): number {
  const { key } = session.view;
  if (key === null || parseKey(key).kind !== 'subagent') return 0;
  return readChild(session).spawned?.depth ?? 1;
}

/** @throws VARVE_SPAWN_REFUSED */
function checkCount({ children, rules }: SubagentWorld, parent: Session): void {
  const here = children.of(keyOf(parent)).filter(({ hasEnded }) => !hasEnded).length;
  // Those of before a restart that nobody goes on with yet.
  const others = runningChildren(parent).filter(({ key }) => children.get(key) === null).length;
  if (here + others >= rules.maxChildren) {
    const message = `${here + others} sub-agents are at work for this conversation, and no more may be.`;
    throw spawnRefused('children', message, 'Wait for the result of one of them, or do the task yourself.');
  }
  if (children.running() >= rules.maxRunning) {
    throw spawnRefused(
      'running',
      `${rules.maxRunning} sub-agents are at work, and no more may be.`,
      'Try again later.',
    );
  }
}

/** Where a fork ends that the parent's model asked for: before the answer that asks, which nothing has answered yet. */
function forkEnd({ parent, toolCallId }: SpawnPlace): Ulid | undefined {
  if (toolCallId === undefined) return undefined;
  const asking = parent.view.messages().findLast(({ message }) => {
    return toolCallsOfMessage(message).some((call) => call.toolCallId === toolCallId);
  });
  return asking?.parentId ?? undefined;
}
