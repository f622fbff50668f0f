import {
  extractIdentifiers,
  type Message,
  type MessageEntry,
  type Prompt,
  type Tokens,
  textsOfMessage,
} from '@varve/core';
import type { ReplayObserver } from '../replay/replay.ts';

/** How much of what was needed, and of what the user had said, the prompts of a replay still showed. Shares of 1. */
export interface Retention {
  /** Requests whose answer uses an identifier that was last seen long before. */
  readonly steps: number;
  /** Identifiers needed at those, on average the share that the prompt held; `null` without any step. */
  readonly identifiers: number | null;
  /** The same for those that have been seen in a line of text, with such a line in the prompt. */
  readonly lines: number | null;
  /** Share of the sentences of each earlier message of the user, on average over some of the requests; `null` for none. */
  readonly userWords: number | null;
}

/** Watches a replay and measures what its prompts kept. */
export interface RetentionMeter extends ReplayObserver {
  retention(): Retention;
}

/** What was last seen within so many tokens is near: every strategy has it. */
const farTokens: Tokens = 4_000;
/** Lines of an identifier that are remembered, the newest. */
const mostLines = 6;
/** Longer lines are data; shorter ones say no more than the identifier. */
const lineCharacters = { most: 500, beyondIdentifier: 8 } as const;
/** Shorter sentences ("Go on.") stand in any prompt. */
const leastSentenceCharacters = 15;
/** Looking for all that the user said is slow in long sessions; one request of so many is looked at. */
const requestsPerSample = 8;

interface Seen {
  at: Tokens;
  lines: readonly string[];
}

/** Measures verbatim presence: what a summary says in other words does not count, and what is present may go unused. */
export function createRetentionMeter(): RetentionMeter {
  const needs = createMean();
  const lines = createMean();
  const words = createMean();
  let steps = 0;
  let conversation = createConversationMemory();
  return {
    begin: () => {
      conversation = createConversationMemory();
    },
    message: (entry) => conversation.add(entry),
    request: ({ prompt, answer }) => {
      const needed = conversation.neededBy(answer);
      const sentences = conversation.sentencesToCheck();
      if (needed.length === 0 && sentences.length === 0) return;
      const text = textOfPrompt(prompt);
      if (needed.length > 0) {
        steps += 1;
        needs.add(shareOf(needed, ({ identifier }) => text.includes(identifier)));
        const known = needed.filter((need) => need.lines.length > 0);
        if (known.length > 0) lines.add(shareOf(known, (need) => need.lines.some((line) => text.includes(line))));
      }
      if (sentences.length > 0) words.add(meanShare(sentences, (sentence) => text.includes(sentence)));
    },
    retention: () => ({ steps, identifiers: needs.mean(), lines: lines.mean(), userWords: words.mean() }),
  };
}

interface Need {
  readonly identifier: string;
  readonly lines: readonly string[];
}

interface ConversationMemory {
  add(entry: MessageEntry): void;
  /** Identifiers in an answer that were last seen far back. */
  neededBy(answer: Message): readonly Need[];
  /** The sentences of each of the user's messages, for the requests that are sampled; else none. */
  sentencesToCheck(): readonly (readonly string[])[];
}

function createConversationMemory(): ConversationMemory {
  const seen = new Map<string, Seen>();
  const sentences: (readonly string[])[] = [];
  let tokens = 0;
  let requests = 0;
  return {
    add: ({ message, provenance, tokens: { n } }) => {
      tokens += n;
      for (const line of linesOf(message)) {
        for (const identifier of extractIdentifiers(line).keys()) {
          const lines = telling(line, identifier) ? [line] : [];
          const before = seen.get(identifier)?.lines ?? [];
          seen.set(identifier, { at: tokens, lines: [...lines, ...before].slice(0, mostLines) });
        }
      }
      if (message.role !== 'user' || provenance.kind !== 'user') return;
      const said = sentencesOf(message);
      if (said.length > 0) sentences.push(said);
    },
    neededBy: (answer) => {
      const identifiers = new Set(linesOf(answer).flatMap((line) => [...extractIdentifiers(line).keys()]));
      return [...identifiers].flatMap((identifier) => {
        const known = seen.get(identifier);
        return known === undefined || tokens - known.at < farTokens ? [] : [{ identifier, lines: known.lines }];
      });
    },
    sentencesToCheck: () => {
      requests += 1;
      return requests % requestsPerSample === 0 ? sentences : [];
    },
  };
}

function telling(line: string, identifier: string): boolean {
  const least = identifier.length + lineCharacters.beyondIdentifier;
  return line.length > least && line.length <= lineCharacters.most;
}

function linesOf(message: Message): readonly string[] {
  return textsOfMessage(message).flatMap((text) => text.split('\n').map((line) => line.trim()));
}

function sentencesOf(message: Message): readonly string[] {
  return linesOf(message)
    .flatMap((line) => line.split(/(?<=[.!?。！？])\s*/u))
    .filter((sentence) => sentence.length >= leastSentenceCharacters);
}

function textOfPrompt({ system, messages }: Prompt): string {
  return [...system.map(({ text }) => text), ...messages.flatMap((message) => textsOfMessage(message))].join('\n');
}

function shareOf<Value>(values: readonly Value[], holds: (value: Value) => boolean): number {
  return values.filter(holds).length / values.length;
}

/** The share in each group, on average: a long message counts no more than a short one. */
function meanShare(groups: readonly (readonly string[])[], holds: (value: string) => boolean): number {
  return groups.reduce((sum, group) => sum + shareOf(group, holds), 0) / groups.length;
}

function createMean(): { add(value: number): void; mean(): number | null } {
  let [sum, count] = [0, 0];
  return {
    add: (value) => {
      sum += value;
      count += 1;
    },
    mean: () => (count === 0 ? null : sum / count),
  };
}
