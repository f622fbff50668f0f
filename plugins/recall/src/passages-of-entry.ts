import {
  cutText,
  type JsonValue,
  linesOf,
  type MessageEntry,
  type MessagePart,
  partsOfMessage,
  type Seq,
  type Tokens,
  textOfOutput,
} from '@varve/core';

/** A stretch of what one message says, small enough to be looked for and shown on its own. */
export interface Passage {
  readonly seq: Seq;
  /** Which one of the passages of its entry. */
  readonly ordinal: number;
  /** Role, sender, or name of the tool. */
  readonly speaker: string;
  /** A text, not a call of a tool or its result. */
  readonly isSaid: boolean;
  /** Who sent it, if that is known. @default '' */
  readonly sender: string;
  /** A name that the text begins with, as in `Ada: yes`. @default '' */
  readonly name: string;
  /** The lines, without unseen characters; never empty. */
  readonly lines: readonly string[];
  readonly tokens: Tokens;
}

/** A passage is made of as many whole lines as take about this much. */
const passageTokens: Tokens = 140;

/** Longer lines are cut at ends of sentences or words; as many characters as 140 tokens of English have. */
const longestLine = 560;

/** Passages of one entry; what a longer one says beyond them is not found. */
const mostPassages = 2_000;

/**
 * Cuts what a message says into passages, in order: texts, tool calls as their name and their arguments a line each, and
 * results of tools. Reasoning, images and files say nothing; neither does what was forgotten, nor the host's own
 * instructions. The same entry always gives the same passages.
 *
 * @param options.skips  Names of tools whose calls and results are left out.
 */
export function passagesOfEntry(entry: MessageEntry, options: PassageOptions): readonly Passage[] {
  return [...eachPassage(entry, options)];
}

/** How entries are cut into passages. */
export interface PassageOptions {
  readonly count: (text: string) => Tokens;
  readonly skips: ReadonlySet<string>;
}

/** Like {@link passagesOfEntry}, one by one: an entry may be long, and others are to have their turn meanwhile. */
export function* eachPassage(entry: MessageEntry, { count, skips }: PassageOptions): Generator<Passage> {
  if (entry.message.role === 'system' || entry.forgotten !== undefined) return;
  let ordinal = 0;
  for (const part of partsOfMessage(entry.message)) {
    const text = textOfPart(part, skips);
    if (text === '') continue;
    const speaker = speakerOf(entry, part);
    const isSaid = part.type === 'text';
    const name = isSaid ? (leadingName.exec(text)?.[1] ?? '') : '';
    const sender = isSaid ? (entry.provenance.senderId ?? '') : '';
    for (const { lines, tokens } of packLines(shortLines(text), count)) {
      if (ordinal === mostPassages) return;
      yield { seq: entry.seq, ordinal, speaker, isSaid, sender, name, lines, tokens };
      ordinal += 1;
    }
  }
}

/** One or two words with capitals before a colon, as transcripts of several people have them. */
const leadingName = /^(\p{Lu}[\p{L}'’.-]{0,30}(?: \p{Lu}[\p{L}'’.-]{0,30})?):\s/u;

function speakerOf({ message, provenance }: MessageEntry, part: MessagePart): string {
  if (part.type === 'tool-result') return oneWord(part.toolName);
  const { senderId = '', kind } = provenance;
  if (senderId !== '') return oneWord(senderId);
  return message.role === 'user' && kind !== 'user' ? kind : message.role;
}

/** Names come from outside, and stand in the frame of a line. */
function oneWord(name: string): string {
  const word = linesOf(name)
    .join(' ')
    .replace(/[\s:#]+/g, '_');
  return cutText(word, 0, 40) || 'unknown';
}

function textOfPart(part: MessagePart, skips: ReadonlySet<string>): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'tool-call' && !skips.has(part.toolName)) {
    return `[call ${oneWord(part.toolName)}] ${linesOfInput(part.input)}`;
  }
  return part.type === 'tool-result' && !skips.has(part.toolName) ? textOfOutput(part.output) : '';
}

/** Arguments as `key: value` lines: what they hold is found as it would be read. */
function linesOfInput(input: JsonValue): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return textOfValue(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${textOfValue(value as JsonValue)}`)
    .join('\n');
}

function textOfValue(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shortLines(text: string): readonly string[] {
  return linesOf(text).flatMap((line) => (line.length <= longestLine ? [line] : cutLine(line)));
}

/** Pieces of a long line: behind sentences where there are some, else behind words, else anywhere. */
function cutLine(line: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < line.length; ) {
    const rest = line.slice(from, from + longestLine);
    const isLast = from + rest.length >= line.length;
    const end = isLast
      ? rest.length
      : Math.max(lastEnd(rest, sentenceEnds), 0) || lastEnd(rest, wordEnds) || rest.length;
    const piece = cutText(line, from, from + end).trim();
    if (piece !== '') pieces.push(piece);
    from += end;
  }
  return pieces;
}

const sentenceEnds = /[.!?](?= )|[。！？…]/g;
const wordEnds = /[ ,;、，]/g;

/** Where the last match in the second half of a text ends; 0 for none. */
function lastEnd(text: string, ends: RegExp): number {
  let last = 0;
  for (const match of text.matchAll(ends)) last = match.index + match[0].length;
  return last > text.length / 2 ? last : 0;
}

interface Pack {
  readonly lines: readonly string[];
  readonly tokens: Tokens;
}

function* packLines(lines: readonly string[], count: (text: string) => Tokens): Generator<Pack> {
  let pack: string[] = [];
  let tokens = 0;
  for (const line of lines) {
    const cost = count(line) + 1;
    if (pack.length > 0 && tokens + cost > passageTokens) {
      yield { lines: pack, tokens };
      pack = [];
      tokens = 0;
    }
    pack.push(line);
    tokens += cost;
  }
  if (pack.length > 0) yield { lines: pack, tokens };
}
