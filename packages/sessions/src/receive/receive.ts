import { type Clock, type Host, type Inbound, type Session, type ToolSet, VarveError } from '@varve/core';
import type { Egress } from '../egress/create-egress.ts';
import { leavingFor } from '../egress/leaving-for.ts';
import type { GenerationNames } from '../generation/begin-generation.ts';
import type { Generations } from '../generation/generations.ts';
import type { Lifecycle } from '../live/lifecycle.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import { type Route, resolveRoute, routeToKey } from '../route/resolve-route.ts';
import type { Routing } from '../route/routing.ts';
import type { AnsweringModels } from '../settings/session-models.ts';
import { type Answer, type AnswerJob, answerMessage } from './answer-message.ts';
import { createBackgroundNotices } from './background-notices.ts';
import { answerCommand } from './carry-out-or-store.ts';
import { checkInbound, checkReceiveOptions } from './check-inbound.ts';
import { type ConversationQueue, createConversationQueues, type LatestAnswer } from './conversation-queue.ts';
import { createEarlierGenerations } from './earlier-generations.ts';
import { rememberHandled } from './handled-commands.ts';
import type { Incoming, TakeParts } from './incoming.ts';
import type { MessageIntake } from './message-intake.ts';
import { messageKeyOf } from './message-key.ts';
import { modelOfSession } from './model-of-session.ts';
import { plainReceived, type Received, type ReceiveOptions } from './received.ts';
import { takeMessage } from './take-message.ts';
import type { TurnTaker } from './take-turn.ts';
import type { Taken } from './taken.ts';

/** What messages are received with. */
export interface ReceiveParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly generations: Generations;
  readonly routing: Routing;
  readonly live: LiveSessions;
  readonly lifecycle: Pick<Lifecycle, 'reset'>;
  readonly egress: Egress;
  readonly turns: TurnTaker;
  /** `null` where nobody answers. */
  readonly models: AnsweringModels | null;
  /** The tools of a session beside those of plugins. */
  toolsFor(session: Session): ToolSet;
}

/** Where messages come in, and what a host does about those that are on their way. */
export interface Receiving extends MessageIntake {
  /** Aborts what is answered in a conversation, and what waits for that; `false` where there is nothing. */
  abort(keyText: string, reason: string): boolean;
  /** Lets a conversation say something by itself, in its turn among its answers. */
  sayUnasked(keyText: string, work: (latest: LatestAnswer) => Promise<void>): Promise<void>;
  /** Listens to the host no longer. */
  close(): void;
}

/** Makes it. */
export function createReceiving(parts: ReceiveParts): Receiving {
  const { host, routing, models } = parts;
  const queues = createConversationQueues();
  const background = createBackgroundNotices(host);
  const world: World = {
    ...parts,
    background,
    earlier: createEarlierGenerations(parts),
    modelOf: (session) => modelOfSession(session, models),
  };
  return {
    receive: async (given, options = {}) => {
      const inbound = checkInbound(given);
      checkReceiveOptions(options);
      const { conversation } = options;
      const route = conversation === undefined ? resolveRoute(inbound, routing) : routeToKey(conversation, routing);
      return queues.with(route.keyText, (queue) => receiveIn(queue, world, { inbound, route, options }));
    },
    abort: queues.abort,
    sayUnasked: (keyText, work) => queues.with(keyText, (queue) => queue.answer(() => work(queue.latest))),
    close: background.close,
  };
}

interface World extends ReceiveParts, TakeParts {
  readonly background: ReturnType<typeof createBackgroundNotices>;
}

interface Arrival {
  readonly inbound: Inbound;
  readonly route: Route;
  readonly key: string;
  readonly options: ReceiveOptions;
}

async function receiveIn(queue: ConversationQueue, world: World, given: Omit<Arrival, 'key'>): Promise<Received> {
  const { inbound, route, options } = given;
  // What follows is begun before the next message is taken, so that it knows that something goes on.
  const { taken, following } = await queue.take(async () => {
    const arrival: Arrival = { ...given, key: await messageKeyOf(inbound) };
    const { isBusy, abort } = queue;
    const isUnderWay = (): boolean => queue.isBeside(arrival.key);
    const incoming = { ...arrival, names: namesOf(arrival), signal: options.signal, isBusy, isUnderWay, abort };
    const took = await takeMessage(world, incoming);
    if (took.kind === 'message') tellStored(options, took);
    return { taken: took, following: { done: follow(took, { queue, world, arrival, incoming }) } };
  });
  const received = plainReceived(route, taken.sessionId, 'stored');
  return { ...received, reset: taken.reset, ...(await following.done) };
}

