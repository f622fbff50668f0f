import type { EntryValue, FileEntry } from './read-journal-file.ts';

/** What was, or was to be, forgotten. */
export interface ForgetRequest {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
}

/** Of a text that was forgotten, no stretch of so many characters may be left. */
const stretch = 12;

/** Every stretch of the texts, or, with `step`, as many as it takes to find one that is a little longer. */
export function stretchesOf({ texts }: Pick<ForgetRequest, 'texts'>, step = 1): readonly string[] {
  return texts.flatMap((text) => {
    const starts = Array.from({ length: Math.max(0, text.length - stretch + 1) }, (_, start) => start);
    return starts.filter((start) => start % step === 0).map((start) => text.slice(start, start + stretch));
  });
}

/** Which entries had to change when messages were forgotten; all others must be as they were. */
export function changedByForgetting(
  expected: readonly FileEntry[],
  requests: readonly ForgetRequest[],
): ReadonlySet<string> {
  const ids = new Set(requests.flatMap((request) => request.ids));
  const stretches = requests.flatMap((request) => stretchesOf(request));
  const seqs = expected.filter(({ value }) => ids.has(value.id)).map(({ value }) => value.seq);
  const changed = new Set<string>();
  for (const { text, value } of expected) {
    const isTouched =
      ids.has(value.id) ||
      stretches.some((one) => text.includes(one)) ||
      (value.type === 'edit' && [...ids].some((id) => text.includes(id))) ||
      (value.type === 'compaction' && isOver(value, { seqs, changed }));
    if (isTouched) changed.add(value.id);
  }
  return changed;
}

function isOver(
  value: EntryValue,
  { seqs, changed }: { readonly seqs: readonly number[]; readonly changed: ReadonlySet<string> },
): boolean {
  const { range, previousId = null } = value;
  if (previousId !== null && changed.has(previousId)) return true;
  return range !== undefined && seqs.some((seq) => range.from.seq <= seq && seq <= range.to.seq);
}
