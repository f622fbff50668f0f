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

const noteLine = /^\s*[-*•]\s+(?:\[((?:#?\d+[\s,;–-]*)+)\]\s*)?(\S.*)$/u;

/**
 * The notes in an answer: its lines `- [#12, #15] text`; `null` when it has none and does not say that there are none.
 * A note counts as said by the least trusted of the entries that it names; one that names none, by the least trusted of
 * all.
 */
export function readNotes(answer: string, sources: Sources): readonly NoteLine[] | null {
  const lines = answer.split(/\r?\n/).flatMap((line): NoteLine[] => {
    const [, named = '', text = ''] = noteLine.exec(line) ?? [];
    if (text === '' || text === nothingToSave) return [];
    return [{ text: cutText(text.trim(), 0, longestNote), from: sourceOf(named, sources) }];
  });
  if (lines.length > 0) return lines.slice(0, mostNotes);
  return answer.trim() === '' || answer.includes(nothingToSave) ? [] : null;
}

function sourceOf(named: string, sources: Sources): NoteSource {
  const seqs = [...named.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const known = seqs.flatMap((seq) => sources.get(seq) ?? []);
  return leastTrusted(known.length > 0 && known.length === seqs.length ? known : [...sources.values()]);
}

const byTrust: readonly NoteSource[] = ['other', 'model', 'owner'];

function leastTrusted(sources: readonly NoteSource[]): NoteSource {
  return byTrust.find((source) => sources.includes(source)) ?? 'other';
}
