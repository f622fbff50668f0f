import { cutText, type Seq } from '@varve/core';
import type { NoteSource } from '@varve/plugin-workspace-layers';

/** One thing worth remembering. */
export interface NoteLine {
  readonly text: string;
  readonly from: NoteSource;
}

/** What came of reading entries. */
export interface NotesFound {
  readonly lines: readonly NoteLine[];
  /** The last entry that was read, where there were too many for one flush; `null` when all were. */
  readonly toSeq: Seq | null;
}

/** Whose words each entry of a stretch are. */
export type Sources = ReadonlyMap<Seq, NoteSource>;

/** What a model answers when there is nothing to save. */
export const nothingToSave = 'NO_REPLY';

/** Most notes of one answer, and the longest one, in UTF-16 code units. */
const mostNotes = 60;
const longestNote = 800;

const noteLine = /^\s*[-*•]\s+(\S.*)$/u;

/** What may be the entries of a note, and what one of them looks like. Both are short, whatever a model answers. */
const bracket = /^\[([^\]]{1,200})\]/;
const entryName = /^#?\d{1,15}$/;

/**
 * The notes in an answer: its lines `- [#12, #15] text`; `null` when it has none and does not say that there are none.
 * A note is in the words of a model, and counts as said by it, or by the least trusted of the entries that it names; one
 * that names none, by the least trusted of all.
 */
export function readNotes(answer: string, sources: Sources): readonly NoteLine[] | null {
  const lines = answer.split(/\r?\n/).flatMap((line): NoteLine[] => {
    const said = noteLine.exec(line)?.[1] ?? '';
    const { named, text } = partsOf(said);
    if (text === '' || text === nothingToSave) return [];
    return [{ text: cutText(text, 0, longestNote), from: sourceOf(named, sources) }];
  });
  if (lines.length > 0) return lines.slice(0, mostNotes);
  return answer.trim() === '' || answer.includes(nothingToSave) ? [] : null;
}

/** The entries that a note names before its text, as they are written there, and the text. */
function partsOf(said: string): { readonly named: string; readonly text: string } {
  const [whole = '', inside = ''] = bracket.exec(said) ?? [];
  const names = inside.split(/[\s,;–-]/).filter((name) => name !== '');
  const isNamed = names.length > 0 && names.every((name) => entryName.test(name));
  return isNamed ? { named: inside, text: said.slice(whole.length).trim() } : { named: '', text: said.trim() };
}

function sourceOf(named: string, sources: Sources): NoteSource {
  const seqs = [...named.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const isKnown = seqs.length > 0 && seqs.every((seq) => sources.has(seq));
  return isKnown && !/[–-]/.test(named)
    ? asWorded(seqs.flatMap((seq) => sources.get(seq) ?? []))
    : asWorded(isKnown ? within(seqs, sources) : [...sources.values()]);
}

/** The sources of all entries from the first to the last one that are named: a range names those between, too. */
function within(seqs: readonly Seq[], sources: Sources): readonly NoteSource[] {
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
  return [...sources].flatMap(([seq, source]) => (seq >= first && seq <= last ? [source] : []));
}

/** What a model says, it says in its own words: those of the owner are so only where they are taken as they are. */
function asWorded(sources: readonly NoteSource[]): NoteSource {
  return sources.length === 0 || sources.includes('other') ? 'other' : 'model';
}
