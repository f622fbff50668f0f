import type { MessageEntry, UserLogLine } from '../journal/entry.ts';
import { partsOfMessage } from '../message.ts';
import type { Tokens } from '../units.ts';
import { statementKindOf } from './statements.ts';

/** What the user wrote in an entry, whole; images and files are named. Empty when there is nothing. */
export function userText({ message }: MessageEntry): string {
  const texts = partsOfMessage(message).map((part) => {
    if (part.type === 'text') return part.text.trim();
    return part.type === 'file' && part.filename !== undefined ? `[file ${part.filename}]` : `[${part.type}]`;
  });
  return texts.filter((text) => text !== '').join('\n');
}

/** Rules and corrections may take this much of the room before anything else does. */
const ruleShare = 0.6;

/**
 * The lines to keep when not all fit: the newest, then rules and corrections from new to old in up to 60 % of the
 * room, then the rest from new to old. A line that does not fit is passed over, smaller ones are still tried.
 *
 * @param lines  Oldest first.
 * @param options.costOf  Tokens of a line, at least 1.
 * @returns The chosen lines, oldest first; together they cost at most `maxTokens`.
 */
export function chooseLines(
  lines: readonly UserLogLine[],
  { maxTokens, costOf }: { readonly maxTokens: Tokens; readonly costOf: (line: UserLogLine) => Tokens },
): readonly UserLogLine[] {
  const newestFirst = lines.toReversed();
  const rest = newestFirst.slice(1);
  const chosen = new Set<UserLogLine>();
  let spent = 0;
  const take = (candidates: readonly UserLogLine[], limit: Tokens) => {
    for (const line of candidates) {
      if (spent >= limit) return;
      if (chosen.has(line)) continue;
      const cost = costOf(line);
      if (spent + cost > limit) continue;
      chosen.add(line);
      spent += cost;
    }
  };
  take(newestFirst.slice(0, 1), maxTokens);
  take(rest.filter(isRule), maxTokens * ruleShare);
  take(rest, maxTokens);
  return lines.filter((line) => chosen.has(line));
}

function isRule({ text }: UserLogLine): boolean {
  const kind = statementKindOf(text, 'user');
  return kind === 'correction' || kind === 'constraint';
}
