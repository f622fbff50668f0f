import {
  type HookContext,
  type MessageEntry,
  type ModelPort,
  nameOfModel,
  partsOfMessage,
  type Seq,
  type Tokens,
  untilAborted,
  VarveError,
} from '@varve/core';
import { flushPrompt } from './flush-prompt.ts';
import { type NoteLine, type NotesFound, readNotes, type Sources } from './note-line.ts';
import { passageOf } from './transcript.ts';

/** What a model is asked, and about what. */
export interface AskOptions {
  readonly model: ModelPort;
  /** `null` for the one of the plugin. */
  readonly prompt: string | null;
  readonly day: string;
  /** Tokens of transcript in one call. */
  readonly inputTokens: Tokens;
  readonly sources: Sources;
  readonly signal: AbortSignal;
  readonly countTokens: HookContext['countTokens'];
}

/** Calls of the model in one flush: what is longer than that is left to the next one. */
const mostCalls = 8;

/**
 * Has a model read the entries, the oldest first, in as many calls as they need and a flush has, and gives its notes.
 *
 * @throws VARVE_MODEL_FAILED  for an answer in another form; VARVE_ABORTED; else what the model threw.
 */
export async function askForNotes(entries: readonly MessageEntry[], options: AskOptions): Promise<NotesFound> {
  const { stretches, toSeq } = stretchesOf(entries, options);
  const lines: NoteLine[] = [];
  for (const passages of stretches) lines.push(...(await ask(passages, options)));
  return { lines, toSeq };
}

async function ask(
  passages: readonly string[],
  { model, prompt, day, sources, signal }: AskOptions,
): Promise<readonly NoteLine[]> {
  const request = { prompt: flushPrompt(passages, { prompt, day }) };
  const { message } = await untilAborted(Promise.resolve(model.generate(request, { signal })), signal);
  const answer = partsOfMessage(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
  // The last line of an answer that was cut off is half a note.
  const whole = message.stop === 'length' ? answer.slice(0, answer.lastIndexOf('\n') + 1) : answer;
  const notes = readNotes(whole, sources);
  if (notes !== null && (notes.length > 0 || message.stop !== 'length')) return notes;
  throw new VarveError('VARVE_MODEL_FAILED', `The answer of ${nameOfModel(model.ref)} holds no notes.`, {
    fix: 'Use a model that keeps to its instructions, or none: then notes are taken from the digest.',
    details: { kind: 'other', retryable: true },
  });
}

/** The entries as passages, in stretches that fit into one call; `toSeq` names the last of them, `null` for all. */
function stretchesOf(
  entries: readonly MessageEntry[],
  { sources, inputTokens, countTokens }: AskOptions,
): { readonly stretches: readonly (readonly string[])[]; readonly toSeq: Seq | null } {
  const stretches: string[][] = [];
  let left = 0;
  let toSeq: Seq | null = null;
  for (const entry of entries) {
    const passage = passageOf(entry, sources.get(entry.seq) ?? 'other');
    if (passage === null) continue;
    const tokens = countTokens(passage);
    if (stretches.length === 0 || tokens > left) {
      if (stretches.length === mostCalls) return { stretches, toSeq };
      stretches.push([]);
      left = inputTokens;
    }
    stretches.at(-1)?.push(passage);
    left -= tokens;
    toSeq = entry.seq;
  }
  return { stretches, toSeq: null };
}
