import { isDeepStrictEqual } from 'node:util';
import type { Report } from './check-prompt.ts';
import { countMessage, textOfOutput } from './count-tokens.ts';
import type { SeenEntry, SeenMessage, SeenNote, SeenPart, SeenPrompt } from './observation.ts';
import type { OwnFold, OwnJournal } from './own-fold.ts';
import type { OwnThread } from './own-thread.ts';

/** The notes of a prompt by how many messages of the thread stand before them. */
export type NotePlaces = ReadonlyMap<number, readonly SeenNote[]>;

/** What the notes of a prompt are held against. */
interface NoteFacts {
  readonly journal: OwnJournal;
  readonly request: SeenEntry;
  readonly fold: OwnFold;
  readonly thread: OwnThread;
  readonly report: Report;
}

/** A line of a note that quotes: `#12 user 2026-03-02: text`, or a line below one like that, behind `> `. */
const quoteHead = /^#(\d+) [^\s:#]+(?: \d{4}-\d\d-\d\d)?:([\s\S]*)$/;
const quoteBelow = /^> ([\s\S]*)$/;

/** The message that a note is sent as. */
export function messageOfNote({ text }: SeenNote): SeenMessage {
  return { role: 'user', content: text };
}

/**
 * Holds the notes that a manifest names against those that earlier requests made since the last compaction, undo or move
 * of the head, and against what its own request made; each against the entries that it quotes. Returns those that must
 * be in the prompt, where they must stand.
 */
export function checkNotes({ manifest }: SeenPrompt, facts: NoteFacts): NotePlaces {
  const { journal, request, thread, report } = facts;
  const inForce = notesInForce(journal.entries.slice(0, request.seq - 1));
  const complain = (note: SeenNote, what: string): void => report('note', `"${note.id}" of ${note.by} ${what}`);
  const old = manifest.notes.filter(({ isNew }) => !isNew);
  const names = old.map(nameOf);
  if (!isDeepStrictEqual(names.toSorted(), inForce.map(nameOf).toSorted()))
    report('note', `the manifest has ${names.join() || 'none'}, in force are ${inForce.map(nameOf).join() || 'none'}`);
  const stored = (request.leftOutNotes ?? []).map((note) => `${nameOf(note)} ${note.rule}`);
  const leftOut = old.flatMap((note) => (note.leftOut === undefined ? [] : [`${nameOf(note)} ${note.leftOut.rule}`]));
  if (!isDeepStrictEqual(stored, leftOut)) report('note', `left out are ${leftOut}, its request says ${stored}`);
  const gone = new Set(manifest.notes.filter((note) => note.leftOut !== undefined).map(nameOf));
  for (const note of manifest.notes) {
    if (note.tokens !== (gone.has(nameOf(note)) ? 0 : countMessage(messageOfNote(note))))
      report('tokens', `note ${nameOf(note)} says ${note.tokens} tokens`);
  }
  const made = manifest.notes.filter((note) => note.isNew && note.leftOut === undefined);
  const given = made.map(({ isNew: _isNew, leftOut: _leftOut, ...note }) => note);
  if (!isDeepStrictEqual(given, request.notes ?? [])) report('note', 'its request stores other new notes');
  const endSeq = thread.messages.findLast(({ entry }) => entry !== null)?.entry?.seq ?? 0;
  for (const note of given) {
    if (note.afterSeq !== endSeq) complain(note, `is made behind #${note.afterSeq}, not behind #${endSeq}`);
    if (inForce.some((other) => nameOf(other) === nameOf(note))) complain(note, 'is made twice');
  }
  const shown = [...inForce.filter((note) => !gone.has(nameOf(note))), ...given];
  for (const note of shown) checkQuotes(note, { facts, complain });
  return placesOf(shown, thread);
}

/** Unique among the notes in force. */
function nameOf({ id, by, afterSeq }: Pick<SeenNote, 'id' | 'by' | 'afterSeq'>): string {
  return `${by}/${id}/${afterSeq}`;
}

/** What requests have made since what was sent began anew, the first of each name. */
function notesInForce(before: readonly SeenEntry[]): readonly SeenNote[] {
  const rebuilt = before.findLastIndex(({ type }) => ['compaction', 'head', 'revoke'].includes(type));
  const byName = new Map<string, SeenNote>();
  for (const note of before.slice(rebuilt + 1).flatMap(({ notes = [] }) => notes)) {
    if (!byName.has(nameOf(note))) byName.set(nameOf(note), note);
  }
  return [...byName.values()];
}

/** Behind the last message of the group of its entry; of one that is not shown, behind the newest one before it. */
function placesOf(notes: readonly SeenNote[], { messages }: OwnThread): NotePlaces {
  const places = new Map<number, SeenNote[]>();
  const seqs = messages.map(({ entry }) => entry?.seq ?? 0);
  for (const note of notes) {
    const nearest = Math.max(0, ...seqs.filter((seq) => seq <= note.afterSeq));
    const last = messages[nearest === 0 ? -1 : seqs.lastIndexOf(nearest)];
    const place = last === undefined ? 0 : messages.findLastIndex(({ group }) => group === last.group) + 1;
    places.set(place, [...(places.get(place) ?? []), note]);
  }
  return places;
}

/** Each line below the heading was said in an entry on the path that the note names; each entry that it names is quoted. */
function checkQuotes(
  { text, ...note }: SeenNote,
  { facts, complain }: { readonly facts: NoteFacts; readonly complain: (note: SeenNote, what: string) => void },
): void {
  const { journal, fold } = facts;
  const wrong = (what: string): void => complain({ ...note, text }, what);
  const quoted = new Set<number>();
  let said = '';
  for (const line of text.split('\n').slice(1)) {
    const [, seq, first] = quoteHead.exec(line) ?? [];
    if (seq !== undefined) {
      quoted.add(Number(seq));
      said = saidIn(journal.entries[Number(seq) - 1]);
    }
    const quote = first ?? quoteBelow.exec(line)?.[1];
    if (quote === undefined && line !== '') wrong(`has a line that quotes nobody: ${line.slice(0, 60)}`);
    if (quote !== undefined && !said.includes(plain(quote))) wrong(`quotes what nobody said: ${line.slice(0, 60)}`);
  }
  if (
    !isDeepStrictEqual(
      [...quoted].sort((a, b) => a - b),
      note.seqs,
    )
  )
    wrong(`quotes ${[...quoted]}, and names ${note.seqs}`);
  for (const seq of quoted) if (!fold.path.has(seq)) wrong(`quotes #${seq}, which is not on the path`);
}

const known = new WeakMap<SeenEntry, string>();

/** All that an entry says, without what does not show where lines begin and end. */
function saidIn(entry: SeenEntry | undefined): string {
  if (entry?.message === undefined || entry.message.role === 'system') return '';
  const { content } = entry.message;
  const said = known.get(entry) ?? plain(typeof content === 'string' ? content : content.map(saidInPart).join('\n'));
  known.set(entry, said);
  return said;
}

function saidInPart({ type, text = '', toolName = '', input, output }: SeenPart): string {
  if (type === 'text') return text;
  if (output !== undefined) return textOfOutput(output);
  if (type !== 'tool-call') return '';
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  const values = isRecord ? Object.entries(input).flat() : [input];
  return `[call ${toolName}] ${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')}`;
}

/** Letters and digits alone. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