/** Whoever listens cannot break what goes on. */
function tellStored(
  { onStored }: ReceiveOptions,
  { sessionId, seq }: Parameters<NonNullable<typeof onStored>>[0],
): void {
  try {
    onStored?.({ sessionId, seq });
  } catch {}
}

interface Following {
  readonly queue: ConversationQueue;
  readonly world: World;
  readonly arrival: Arrival;
  readonly incoming: Incoming;
}

/** What follows once a message is taken: its answer, or that of the command. */
async function follow(taken: Taken, following: Following): Promise<Partial<Received>> {
  const { queue, world, arrival } = following;
  switch (taken.kind) {
    case 'duplicate':
      return { status: 'duplicate' };
    case 'command':
      return replyTo(taken.sessionId, taken.reply, following);
    case 'slow':
      return queue.beside(arrival.key, () => carryOut(taken.sessionId, following));
    case 'begun': {
      const { greeting, reply, isKnown } = taken;
      if (greeting === null || !world.turns.answers) {
        if (isKnown) return { status: 'duplicate', command: reply };
        return { ...(await replyTo(taken.sessionId, reply, following)), status: 'reset' };
      }
      const asked = { text: greeting, key: `greeting:${arrival.key}` };
      const answer = await answered(following, { sessionId: taken.sessionId, seq: 0, isKnown, greeting: asked });
      return { ...answer, command: reply, status: statusOfReset(answer) };
    }
    case 'message': {
      const { isKnown, isBegun, sessionId, seq } = taken;
      const { answer: isWanted = true } = arrival.options;
      if (!world.turns.answers || !isWanted) return { status: isKnown ? 'duplicate' : isBegun ? 'reset' : 'stored' };
      const answer = await answered(following, { sessionId, seq, isKnown, greeting: null });
      return isBegun ? { ...answer, status: statusOfReset(answer) } : answer;
    }
  }
}

function statusOfReset({ status }: Answer): Answer['status'] {
  return status === 'answered' ? 'reset' : status;
}

async function answered(
  { queue, world, arrival }: Following,
  about: Pick<AnswerJob, 'sessionId' | 'seq' | 'isKnown' | 'greeting'>,
): Promise<Answer> {
  const { inbound, route, options } = arrival;
  const { signal, end } = queue.signalFor(options.signal);
  const job = { ...about, keyText: route.keyText, inbound, signal, onDelta: options.onDelta };
  try {
    return await queue.answer(() => answerMessage(world, job, queue.latest));
  } finally {
    end();
  }
}

/** Carries out a command that takes long, beside what comes next. */
async function carryOut(sessionId: string, following: Following): Promise<Partial<Received>> {
  const { queue, world, arrival, incoming } = following;
  const { signal, end } = queue.signalFor(arrival.options.signal);
  try {
    const reply = await world.live.use(arrival.route.keyText, async (session) => {
      const said = await answerCommand(session, { parts: world, incoming: { ...incoming, signal } });
      await rememberHandled(session, arrival.key);
      return said;
    });
    return reply === null ? { status: 'command' } : await replyTo(sessionId, reply, following);
  } catch (error) {
    if (signal.aborted && VarveError.is(error, 'VARVE_ABORTED')) return { status: 'aborted' };
    throw error;
  } finally {
    end();
  }
}

/** Says what came of a command, if that may leave. */
async function replyTo(
  sessionId: string,
  reply: NonNullable<Received['command']>,
  { world, arrival: { inbound, route } }: Following,
): Promise<Partial<Received>> {
  const leaving = { ...leavingFor(inbound, 'reply'), text: reply.text };
  const left = await world.live.use(route.keyText, (session) => world.egress.leave(session, leaving));
  const { decision, outgoing, failure } = left;
  return { sessionId, status: 'command', command: reply, reply: outgoing, decision, failure };
}

function namesOf({ inbound, route }: Arrival): GenerationNames {
  const { agentId, chatType, identity } = route;
  return { agentId, channel: inbound.channel, identity, ...(chatType === null ? {} : { chatType }) };
}
