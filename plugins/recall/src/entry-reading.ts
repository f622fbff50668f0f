import { type MessageEntry, type Milliseconds, type Seq, type Tokens, toolCallsOfMessage } from '@varve/core';
import { eachPassage, type Passage } from './passages-of-entry.ts';
import { type SharedTime, turnOfOthers } from './turn-of-others.ts';

/** What a message says, cut into passages. */
export interface ReadEntry {
  readonly seq: Seq;
  readonly id: string;
  readonly at: Milliseconds;
  /** Whether a tool says it, and whether it calls some. */
  readonly isOfTool: boolean;
  readonly hasToolCalls: boolean;
  readonly passages: readonly Passage[];
  /** The room that its passages take, in UTF-16 code units. */
  readonly size: number;
}

/** A passage takes this much room at least, for what is kept of it beside its words. */
const leastCharacters = 200;

/** Reads a message; others have their turn meanwhile when it is long. */
export async function readEntry(
  entry: MessageEntry,
  options: {
    readonly skips: ReadonlySet<string>;
    readonly time: SharedTime;
    countTokens(text: string): Tokens;
  },
): Promise<ReadEntry> {
  const { skips, time } = options;
  const passages: Passage[] = [];
  let size = 0;
  for (const passage of eachPassage(entry, { count: (text) => options.countTokens(text), skips })) {
    passages.push(passage);
    const characters = passage.lines.reduce((sum, line) => sum + line.length + 1, 0);
    size += Math.max(leastCharacters, characters);
    if (time.isUp(characters)) await turnOfOthers();
  }
  const { seq, id, at, message } = entry;
  const hasToolCalls = toolCallsOfMessage(message).length > 0;
  return { seq, id, at, isOfTool: message.role === 'tool', hasToolCalls, passages, size };
}
