import { type Inbound, type ModelDelta, type Session, VarveError } from '@varve/core';
import type { Egress } from '../egress/create-egress.ts';
import { leavingFor } from '../egress/leaving-for.ts';
import type { Leaving, Left } from '../egress/outgoing.ts';
import { addressOf, isSameAddress } from '../egress/return-address.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { AnsweringModels } from '../settings/session-models.ts';
import type { BackgroundNotices } from './background-notices.ts';
import type { LatestAnswer } from './conversation-queue.ts';
import type { Received } from './received.ts';
import type { SessionTurn, TurnTaker } from './take-turn.ts';
import { compactionNotice, toolsNotice, verboseLevelOf } from './verbose-notice.ts';

/** What answers are made with. */
export interface AnswerParts {
  readonly live: LiveSessions;
  readonly egress: Egress;
  readonly turns: TurnTaker;
  /** `null` where nobody answers. */
  readonly models: AnsweringModels | null;
  readonly background: BackgroundNotices;
}

/** A message that is stored and wants an answer; or a conversation that has begun and wants a greeting. */
export interface AnswerJob {
  readonly keyText: string;
  /** The generation that it is in. */
  readonly sessionId: string;
  /** Seq of its entry; 0 for a greeting. */
  readonly seq: number;
  readonly inbound: Inbound;
  /** It was delivered before, and may have an answer. */
  readonly isKnown: boolean;
  /** What the model is asked, so that it greets; `null` for the answer to a message. */
  readonly greeting: { readonly text: string; readonly key: string } | null;
  readonly onDelta: ((delta: ModelDelta) => void) | undefined;
  readonly signal: AbortSignal;
}

/** What came of it: a part of {@link Received}. */
export type Answer = Pick<Received, 'status' | 'reply' | 'decision' | 'turn' | 'notices' | 'failure'>;

const nothing = { reply: null, decision: null, turn: null, notices: [], failure: null } as const;

/**
 * Answers what has no answer yet in a conversation, and lets the answer leave. A message that the turn of another one has
 * answered gets that answer. What goes wrong is told in the answer.
 */
export async function answerMessage(parts: AnswerParts, job: AnswerJob, latest: LatestAnswer): Promise<Answer> {
  const aborted: Answer = { ...nothing, status: 'aborted' };
  if (job.signal.aborted) return aborted;
  try {
    return await parts.live.use(job.keyText, async (session) => {
      // Begun anew by somebody else: what was asked belongs to what was ended.
      return session.sessionId === job.sessionId ? answerIn(session, { parts, job, latest }) : aborted;
    });
  } catch (error) {
    if (VarveError.is(error)) return { ...nothing, status: 'failed', failure: error };
    throw error;
  }
}

interface Answering {
  readonly parts: AnswerParts;
  readonly job: AnswerJob;
  readonly latest: LatestAnswer;
}

async function answerIn(session: Session, { parts, job, latest }: Answering): Promise<Answer> {
  const { egress, turns, background } = parts;
  if (job.greeting !== null) {
    // A greeting is for nobody else: one that may not leave is not made.
    const decision = await egress.ask(session, leavingOf(job));
    if (!decision.allow) return { ...nothing, status: 'answered', decision };
  }
  const { turn, notices: ofModel } = await turns.take(session, turnOf(session, { parts, job, latest }));
  const level = verboseLevelOf(session.view, parts.models);
  const compactions =
    level === 'off' ? [] : [...background.take(session.sessionId), ...turn.compactions.map(compactionNotice)];
  const told = [...compactions, level === 'full' ? toolsNotice(turn) : null];
  const notices = [...ofModel, ...told.filter((text) => text !== null)];
  for (const text of notices) await egress.leave(session, { ...leavingOf(job), kind: 'reply', text });
  if (turn.status === 'aborted') return { ...nothing, status: 'aborted', turn, notices };
  if (turn.steps.length === 0) return { ...(await answeredBefore(session, { parts, job, latest })), turn, notices };
  if (turn.text.trim() === '') return { ...nothing, status: 'answered', turn, notices };
  const left = await egress.leave(session, { ...leavingOf(job), text: turn.text });
  const atSeq = session.info().counters.countedSeq;
  latest.is({ sessionId: session.sessionId, atSeq, text: turn.text, left, to: [addressOf(job.inbound)] });
  return { ...answerOf(left), turn, notices };
}

/** The turn of another message has answered this one, too; where that went to another place, it goes here as well. */
async function answeredBefore(
  session: Session,
  { parts, job, latest }: Answering,
): Promise<Pick<Answer, 'status' | 'reply' | 'decision' | 'failure'>> {
  const { reply, decision, failure } = nothing;
  if (job.isKnown) return { status: 'duplicate', reply, decision, failure };
  const known = latest.of(job);
  if (known === null) return { status: 'answered', reply, decision, failure };
  const here = addressOf(job.inbound);
  const isThere = known.to.some((address) => isSameAddress(address, here));
  // What was denied as the answer to somebody else may be allowed as the answer to this one.
  if (isThere && known.left.decision.allow) return answerOf(known.left);
  const left = await parts.egress.leave(session, { ...leavingOf(job), text: known.text });
  latest.is({ ...known, left: left.decision.allow ? left : known.left, to: [...known.to, here] });
  return answerOf(left);
}

function answerOf({ decision, outgoing, failure }: Left): Pick<Answer, 'status' | 'reply' | 'decision' | 'failure'> {
  return { status: failure === null ? 'answered' : 'failed', reply: outgoing, decision, failure };
}

function turnOf(session: Session, { parts, job }: Answering): SessionTurn {
  const { egress } = parts;
  const { greeting, inbound, signal } = job;
  const streaming: { listener: ((delta: ModelDelta) => void) | null } = { listener: null };
  const begin = async (): Promise<void> => {
    const typing = egress.leave(session, { ...leavingOf(job), kind: 'typing' });
    if (job.onDelta !== undefined) streaming.listener = await egress.stream(session, leavingOf(job), job.onDelta);
    await typing;
  };
  const onDelta = job.onDelta === undefined ? undefined : (delta: ModelDelta): void => streaming.listener?.(delta);
  const base = { signal, onDelta, onBegin: begin };
  if (greeting === null) return { ...base, query: inbound.text };
  const message = { role: 'user', content: greeting.text } as const;
  return { ...base, kind: 'internal', message, key: greeting.key, provenance: { kind: 'system-event' } };
}

function leavingOf({ inbound, greeting }: AnswerJob): Leaving {
  return leavingFor(inbound, greeting === null ? 'reply' : 'greeting');
}
