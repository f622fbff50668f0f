import { type Session, VarveError } from '@varve/core';
import { emitEvent, messageOfError } from '@varve/core/host';
import { childRecords, completionIdOf, type EndedRecord, readChild } from '../child-journal/child-records.ts';
import { eventBaseOf } from '../generation/session-events.ts';
import type { Child } from './child.ts';
import { warnOf } from './child-events.ts';
import { lastResultText, shortenMiddle, taskText } from './child-texts.ts';
import { inGeneration } from './in-generation.ts';
import type { SubagentWorld } from './subagent-parts.ts';
import { tryUntilDone } from './try-until-done.ts';

/** How a sub-agent's work went. */
export type Outcome = Pick<EndedRecord, 'status' | 'text'>;

/** Stores the task as the first message of a sub-agent. Twice is once. */
export async function giveTask(session: Session, { record }: Pick<Child, 'record'>): Promise<void> {
  const { childKey, parentKey } = record;
  // In this conversation the parent has the user's place: what it says is kept as the user's words are.
  const provenance = { kind: 'user', sessionKey: parentKey } as const;
  await session.ingest({ role: 'user', content: taskText(record) }, { key: `task:${childKey}`, provenance });
}

/**
 * Lets a sub-agent work until it has an answer and none of its own sub-agents is at work any more, and makes its end
 * durable.
 *
 * @param given  How it went, for one that does not work any more. @default it works
 * @throws VARVE_ABORTED, VARVE_SESSION_CLOSED  when the sessions are closed first: it has no end then.
 */
export async function runChild(world: SubagentWorld, child: Child, given?: Outcome): Promise<EndedRecord> {
  const { record, controller } = child;
  const forget = endInTime(world, child);
  try {
    return await writeEnd(world, child, given ?? (await outcomeOf(world, child)));
  } finally {
    forget();
    controller.abort(new Error(`Sub-agent "${record.childKey}" has ended.`));
  }
}

/** Ends it when its time is over. */
function endInTime({ clock }: SubagentWorld, child: Child): () => void {
  const { at, timeoutMs } = child.record;
  const left = at + timeoutMs - clock.now();
  // A clock that jumps gives nobody more time than there is, nor less than none.
  return clock.after(Math.max(0, Math.min(left, timeoutMs)), () => {
    child.endedBy ??= 'timeout';
    child.controller.abort(new Error('It took too long.'));
  });
}

async function outcomeOf(world: SubagentWorld, child: Child): Promise<Outcome> {
  const { closing } = world;
  const said = { text: '' };
  try {
    const outcome = await inGeneration(world, placeOf(child), (session) => work(session, { world, child, said }));
    if (outcome !== null) return outcome;
  } catch (error) {
    if (closing.aborted || VarveError.is(error, 'VARVE_SESSION_CLOSED')) throw error;
    if (child.endedBy === null) return { status: 'failed', text: failureText(error, said.text) };
  }
  // Aborted: by us, by the end of everything, or by somebody who aborted the conversation.
  if (closing.aborted) throw closedError();
  const status = child.endedBy ?? 'stopped';
  return { status, text: said.text || 'It had not answered by then.' };
}

interface Work {
  readonly world: SubagentWorld;
  readonly child: Child;
  /** What it said last. */
  readonly said: { text: string };
}

/** Answers until nothing is left to answer. `null` when it was aborted. */
async function work(session: Session, { world, child, said }: Work): Promise<Outcome | null> {
  const { controller, record } = child;
  const { signal } = controller;
  await giveTask(session, child);
  for (;;) {
    if (signal.aborted) return null;
    const { turn } = await world.turns.take(session, { kind: 'internal', signal });
    if (turn.text !== '') said.text = turn.text;
    if (turn.status === 'aborted') return null;
    if (turn.status === 'step-limit') {
      return { status: 'failed', text: withWords('It came to no end in the steps that a turn may have.', said.text) };
    }
    if (world.children.of(record.childKey).some(isUnderWay)) {
      await world.children.nextDelivery(record.childKey, signal);
      continue;
    }
    if (turn.pending.length > 0 && turn.message !== null) continue;
    return { status: 'done', text: said.text || lastResultText(session) || 'It ended without words.' };
  }
}

/** Whether something of a sub-agent's own sub-agent is still to come. */
function isUnderWay({ isDelivered }: Child): boolean {
  return !isDelivered;
}

/** Makes the end durable, whatever it takes. The first one stays. */
async function writeEnd(world: SubagentWorld, child: Child, outcome: Outcome): Promise<EndedRecord> {
  const { childKey } = child.record;
  const { rules, closing, clock, host } = world;
  const text = shortenMiddle(outcome.text, rules.maxResultChars);
  const ended: EndedRecord = { childKey, completionId: completionIdOf(childKey), status: outcome.status, text };
  return tryUntilDone(
    () =>
      inGeneration(world, placeOf(child), async (session) => {
        const known = readChild(session).ended;
        if (known !== null) return known;
        await session.record(childRecords.ended, { ...ended });
        const { completionId, status } = ended;
        emitEvent(host, 'subagent-ended', { ...eventBaseOf(session.info()), completionId, status });
        return ended;
      }),
    { clock, signal: closing, onFailure: warnOf(world, child, 'Its end could not be stored') },
  );
}

/** Where a sub-agent's journal is. */
export function placeOf({ record, sessionId }: Child): { readonly keyText: string; readonly sessionId: string } {
  return { keyText: record.childKey, sessionId: sessionId ?? '' };
}

function failureText(error: unknown, said: string): string {
  const code = VarveError.is(error) ? `${error.code}: ` : '';
  return withWords(`It failed with an error. ${code}${messageOfError(error)}`, said);
}

function withWords(why: string, said: string): string {
  return said === '' ? why : `${why}\nIts last words were:\n${said}`;
}

function closedError(): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The sessions were closed before the sub-agent had ended.', {
    fix: 'Call recover() after the next start: it goes on with it.',
  });
}
