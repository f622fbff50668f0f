import type { DeliveryDecision, Inbound, Session, SessionRecord, ToolSet } from '@varve/core';
import { deliver, type HostDelivery } from './egress/deliver.ts';
import type { GenerationNames } from './generation/begin-generation.ts';
import { createGenerations } from './generation/generations.ts';
import { createListing, type SessionListing } from './listing/create-listing.ts';
import { createLifecycle, type Lifecycle } from './live/lifecycle.ts';
import { createLiveSessions, type LiveState } from './live/live-sessions.ts';
import type { Received, ReceiveOptions } from './receive/received.ts';
import { createTalking } from './receive/talking.ts';
import { createRouting } from './route/create-routing.ts';
import { type Route, resolveRoute } from './route/resolve-route.ts';
import { checkSessionsOptions, type SessionsOptions } from './sessions-options.ts';
import { createCarryOver } from './settings/carry-over.ts';
import type { ChildFacts } from './subagent/list-children.ts';
import type { Recovery } from './subagent/recover-children.ts';
import type { ChildEnd, Spawned, SpawnOptions } from './subagent/spawn-options.ts';
import { createSubagents } from './subagent/subagents.ts';

/** Many conversations over one host, each under its key. */
export interface Sessions extends Lifecycle, SessionListing, AsyncDisposable {
  /** Where a message belongs, and why. Pure. @throws VARVE_KEY_INVALID */
  route(inbound: Inbound): Route;
  /**
   * Works with the current generation of a conversation, which is woken, or begun, where it has to be. It does not go to
   * sleep and is not reset meanwhile. Not to be nested for one key, which could wait for itself: see `join`.
   *
   * @throws VARVE_SESSION_CLOSED, VARVE_OPTION_INVALID, VARVE_STORE_LOCKED  and what `work` throws.
   */
  use<Result>(keyText: string, work: (session: Session) => Promise<Result>, names?: GenerationNames): Promise<Result>;
  /**
   * The same for what is called within a `use` of the key, such as a tool of its turn: it does not wait for a reset that
   * waits for that turn's end.
   */
  join<Result>(keyText: string, work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * Takes a message as it arrives from a channel: finds its conversation, ends that where it is due, carries out what is a
   * command, stores what is a message, lets it be answered, and lets the answer leave. Resolves when all of that is done;
   * the message is durable long before. Messages of a conversation are taken in the order of the calls, also while a model
   * answers: the running turn sees them in its next step, or the next turn answers them. Not to be awaited by a tool of the
   * same conversation, whose turn it would wait for.
   *
   * A message is known by channel, account, chat and `messageId`: one that is delivered again is neither stored nor
   * answered again, also right after a reset or a restart; but one that has no answer yet gets it now.
   *
   * @throws VARVE_OPTION_INVALID, VARVE_KEY_INVALID  for what is no message; VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED,
   *   VARVE_ABORTED, VARVE_SESSION_CLOSED, and what the store throws: nothing is stored then. What fails later is told in
   *   the result.
   */
  receive(inbound: Inbound, options?: ReceiveOptions): Promise<Received>;
  /**
   * Lets a conversation say something that no message has asked for, if the policies allow it: a sign of life, a reaction,
   * a message to another conversation, which is stored there as said by another session.
   *
   * @throws VARVE_KEY_INVALID, VARVE_OPTION_INVALID, VARVE_DELIVERY_FAILED, VARVE_INGEST_REFUSED
   */
  deliver(keyText: string, what: HostDelivery): Promise<DeliveryDecision>;
  /**
   * Begins a sub-agent: another conversation that works on a task beside this one, and tells its result here, once.
   *
   * @throws VARVE_SPAWN_REFUSED, VARVE_FORK_TOO_LARGE, VARVE_OPTION_INVALID, VARVE_ABORTED, VARVE_INGEST_REFUSED; and what
   *   the store throws. Nothing of it is left then.
   */
  spawn(parentKey: string, options: SpawnOptions): Promise<Spawned>;
  /** The sub-agents of a conversation, also those that have ended, the last updated first. */
  children(parentKey: string): Promise<readonly ChildFacts[]>;
  /**
   * Ends a sub-agent, and those that work for it. Resolves to its end, which it may have come to before; `null` when there
   * is none of that key.
   *
   * @throws VARVE_STORE_LOCKED  when another process has it.
   */
  stopChild(childKey: string): Promise<ChildEnd | null>;
  /**
   * To be called after a start: brings ends of sub-agents to conversations that do not have them yet, and goes on with
   * those that had not ended. Calling it again does no harm.
   */
  recover(): Promise<Recovery>;
  /** The record of the generation that goes on; `null` where there is none. */
  current(keyText: string): Promise<SessionRecord | null>;
  /** The records of all generations of a key, the one that was current last first. */
  generations(keyText: string): Promise<readonly SessionRecord[]>;
  /** The conversations that are awake. All others are asleep, or archived. */
  states(): readonly LiveState[];
  /** Puts a conversation to sleep now; `false` where it is not awake, or something goes on in it. */
  hibernate(keyText: string): Promise<boolean>;
  /** Aborts what runs and closes all sessions that are awake. The host stays open. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes the conversations of a host.
 *
 * @throws VARVE_OPTION_INVALID, VARVE_ROUTING_INVALID
 */
export function createSessions(options: SessionsOptions): Sessions {
  const checked = checkSessionsOptions(options);
  const { host, clock, randomId = () => crypto.randomUUID() } = checked;
  const routing = createRouting(checked.routing);
  const generations = createGenerations(host);
  const carryOver = createCarryOver(checked.carryOver);
  const base = { host, clock, randomId, generations, carryOver, routing, models: checked.models };
  const live = createLiveSessions({ ...base, live: checked.live });
  const lifecycle = createLifecycle({ ...base, live });
  const listing = createListing({ ...base, live, changes: lifecycle });
  const { tools, send, maxConcurrentTurns } = checked;
  const ownTools = (session: Session): ToolSet => subagents.tools(session);
  const talking = createTalking({ ...base, live, lifecycle, tools, send, maxConcurrentTurns, ownTools });
  const { models = null } = checked;
  const subagents = createSubagents({ ...base, ...talking, live, models, options: checked.subagents });
  const close = async (): Promise<void> => {
    talking.close();
    await subagents.close();
    await live.close();
  };
  return {
    route: (inbound) => resolveRoute(inbound, routing),
    use: live.use,
    join: live.join,
    current: generations.current,
    generations: generations.all,
    states: live.states,
    hibernate: live.hibernate,
    ...lifecycle,
    ...listing,
    archive: async (keyText, given = {}) => {
      await subagents.clearForArchive(keyText, given);
      return lifecycle.archive(keyText, given);
    },
    spawn: subagents.spawn,
    children: subagents.list,
    stopChild: subagents.stop,
    recover: subagents.recover,
    receive: talking.receive,
    deliver: (keyText, what) => deliver({ live, egress: talking.egress }, keyText, what),
    abort: (keyText, reason = 'It was aborted.') => {
      const wasWaiting = talking.abort(keyText, reason);
      const hadChildren = subagents.stopAllOf(keyText) > 0;
      return lifecycle.abort(keyText, reason) || wasWaiting || hadChildren;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
