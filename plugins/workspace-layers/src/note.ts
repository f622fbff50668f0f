import type { Milliseconds, Seq, Ulid } from '@varve/core';
import { cleanLines } from './clean-text.ts';
import { decodeName, encodeName } from './encoded-name.ts';

/** Whose words a note rests on. `other`: a tool, a document, or a person who is not the owner. */
export type NoteSource = 'owner' | 'model' | 'other';

/** Who may read a note: all sessions of the owner, or one conversation. */
export type NoteScope =
  | { readonly kind: 'agent' }
  | {
      readonly kind: 'private';
      /** Key of the conversation. */
      readonly key: string;
      /** The person of a direct chat, whose other direct chats may read the note, too; `null` for nobody else. */
      readonly identity: string | null;
    };

/** A note as it is written. */
export interface NewNote {
  readonly scope: NoteScope;
  readonly from: NoteSource;
  readonly at: Milliseconds;
  /** Any text; it is cleaned when it is written. */
  readonly text: string;
  /** Entries of the session that it was made from. @default none */
  readonly entries?: NotedEntries | undefined;
}

/** Entries that notes were made from. */
export interface NotedEntries {
  readonly sessionId: string;
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
  /** Id of the last of them. With it, a line behind the notes says that all of them have been written. @default none */
  readonly lastId?: Ulid | undefined;
}

/** A note as it stands in a file. */
export interface Note {
  /** `hidden` for a note whose front line cannot be understood: nobody reads it. */
  readonly scope: NoteScope | { readonly kind: 'hidden' };
  /** `null` for what somebody wrote by hand. */
  readonly from: NoteSource | null;
  /** `null` where nothing says it. */
  readonly at: Milliseconds | null;
  /** The lines of the note, with their numbers in the file from 1. */
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

/** Begins the line before a note that says who may read it. */
export const frontStart = '<!-- varve:';
const frontLine = /^<!-- varve: (?:(agent)|private\(([^()\s]+)\))((?: [a-z]+=[^\s=]+)*) -->$/;

/**
 * A note as text: its front line, which says who may read it, and its lines; `null` for a note without any. Nothing in
 * the text can be taken for another front line.
 */
export function formatNote({ scope, from, at, text, entries }: NewNote): string | null {
  const who = scope.kind === 'agent' ? 'agent' : `private(${encodeName(scope.key)})`;
  const identity = scope.kind === 'private' && scope.identity !== null ? ` identity=${encodeName(scope.identity)}` : '';
  const made = ` from=${from} at=${new Date(at).toISOString()}`;
  const rests =
    entries === undefined
      ? ''
      : ` session=${encodeName(entries.sessionId)} entries=${entries.fromSeq}-${entries.toSeq}`;
  const lines = cleanLines(text).map((line) => line.replaceAll('<!--', '&lt;!--'));
  const body = lines.join('\n').replace(/^\n+/, '').trimEnd();
  if (body === '') return null;
  return `${frontStart} ${who}${identity}${made}${rests} -->\n${body}\n`;
}

/** The line behind notes that were written whole; `null` where nobody needs to know. */
export function formatWritten({ sessionId, fromSeq, toSeq, lastId }: NotedEntries): string | null {
  if (lastId === undefined) return null;
  return `${frontStart} written session=${encodeName(sessionId)} entries=${fromSeq}-${toSeq} last=${encodeName(lastId)} -->\n`;
}

const writtenLine = /^<!-- varve: written session=(\S+) entries=\d+-\d+ last=(\S+) -->$/;

/** Of a session, the entries whose ids such lines in a file name as their last. */
export function writtenEntries(text: string, sessionId: string): readonly Ulid[] {
  return text.split('\n').flatMap((line) => {
    const [, session = '', last = ''] = writtenLine.exec(line) ?? [];
    return decodeName(session) === sessionId ? (decodeName(last) ?? []) : [];
  });
}

/**
 * The notes of a file. What stands before the first front line was written by hand, and is for all sessions of the
 * owner. A note ends where the next one begins: in the middle of a line, too, where somebody's write was cut off and
 * another one has gone on behind it.
 */
export function parseNotes(text: string): readonly Note[] {
  const notes: { head: Omit<Note, 'lines'>; lines: { number: number; text: string }[] }[] = [
    { head: { scope: { kind: 'agent' }, from: null, at: null }, lines: [] },
  ];
  for (const [index, line] of cleanLines(text).entries()) {
    if (writtenLine.test(line)) continue;
    const [before = '', ...fronts] = line.split(frontStart);
    if (fronts.length === 0 || before.trim() !== '') notes.at(-1)?.lines.push({ number: index + 1, text: before });
    for (const front of fronts) notes.push({ head: readFrontLine(`${frontStart}${front}`.trim()), lines: [] });
  }
  return notes.flatMap(({ head, lines }) => {
    const first = lines.findIndex((line) => line.text !== '');
    const last = lines.findLastIndex((line) => line.text !== '');
    return first < 0 ? [] : [{ ...head, lines: lines.slice(first, last + 1) }];
  });
}

const sources: ReadonlySet<string> = new Set<NoteSource>(['owner', 'model', 'other']);

function readFrontLine(line: string): Omit<Note, 'lines'> {
  const [, agent, key = '', rest = ''] = frontLine.exec(line) ?? [];
  const fields = new Map(
    rest
      .split(' ')
      .filter((field) => field !== '')
      .map((field) => field.split('=') as [string, string]),
  );
  const time = Date.parse(fields.get('at') ?? '');
  const at = Number.isNaN(time) ? null : time;
  const source = fields.get('from') ?? 'other';
  const from = sources.has(source) ? (source as NoteSource) : 'other';
  if (agent !== undefined) return { scope: { kind: 'agent' }, from, at };
  const name = decodeName(key);
  const given = fields.get('identity');
  const identity = given === undefined ? null : decodeName(given);
  // A scope that cannot be read is nobody's: whoever damaged the line has not shared the note.
  if (name === null || name === '' || (given !== undefined && identity === null)) {
    return { scope: { kind: 'hidden' }, from, at };
  }
  return { scope: { kind: 'private', key: name, identity }, from, at };
}
