import { userText } from '../digest/user-log.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { isOfUser } from '../message.ts';
import type { Seq } from '../units.ts';
import type { Draft, Group } from './draft.ts';

/** True for what a person said: not for what a program put in the person's place, nor for blank text. */
export function isInWords(entry: MessageEntry): boolean {
  return isOfUser(entry) && userText(entry) !== '';
}

/** True when a turn of the user begins with the group. */
export function beginsTurn(group: Group | undefined): boolean {
  return group?.items[0]?.said === true;
}

/** The message whose turn goes on behind `seq`: the newest of the user's words up to there, unless newer ones follow. */
export function turnAcross({ items }: Draft, seq: Seq): Seq | null {
  const newest = items.findLast((item) => item.said)?.seq ?? null;
  return newest === null || newest > seq ? null : newest;
}
