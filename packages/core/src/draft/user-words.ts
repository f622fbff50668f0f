import { isUserEntry, userText } from '../digest/user-log.ts';
import type { MessageEntry } from '../journal/entry.ts';

/** True for what a person said: not for what a program put in the person's place, nor for blank text. */
export function isInWords(entry: MessageEntry): boolean {
  return isUserEntry(entry) && userText(entry) !== '';
}
