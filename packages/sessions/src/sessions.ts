import type { DeliveryDecision, Inbound, ModelRef, Session, SessionRecord, ToolSet } from '@varve/core';
import { deliver, type HostDelivery } from './egress/deliver.ts';
import { createGenerations } from './generation/generations.ts';
import { createListing, type SessionListing } from './listing/create-listing.ts';
import type { ArchiveGuard } from './live/archive-guard.ts';
import { createLifecycle, type Lifecycle } from './live/lifecycle.ts';
import { createLiveSessions } from './live/live-sessions.ts';
import type { SessionWork } from './live/session-work.ts';
import type { ConversationPressure } from './receive/conversation-pressure.ts';
import type { MessageIntake } from './receive/message-intake.ts';
import { modelOfSession } from './receive/model-of-session.ts';
import { createTalking } from './receive/talking.ts';
import { createRouting } from './route/create-routing.ts';
import { type Route, resolveRoute } from './route/resolve-route.ts';
import { checkSessionsOptions, type SessionsOptions } from './sessions-options.ts';
import { createCarryOver } from './settings/carry-over.ts';
import { answeringModels } from './settings/session-models.ts';
import type { ChildFacts } from './subagent/list-children.ts';
import type { Recovery } from './subagent/recover-children.ts';
import type { ChildEnd, Spawned, SpawnOptions } from './subagent/spawn-options.ts';
import { createSubagents } from './subagent/subagents.ts';

/** Many conversations over one host, each under its key. */
export interface Sessions extends Lifecycle, SessionListing, SessionWork, MessageIntake, AsyncDisposable {
  /** Where a message belongs, and why. Pure. @throws VARVE_KEY_INVALID */
  route(inbound: Inbound): Route;
  /**
   * Lets a conversation say something that no message has asked for, if the policies allow it: a sign of life, a reaction,
   * a message to another conversation, which is stored there as said by another session.
   *
   * @throws VARVE_KEY_INVALID, VARVE_OPTION_INVALID, VARVE_SESSION_UNKNOWN, VARVE_INGEST_REFUSED; VARVE_DELIVERY_FAILED  also
   *   without `send`, and where nobody knows where to.
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
  /**
   * How large the next prompt of a conversation would be, with the tools of its turns and for the model that would answer:
   * what `/status` shows. `null` where there is none; none is begun for it.
   */
  pressure(keyText: string): Promise<ConversationPressure | null>;
  /** The model that would answer in a session, which may also be open for reading alone; `null` where nobody answers. */
  modelOf(session: Session): ModelRef | null;
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
  const { host, randomId = () => crypto.randomUUID() } = checked;
  const { clock } = host;
  const routing = createRouting(checked.routing);
  const generations = createGenerations(host);
  const carryOver = createCarryOver(checked.carryOver);
  const answering = answeringModels(checked.models, checked.defaults);
  const base = { host, clock, randomId, generations, carryOver, routing, models: answering };
  const live = createLiveSessions({ ...base, live: checked.live });
  // Both are made with each other, and neither is called before both are there.
  const guard: ArchiveGuard = {
    atWork: (parent) => subagents.guard.atWork(parent),
    stop: (keyText, children) => subagents.guard.stop(keyText, children),
  };
  const lifecycle = createLifecycle({ ...base, live, guard });
  const listing = createListing({ ...base, live, changes: lifecycle });
  const { tools, send, maxConcurrentTurns } = checked;
  const ownTools = (session: Session): ToolSet => subagents.tools(session);
  const talking = createTalking({ ...base, live, lifecycle, tools, send, maxConcurrentTurns, ownTools });
  const models = answering ?? null;
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
    pressure: talking.pressure,
    modelOf: (session) => (models === null ? null : modelOfSession(session, models)),
    states: live.states,
    hibernate: live.hibernate,
    ...lifecycle,
    ...listing,
    spawn: subagents.spawn,
    children: subagents.list,
    stopChild: subagents.stop,
    recover: subagents.recover,
    receive: talking.receive,
    deliver: (keyText, what) =>
      deliver({ ...base, live, egress: talking.egress, canSend: send !== undefined }, keyText, what),
    abort: (keyText, reason = 'It was aborted.') => {
      const wasWaiting = talking.abort(keyText, reason);
      const hadChildren = subagents.stopAllOf(keyText) > 0;
      return lifecycle.abort(keyText, reason) || wasWaiting || hadChildren;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
