import { VarveError } from '../errors.ts';
import type { Tokens } from '../units.ts';
import type { Draft } from './draft.ts';
import { createDraft, parkGroups, stateOfDraft } from './draft-operations.ts';
import { droppableGroups } from './droppable-groups.ts';
import { isAnswer } from './half-answer.ts';
import { leadTokens, mostLeadTokens } from './lead.ts';
import { isNote } from './note-item.ts';
import { withoutNotes } from './without-notes.ts';

const rule = 'window-cut';

/**
 * Core's own `fit`, for when no plugin made the prompt fit: leaves out the oldest groups, then all notes, then
 * shortens what the model has answered in the running turn. As a last resort it shortens results that the model has not
 * read, leaves out those of earlier turns, and shortens what the user says, in this order.
 *
 * The cut moves in steps: it stays where it is while the history grows, and then jumps, so that the prefix of the
 * prompt stays the same over many requests.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when the running turn does not fit even so.
 */
export function cutToWindow(draft: Draft): Draft {
  const { hard, input } = draft.budget;
  if (sizeOf(draft) <= hard) return draft;
  let cut = dropOldest(draft, { limit: hard, unread: false });
  for (const shorten of resorts) {
    if (sizeOf(cut) <= input) return cut;
    cut = shorten(cut, input);
  }
  if (sizeOf(cut) <= input) return cut;
  const live = cut.groups().reduce((tokens, group) => tokens + group.tokens, 0);
  const rest = sizeOf(cut) - live;
  throw new VarveError(
    'VARVE_BUDGET_IMPOSSIBLE',
    `The running turn takes ${live} tokens and layers ${rest}; the budget is ${draft.budget.input}.`,
    {
      fix: 'Compact the session, raise the budget, or shorten the message.',
      details: { liveTokens: live, otherTokens: rest, budgetTokens: draft.budget.input },
    },
  );
}

/** True when {@link cutToWindow} can make the draft fit. */
export function canBeCut(draft: Draft): boolean {
  const { hard } = draft.budget;
  if (sizeOf(draft) <= hard) return true;
  let least = draft.tokens + draft.budget.reserved + mostLeadTokens(draft);
  const dropped = new Set(droppableGroups(draft, { unread: false }));
  for (const group of draft.groups()) if (dropped.has(group) || group.items.every(isNote)) least -= group.tokens;
  if (least <= hard) return true;
  try {
    cutToWindow(draft);
    return true;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return false;
    throw error;
  }
}

const resorts: readonly ((draft: Draft, limit: Tokens) => Draft)[] = [
  // A conversation that was cut may need a first message, which takes room too.
  (draft, limit) => dropOldest(draft, { limit, unread: false }),
  (draft) => withoutNotes(draft, rule),
  (draft, limit) => parkOldest(draft, { limit, rule: 'park-live' }),
  (draft, limit) => parkOldest(draft, { limit, rule: 'park-unread' }),
  (draft, limit) => dropOldest(draft, { limit, unread: true }),
  (draft, limit) => parkOldest(draft, { limit, rule: 'park-user' }),
];

/** What counts against the budget: the draft, what the host sends besides, and a first message that core must add. */
export function sizeOf(draft: Draft): Tokens {
  return draft.tokens + draft.budget.reserved + leadTokens(draft);
}

/**
 * Drops groups before the running turn, and before what the model has not read, up to a multiple of the step, in tokens
 * from the start of the history: which multiple depends only on how much there is, so consecutive requests cut at the
 * same place. The newest group stays.
 */
function dropOldest(draft: Draft, { limit, unread }: { readonly limit: Tokens; readonly unread: boolean }): Draft {
  const { budget } = draft;
  const step = Math.max(1, budget.hard - budget.target);
  const excess = sizeOf(draft) - limit;
  const wanted = Math.ceil(excess / step) * step;
  const ids: string[] = [];
  let tokens = 0;
  for (const group of droppableGroups(draft, { unread })) {
    if (tokens >= wanted) break;
    ids.push(group.id);
    tokens += group.tokens;
  }
  return ids.length === 0 ? draft : asCore(draft).drop(ids, rule);
}

/** Shortens groups, the oldest first. What stands on the user's side but is nobody's words is taken like a result. */
function parkOldest(
  draft: Draft,
  { limit, rule: why }: { readonly limit: Tokens; readonly rule: 'park-live' | 'park-unread' | 'park-user' },
): Draft {
  const state = { ...stateOfDraft(draft), actor: 'core' };
  const { items } = state;
  const unanswered = new Set(items.slice(items.findLastIndex(({ message }) => isAnswer(message)) + 1));
  const groups = draft.groups().filter(({ items: [first] }) => {
    if (first?.message.role !== 'user' || why === 'park-user') return true;
    return !first.said && (why === 'park-unread' || !unanswered.has(first));
  });
  return parkGroups(state, { groups, rule: why, unread: why !== 'park-live', excess: sizeOf(draft) - limit });
}

function asCore(draft: Draft): Draft {
  return createDraft({ ...stateOfDraft(draft), actor: 'core' });
}
