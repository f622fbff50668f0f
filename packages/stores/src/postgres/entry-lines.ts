import { type Checkpoint, type Entry, type Seq, VarveError } from '@varve/core';
import { storedNames } from './stored-name.ts';

/** An entry as it is stored. */
export interface EntryLine {
  readonly seq: Seq;
  readonly id: string;
  /** The entry as JSON: no U+0000 and no surrogate that stands alone is in it, whatever its texts hold. */
  readonly text: string;
  readonly checkpoint: string | null;
}

/** Most letters of an entry or a checkpoint as JSON; a server holds some 1 GB in a field, and answers with all of it. */
const mostLetters = 64 * 1024 * 1024;

/**
 * Entries as they are now: what a caller changes afterwards is not stored. The checkpoint belongs to the last of them.
 *
 * @throws VARVE_ENTRY_INVALID  for what is not JSON; VARVE_ENTRY_TOO_LARGE.
 */
export function entryLines(entries: readonly Entry[], checkpoint: Checkpoint | undefined): readonly EntryLine[] {
  const mark = checkpoint === undefined ? null : textOf(checkpoint);
  if (mark !== null && entries.length === 0) {
    throw new VarveError('VARVE_ENTRY_INVALID', 'A checkpoint was appended without an entry.', {
      fix: 'Append the checkpoint with the entry that made it.',
    });
  }
  return entries.map((entry, index) => {
    const isLast = index === entries.length - 1;
    return { seq: entry.seq, id: entry.id, text: textOf(entry), checkpoint: isLast ? mark : null };
  });
}

/** Checks that entries are numbered from a seq on. @throws VARVE_ENTRY_INVALID */
export function assertNumbered(lines: readonly EntryLine[], fromSeq: Seq): void {
  const index = lines.findIndex(({ seq }, place) => seq !== fromSeq + place);
  const line = lines[index];
  if (line === undefined) return;
  const next = fromSeq + index;
  throw new VarveError('VARVE_ENTRY_INVALID', `Entry "${line.id}" has seq ${line.seq}; the next one is ${next}.`, {
    fix: 'Number entries from expectedSeq + 1 on, without gaps.',
    details: { id: line.id, seq: line.seq, next },
  });
}

/** The columns of entries, for a statement that unnests them. */
export async function columnsOf(lines: readonly EntryLine[]): Promise<readonly unknown[]> {
  const ids = await storedNames(lines.map(({ id }) => String(id)));
  return [lines.map(({ seq }) => seq), ids, lines.map(({ text }) => text), lines.map(({ checkpoint }) => checkpoint)];
}

/** The types of {@link columnsOf}, as parameters from a number on. */
export function columnParameters(from: number): string {
  return ['bigint', 'text', 'text', 'text'].map((type, index) => `$${from + index}::${type}[]`).join(', ');
}

function textOf(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text?.startsWith('{') !== true) {
    const reason =
      cause === undefined ? 'it is not a JSON object' : cause instanceof Error ? cause.message : String(cause);
    throw new VarveError('VARVE_ENTRY_INVALID', `An entry cannot be stored: ${reason}.`, {
      fix: 'Append entries that consist of JSON values only.',
      cause,
    });
  }
  if (text.length <= mostLetters) return text;
  throw new VarveError('VARVE_ENTRY_TOO_LARGE', `An entry or checkpoint has ${text.length} letters as JSON.`, {
    fix: `Keep each below ${mostLetters}: store large results in a file, and name it in the entry.`,
    details: { letters: text.length, most: mostLetters },
  });
}
