import type { Group } from '../draft/draft.ts';
import { isHalfAnswer } from '../draft/half-answer.ts';
import { beginsTurn } from '../draft/user-words.ts';
import type { Seq, Tokens } from '../units.ts';
import type { MaskedGroups } from './plan-edits.ts';

/** A cut may move this far into the kept tail, as a share of it, to begin at a user message. */
const userMessageReach = 0.25;

/** What a cut is chosen by. */
export interface CutWishes {
  /** Tokens that the kept tail may have; `reaches` is the index of the oldest group in it. */
  tailTokens(reaches: number): Tokens;
  /** Number of held groups in front. They are in no range any more: leaving them out alone would cover nothing. */
  readonly held: number;
}

/** Index of the first group that stays; `null` when no legal cut leaves anything out. */
export function chooseCut(masked: MaskedGroups, { tailTokens, held }: CutWishes): number | null {
  const { groups } = masked;
  const legal = legalCuts(groups).filter((index) => index > held);
  const newest = firstThatMustStay(groups);
  let tokens = 0;
  let first = groups.length;
  while (first > 0 && tokens + masked.tokensOf(first - 1) <= tailTokens(first - 1)) {
    first -= 1;
    tokens += masked.tokensOf(first);
  }
  first = Math.min(Math.max(first, 1), newest);
  const cut = legal.find((index) => index >= first && index <= newest) ?? legal.findLast((index) => index <= newest);
  if (cut === undefined) return null;
  return turnNear(masked, { cut, newest, legal: new Set(legal), reach: tokens * userMessageReach });
}

/** Cuts that no group straddles, in order. A cut at 0 leaves nothing out and is none. */
function legalCuts(groups: readonly Group[]): readonly number[] {
  const newestUpTo: Seq[] = [];
  let newest = 0;
  for (const group of groups) {
    for (const { seq } of group.items) newest = Math.max(newest, seq ?? 0);
    newestUpTo.push(newest);
  }
  const legal: number[] = [];
  let oldestFrom = Infinity;
  for (let index = groups.length - 1; index >= 1; index -= 1) {
    oldestFrom = Math.min(oldestFrom, oldestSeqOf(groups[index]));
    if ((newestUpTo[index - 1] ?? 0) < oldestFrom) legal.push(index);
  }
  return legal.reverse();
}

/** The lowest seq of a group; `Infinity` where no item has one. */
export function oldestSeqOf(group: Group | undefined): Seq {
  return (group?.items ?? []).reduce((oldest, { seq }) => Math.min(oldest, seq ?? Infinity), Infinity);
}

/**
 * What the model has not read yet always stays: unread results with what follows, else the newest group and, of the
 * messages that nobody has answered, those that are live.
 */
function firstThatMustStay(groups: readonly Group[]): number {
  const unread = groups.findIndex((group) => group.unread);
  if (unread !== -1) return unread;
  let index = groups.length - 1;
  while (index > 0 && isUnanswered(groups[index]) && isUnanswered(groups[index - 1])) index -= 1;
  return index;
}

function isUnanswered(group: Group | undefined): boolean {
  const message = group?.live === true ? group.items[0]?.message : undefined;
  return message !== undefined && (message.role === 'user' || isHalfAnswer(message));
}

/** The cut, or one a little later at which a turn of the user begins. */
function turnNear(
  masked: MaskedGroups,
  options: {
    readonly cut: number;
    readonly newest: number;
    readonly legal: ReadonlySet<number>;
    readonly reach: Tokens;
  },
): number {
  let given = 0;
  for (let index = options.cut; index <= options.newest; index += 1) {
    if (given > options.reach) break;
    if (beginsTurn(masked.groups[index]) && options.legal.has(index)) return index;
    given += masked.tokensOf(index);
  }
  return options.cut;
}
