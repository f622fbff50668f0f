// Reads a store's files as lines of text. It imports nothing of the product, and shares no idea with it but the names of
// fields.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Line {
  readonly type?: string;
  readonly id?: string;
  readonly key?: string;
  readonly slot?: string;
  readonly text?: string | null;
  readonly data?: { readonly childKey?: string; readonly completionId?: string; readonly text?: string };
  readonly message?: { readonly role?: string; readonly content?: unknown };
  readonly provenance?: { readonly kind?: string; readonly completionId?: string };
}

/** What the files say of one sub-agent. */
export interface CountedEnd {
  readonly childKey: string;
  /** Lines that say how it ended. */
  readonly ends: number;
  /** Messages, in all journals together, with which somebody was told of its end. */
  readonly told: number;
  /** Whether all of them say what the line of its end says. */
  readonly isFaithful: boolean;
  /** Whether the last state of a conversation says that it is at work. */
  readonly isShownAtWork: boolean;
}

/** Counts, for each sub-agent that was begun below a root, how often its end was written and told. */
export function countEnds(root: string): readonly CountedEnd[] {
  const journals = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /sessions\/[^/]+\.jsonl$/.test(name))
    .map((name) => linesOf(join(root, name)));
  const lines = journals.flat();
  const begun = new Set(lines.flatMap(({ type, data }) => (type === 'sessions:spawned' ? [data?.childKey ?? ''] : [])));
  return [...begun].sort().map((childKey) => {
    const ends = lines.filter(({ type, data }) => type === 'sessions:ended' && data?.childKey === childKey);
    const isTold = ({ type, provenance }: Line): boolean =>
      type === 'message' && provenance?.kind === 'subagent' && provenance.completionId?.endsWith(childKey) === true;
    // A copy of a conversation has copies of its lines, with their ids.
    const told = [...new Map(lines.filter(isTold).map((line) => [line.id, line])).values()];
    const words = (ends[0]?.data?.text ?? '').split('\n');
    const isFaithful = told.every(({ message }) =>
      words.every((word) => String(message?.content).includes(`> ${word}`)),
    );
    const isShownAtWork = journals.some((own) => {
      const last = own.findLast(({ type, slot }) => type === 'state' && slot === 'subagents');
      return last?.text?.includes(childKey) === true;
    });
    return { childKey, ends: ends.length, told: told.length, isFaithful, isShownAtWork };
  });
}

/** The lines of a file that are whole. A process that was killed may have left half of one. */
function linesOf(file: string): readonly Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return [JSON.parse(text) as Line];
      } catch {
        return [];
      }
    });
}
