import { type HookContext, type Tokens, VarveError } from '@varve/core';
import { askModel } from './ask-model.ts';
import { type CountTokens, splitPassages, tokensOfPassages } from './split-passages.ts';
import type { SettledModel } from './summary-model.ts';
import { type PromptFacts, summaryPrompt } from './summary-prompt.ts';
import { type Passage, passageOf } from './transcript.ts';

/** Of a model's window, one call uses this much at most, answer included: other counters than ours may see more. */
const windowShare = 0.8;

/** How often what is sent is halved because the model found it too long: from 160 000 tokens to 2 500. */
const maxHalvings = 6;

/** How often notes are taken on notes, or a summary is tried again: notes become a fourth or less each time. */
const maxRounds = 12;

/** Notes on one stretch take at most this share of what a call can read, so that four of them fit into the next. */
const noteShare = 0.25;

/** What is written takes at most this much of the model's window, and what is shown of the messages behind, too. */
const answerShare = 0.2;
const followingShare = 0.1;

/** With room for less, a transcript would be cut into crumbs. */
const leastRoom = 300;

/** Who writes, and within what. */
export interface Writer {
  readonly model: SettledModel;
  readonly count: CountTokens;
  readonly signal: HookContext['signal'];
  /** Why a text will not do, as the end of a sentence; `null` when it will. */
  objection(text: string): string | null;
}

/** What is to be written: without the parts that depend on how it is folded. */
export type Assignment = Omit<PromptFacts, 'kind'> & { readonly kind: 'summary' | 'turn' };

/**
 * Has a model sum passages up, whatever their size: in one call where they fit, else by notes on one stretch after the
 * other, and a summary of the notes. The summary of before goes into that last call alone. What the model finds too
 * long is halved and asked again.
 *
 * @throws VARVE_MODEL_OVERFLOW  when even a small part is too long; else what {@link askModel} throws.
 */
export async function foldProse(assignment: Assignment, writer: Writer): Promise<string> {
  const { count, model } = writer;
  let carried = withinWindow(assignment, { count, window: model.contextTokens });
  const fixed = count(textOfPrompt({ ...carried, passages: [] })) + carried.maxTokens;
  const folding: Folding = { writer, room: Math.floor(windowShare * model.contextTokens - fixed), halvings: 0 };
  const sourceTokens = tokensOfPassages(carried.passages, count) + count(carried.previous ?? '');
  for (let round = 0; round <= maxRounds; round += 1) {
    // A model that takes less than was thought takes less of what stands beside the passages, too.
    if (folding.halvings > 0) carried = withinWindow(carried, { count, window: folding.room });
    const tokens = tokensOfPassages(carried.passages, count);
    if (folding.room < leastRoom) throw tooLong(writer.model);
    if (tokens > folding.room) {
      carried = { ...carried, passages: await notesOn(carried.passages, { folding, assignment: carried }) };
    } else {
      const text = await askUnlessTooLong(carried, { folding, sourceTokens, sent: tokens });
      if (text !== null) return text;
    }
  }
  throw tooLong(writer.model);
}

interface Folding {
  readonly writer: Writer;
  /** Tokens of passages that one call may hold. */
  room: Tokens;
  halvings: number;
}

/**
 * What can be asked of a model with that window. A previous summary that would take half of what can be read is folded
 * like everything else.
 */
function withinWindow(
  assignment: Assignment,
  { count, window }: { readonly count: CountTokens; readonly window: Tokens },
): Assignment {
  const { previous, passages, following } = assignment;
  const fitting = {
    ...assignment,
    maxTokens: Math.min(assignment.maxTokens, Math.floor(window * answerShare)),
    following: tokensOfPassages(following, count) <= window * followingShare ? following : [],
  };
  if (previous === null || count(previous) <= (windowShare * window) / 2) return fitting;
  return { ...fitting, previous: null, passages: [passageOf('summary so far', previous), ...passages] };
}

/** Notes on each stretch of the passages, as passages. Stretches that the model finds too long are parted. */
async function notesOn(
  passages: readonly Passage[],
  { folding, assignment }: { readonly folding: Folding; readonly assignment: Assignment },
): Promise<readonly Passage[]> {
  const { count } = folding.writer;
  const notes: Passage[] = [];
  const left = [...splitPassages(passages, { room: folding.room, count })];
  let room = folding.room;
  for (let stretch = left.shift(); stretch !== undefined; stretch = left.shift()) {
    if (folding.room < room) {
      // What was cut for a larger room would be too long again, and cost another halving each time.
      left.splice(0, left.length, ...splitPassages([stretch, ...left].flat(), { room: folding.room, count }));
      room = folding.room;
      continue;
    }
    const sent = tokensOfPassages(stretch, count);
    const maxTokens = Math.min(assignment.maxTokens, Math.floor(folding.room * noteShare));
    if (sent <= maxTokens) {
      notes.push(...stretch);
      continue;
    }
    const facts = {
      ...assignment,
      kind: 'notes',
      previous: null,
      following: [],
      passages: stretch,
      maxTokens,
    } as const;
    const text = await askUnlessTooLong(facts, { folding, sourceTokens: sent, sent });
    if (text === null) left.unshift(stretch);
    else notes.push(passageOf(nameOfNotes(stretch), text));
  }
  return notes;
}

/** What the model wrote; `null` when it found the request too long and the room has become half of what was sent. */
async function askUnlessTooLong(
  facts: PromptFacts,
  { folding, sourceTokens, sent }: { readonly folding: Folding; readonly sourceTokens: Tokens; readonly sent: Tokens },
): Promise<string | null> {
  const { model, count, signal, objection } = folding.writer;
  if (folding.room < leastRoom) throw tooLong(model);
  const isFinal = facts.kind !== 'notes';
  const limits = { maxTokens: facts.maxTokens, sourceTokens, count, objection: isFinal ? objection : () => null };
  try {
    return await askModel(facts, { model, limits, signal });
  } catch (error) {
    if (!isTooLong(error) || folding.halvings >= maxHalvings) throw error;
    folding.halvings += 1;
    folding.room = Math.floor(Math.min(folding.room, sent) / 2);
    return null;
  }
}

function isTooLong(error: unknown): boolean {
  if (VarveError.is(error, 'VARVE_MODEL_OVERFLOW')) return true;
  if (!VarveError.is(error, 'VARVE_MODEL_FAILED')) return false;
  const { kind } = error.details;
  return kind === 'bytes';
}

function nameOfNotes(stretch: readonly Passage[]): string {
  const seqs = stretch.flatMap(({ name }) => [...name.matchAll(/#(\d+)/g)].map(([, seq]) => Number(seq)));
  return seqs.length === 0 ? 'notes' : `notes on #${Math.min(...seqs)} to #${Math.max(...seqs)}`;
}

function textOfPrompt(facts: PromptFacts): string {
  const { system, messages } = summaryPrompt(facts, 'it was longer than what it sums up');
  return [...system.map(({ text }) => text), ...messages.map(({ content }) => content)].join('\n');
}

function tooLong({ name }: SettledModel): VarveError {
  return new VarveError('VARVE_MODEL_OVERFLOW', `What ${name} is to sum up does not become small enough for it.`, {
    fix: 'Say with contextTokens how much the model can read, or use one with a larger window.',
  });
}
