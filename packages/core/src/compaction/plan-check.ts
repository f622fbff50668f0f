import { VarveError } from '../errors.ts';
import type { MessageEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { toolCallsOfMessage } from '../message.ts';
import type { Plan } from './compaction.ts';

/**
 * Holds a plan against the journal as it is now, whoever made it: its range must begin where the visible messages
 * begin, end before the first kept one, and part no tool call from its result; its edits must be of visible entries.
 *
 * @throws VARVE_PLAN_INVALID  when something of it does not, or no longer, hold.
 */
export function checkPlan(plan: Plan, folded: Folded): void {
  const { from, to, firstKept, held } = plan.range;
  const { messages } = folded;
  const toIndex = messages.findIndex((entry) => entry.id === to.id);
  if (messages[0]?.id !== from.id || toIndex === -1) throw invalid('its range is not where the visible messages begin');
  if (firstKept !== null && messages[toIndex + 1]?.id !== firstKept.id) {
    throw invalid('its first kept entry does not follow the range');
  }
  if (messages.slice(toIndex + 1).length === 0) throw invalid('it would leave no message');
  checkGroups(messages, toIndex);
  const shown = new Set([...folded.held, ...messages].map((entry) => entry.id));
  if (held !== null && !shown.has(held.id)) throw invalid('the message that it holds is not visible');
  for (const action of plan.actions) {
    const edits = action.op === 'edit' ? action.edits : [];
    if (edits.some((edit) => !shown.has(edit.entryId))) throw invalid('it edits an entry that is not visible');
  }
}

/** A call before the cut must not have its result behind it, nor the other way round. */
function checkGroups(messages: readonly MessageEntry[], toIndex: number): void {
  const results = (entry: MessageEntry): readonly string[] =>
    entry.message.role === 'tool' ? entry.message.content.map((part) => part.toolCallId) : [];
  const calls = (entry: MessageEntry): readonly string[] =>
    toolCallsOfMessage(entry.message).map((part) => part.toolCallId);
  const covered = messages.slice(0, toIndex + 1);
  const kept = messages.slice(toIndex + 1);
  const open = new Set(covered.flatMap(calls));
  for (const id of covered.flatMap(results)) open.delete(id);
  const reopened = new Set(kept.flatMap(calls));
  if (kept.flatMap(results).some((id) => open.has(id) && !reopened.has(id))) {
    throw invalid('it would part a tool call from its result');
  }
}

function invalid(why: string): VarveError {
  return new VarveError('VARVE_PLAN_INVALID', `The compaction plan cannot be carried out: ${why}.`, {
    fix: 'Plan again from the session as it is now.',
  });
}
