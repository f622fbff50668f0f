import { createReadStream } from 'node:fs';
import type { TranscriptRecord } from '@varve/adapters/transcripts';

/** Lines of one kind that are not in the session, and why. */
interface LeftOutLines {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** What became of the lines of a file: `read` is the sum of all the others. */
export interface LineAccount {
  readonly read: number;
  readonly messages: number;
  readonly settings: number;
  /** Lines that are kept in the journal by what they are, where no prompt shows them. */
  readonly records: Readonly<Record<string, number>>;
  readonly left: readonly LeftOutLines[];
}

/** Unknown lines are kept in the journal up to this length; all of them stand in the file. */
export const mostUnknownCharacters = 4_096;

const reasons = {
  header: 'the session has its id and its time',
  refused: 'it is no message that can be stored',
  damaged: 'it cannot be read; the journal says where it stood',
  long: `it has more than ${mostUnknownCharacters} characters; the journal says how many`,
} as const;

/** What one line comes to. A line that gives several records is what the first of these says. */
type Outcome =
  | { readonly kind: 'message' | 'setting' }
  | { readonly kind: 'record' | keyof typeof reasons; readonly what: string };

const precedence: readonly Outcome['kind'][] = ['message', 'setting', 'refused', 'record', 'long', 'damaged', 'header'];

/** Counts what becomes of lines. Records of one line follow each other. */
export interface LineCounter {
  /** @param isStored  Whether a message was stored. */
  take(record: TranscriptRecord, isStored: boolean): void;
  /** The account for a file of so many lines: those that gave no record are headers. */
  account(read: number): LineAccount;
}

/** Makes a counter that has seen nothing. */
export function createLineCounter(): LineCounter {
  const counts = new Map<string, { readonly outcome: Outcome; count: number }>();
  let line = 0;
  let current: Outcome | null = null;
  let lines = 0;
  const add = (outcome: Outcome, count: number): void => {
    const name = 'what' in outcome ? `${outcome.kind} ${outcome.what}` : outcome.kind;
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { outcome, count });
    else known.count += count;
  };
  const flush = (): void => {
    if (current === null) return;
    add(current, 1);
    lines += 1;
    current = null;
  };
  return {
    take: (record, isStored) => {
      const outcome = outcomeOf(record, isStored);
      if (outcome === null) return;
      if (record.line !== line) flush();
      line = record.line;
      const isFirst = current === null || precedence.indexOf(outcome.kind) < precedence.indexOf(current.kind);
      if (isFirst) current = outcome;
    },
    account: (read) => {
      flush();
      if (read > lines) add({ kind: 'header', what: 'header' }, read - lines);
      return accountOf([...counts.values()], Math.max(read, lines));
    },
  };
}

function outcomeOf(record: TranscriptRecord, isStored: boolean): Outcome | null {
  switch (record.kind) {
    case 'item':
      return null;
    case 'message':
      return isStored ? { kind: 'message' } : { kind: 'refused', what: 'message' };
    case 'setting':
      return { kind: 'setting' };
    case 'compaction':
      return { kind: 'record', what: 'compaction' };
    case 'damaged':
      return { kind: 'damaged', what: 'damaged line' };
    case 'unknown':
      return {
        kind: JSON.stringify(record.data).length > mostUnknownCharacters ? 'long' : 'record',
        what: record.type,
      };
  }
}

function accountOf(
  counts: readonly { readonly outcome: Outcome; readonly count: number }[],
  read: number,
): LineAccount {
  const sumOf = (kind: string): number =>
    counts.reduce((sum, { outcome, count }) => (outcome.kind === kind ? sum + count : sum), 0);
  const records: Record<string, number> = {};
  const left: LeftOutLines[] = [];
  for (const { outcome, count } of counts) {
    if (outcome.kind === 'record') records[outcome.what] = count;
    else if ('what' in outcome) left.push({ what: outcome.what, count, why: reasons[outcome.kind] });
  }
  return { read, messages: sumOf('message'), settings: sumOf('setting'), records, left };
}

/** How many lines of a file hold anything. */
export async function countLines(file: string): Promise<number> {
  let lines = 0;
  let isFilled = false;
  for await (const chunk of createReadStream(file, { encoding: 'latin1' })) {
    for (const [index, part] of String(chunk).split('\n').entries()) {
      if (index > 0) {
        if (isFilled) lines += 1;
        isFilled = false;
      }
      isFilled ||= part.trim() !== '';
    }
  }
  return isFilled ? lines + 1 : lines;
}

/** One line that says what became of all lines. */
export function accountText({ read, messages, settings, records, left }: LineAccount): string {
  const parts = [
    ...(messages === 0 ? [] : [`${messages} × message`]),
    ...(settings === 0 ? [] : [`${settings} × setting`]),
    ...Object.entries(records).map(([what, count]) => `${count} × ${what} (kept as a record)`),
    ...left.map(({ what, count, why }) => `${count} × ${what} (left out: ${why})`),
  ];
  return `${read} lines read: ${parts.join(', ')}`;
}
