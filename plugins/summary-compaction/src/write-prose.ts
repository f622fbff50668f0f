import type { HookContext, MessageEntry, Prose, SummarizeRequest, Tokens } from '@varve/core';
import { type Assignment, foldProse, type Writer } from './fold-prose.ts';
import { type ProseParts, partProse } from './prose-sections.ts';
import { reviewProse } from './review-prose.ts';
import { tokensOfPassages } from './split-passages.ts';
import type { SettledModel } from './summary-model.ts';
import { isInOtherScript } from './text-script.ts';
import { hasWordsOfUser, headAndTail, type Passage, passagesOf, spokenText } from './transcript.ts';

/** With less room prose says nothing that the digest does not. */
const leastTokens = 60;

/** Longest prose that is asked for: more is not read, and many models do not write it in one answer. */
const mostTokens = 4_000;

/** Of the room, this much is kept for what a model leaves out. */
const reviewShare = 0.2;

/** Of the rest, the beginning of a turn that goes on takes this much when something stands before it. */
const turnShare = 0.4;

/** A source of at most this many tokens is shorter than any summary of it. */
const smallSource = 80;

/** Of what stays in view, the newest messages are shown to the model, each in this many UTF-16 code units. */
const followingMessages = 8;
const followingReach = { head: 300, tail: 100 } as const;

/**
 * Has one model write the prose of a compaction: of what has ended, and apart from it of the turn that goes on. Nothing
 * is asked where there is nothing to sum up, or no room.
 *
 * @throws what the model throws, or why its answers were not taken: then the next model is to be asked.
 */
export async function writeProse(
  request: SummarizeRequest,
  { model, context }: { readonly model: SettledModel; readonly context: HookContext },
): Promise<Prose | undefined> {
  const { entries, maxTokens, previousProse } = request;
  if (maxTokens < leastTokens || passagesOf(entries).length === 0) return undefined;
  const count = (text: string): Tokens => context.countTokens(text);
  const following = followingOf(request, context);
  const own = [...entries, ...(request.held === null ? [] : [request.held]), ...following].filter(hasWordsOfUser);
  const example = own.map(spokenText).join('\n');
  const writer: Writer = {
    model,
    count,
    signal: context.signal,
    objection: (text) => (isInOtherScript(text, example) ? 'it is not in the language of the user' : null),
  };
  const { parts, isAsked } = await writeParts(request, { writer, following });
  const reviewed = reviewProse(parts, {
    entries,
    said: [...own.map(spokenText), ...wordsInDigest(context)],
    following: following.filter(({ message }) => message.role === 'assistant').map(spokenText),
    previous: previousProse,
    maxTokens,
    count,
  });
  if (reviewed === null) return undefined;
  const { text, quality } = reviewed;
  return { text, ...(quality === null ? {} : { quality }), ...(isAsked ? { model: model.name } : {}) };
}

/** The messages behind the range, as they are now. */
function followingOf({ entries }: SummarizeRequest, { session }: HookContext): readonly MessageEntry[] {
  const last = entries.at(-1)?.seq ?? 0;
  return session.messages().filter(({ seq }) => seq > last);
}

/** What compactions before have kept of the user's words. */
function wordsInDigest({ session }: HookContext): readonly string[] {
  const digest = session.compaction()?.digest;
  if (digest === undefined) return [];
  return [...(digest.task === null ? [] : [digest.task]), ...digest.userLog].map(({ text }) => text);
}

interface WrittenParts {
  readonly parts: ProseParts;
  /** Whether the model was asked for any of it. */
  readonly isAsked: boolean;
}

/**
 * Writes both parts. The prose of before belongs to what has ended, apart from what it says of a turn that still goes
 * on: that is carried on with the turn.
 */
async function writeParts(
  { entries, held, instructions, maxTokens, previousProse }: SummarizeRequest,
  { writer, following }: { readonly writer: Writer; readonly following: readonly MessageEntry[] },
): Promise<WrittenParts> {
  const before = partProse(previousProse);
  const isSameTurn = before.turn !== null && before.turn.request === held?.seq;
  const ended = isSameTurn ? before.history : previousProse;
  const inTurn = (entry: MessageEntry): boolean => held !== null && entry.seq > held.seq;
  const head = passagesOf(entries.filter(inTurn));
  const old = passagesOf(entries.filter((entry) => !inTurn(entry)));
  const room = Math.min(mostTokens, Math.floor(maxTokens * (1 - reviewShare)));
  const hasTurn = head.length > 0 || isSameTurn;
  const shared = { instructions, following: shortened(following) };
  const history = await writePart(
    { ...shared, kind: 'summary', passages: old, previous: ended, request: null },
    { writer, room: hasTurn ? Math.floor(room * (1 - turnShare)) : room, asItWas: maxTokens * (1 - turnShare) },
  );
  if (held === null || !hasTurn) return { parts: { history: history.text, turn: null }, isAsked: history.isAsked };
  const turn = await writePart(
    {
      ...shared,
      kind: 'turn',
      passages: head,
      previous: isSameTurn ? (before.turn?.text ?? null) : null,
      request: shortened([held])[0] ?? null,
    },
    { writer, room: room - (history.text === null ? 0 : writer.count(history.text)), asItWas: 0 },
  );
  return {
    parts: { history: history.text, turn: turn.text === null ? null : { request: held.seq, text: turn.text } },
    isAsked: history.isAsked || turn.isAsked,
  };
}

/** One part: as it was where nothing is new and it is not too long, word for word where that is short, else by the model. */
async function writePart(
  assignment: Omit<Assignment, 'maxTokens'>,
  { writer, room, asItWas }: { readonly writer: Writer; readonly room: Tokens; readonly asItWas: Tokens },
): Promise<{ readonly text: string | null; readonly isAsked: boolean }> {
  const { passages, previous } = assignment;
  const { count } = writer;
  if (passages.length === 0) {
    if (previous === null || count(previous) <= asItWas) return { text: previous, isAsked: false };
  } else if (previous === null && tokensOfPassages(passages, count) <= Math.min(smallSource, room)) {
    return { text: wordForWord(passages), isAsked: false };
  }
  return { text: await foldProse({ ...assignment, maxTokens: room }, writer), isAsked: true };
}

function wordForWord(passages: readonly Passage[]): string {
  return passages.map(({ name, lines }) => `- ${name}: ${lines.join(' ⏎ ')}`).join('\n');
}

/** The newest of the messages as passages, none of them long. */
function shortened(entries: readonly MessageEntry[]): readonly Passage[] {
  return passagesOf(entries.slice(-followingMessages)).map(({ name, lines }) => ({
    name,
    lines: headAndTail(lines.join('\n'), followingReach).split('\n'),
  }));
}
