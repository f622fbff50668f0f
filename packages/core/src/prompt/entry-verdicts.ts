import type { Draft, Item } from '../draft/draft.ts';
import { stateOfDraft } from '../draft/draft-operations.ts';
import type { MessageEntry, Verdict } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { Seq, Tokens } from '../units.ts';
import type { EntryVerdict, Prompt } from './prompt.ts';

/**
 * The verdict of every visible entry, in the order of the journal. One that is the same as in the request before is the
 * same object: manifests of a long session share what they have in common.
 */
export function entryVerdicts(
  draft: Draft,
  { folded, previous }: { readonly folded: Folded; readonly previous: Prompt | null },
): readonly EntryVerdict[] {
  const { verdicts, items } = stateOfDraft(draft);
  const tokensOf = tokensBySeq(items);
  const entryBefore = entriesBySeq(previous?.manifest.entries ?? []);
  const { held, messages } = folded;
  // A copy of the one list: to go through a frozen one, or to put two together, takes many times as long.
  const visible = held.length === 0 ? [...messages] : [...held].concat([...messages]);
  return visible.map((entry, index) => {
    // The system's messages are a layer, and no items.
    const tokens = entry.message.role === 'system' ? undefined : tokensOf(entry.seq);
    const verdict = verdicts.get(entry.seq) ?? unmentioned(entry, tokens !== undefined);
    const before = entryBefore(entry.seq, index);
    return before !== undefined && isSame(before, { entry, verdict, tokens: tokens ?? 0 })
      ? before
      : entryVerdict(entry, { verdict, tokens: tokens ?? 0 });
  });
}

/** Finds the entries of a manifest by seq; cheap as long as they are asked for in their order, by their index. */
export function entriesBySeq(entries: readonly EntryVerdict[]): (seq: Seq, index: number) => EntryVerdict | undefined {
  let bySeq: ReadonlyMap<Seq, EntryVerdict> | null = null;
  let asked = 0;
  return (seq, index) => {
    if (index === asked && (index >= entries.length || entries[index]?.seq === seq)) {
      asked += 1;
      return entries[index];
    }
    bySeq ??= new Map(entries.map((entry) => [entry.seq, entry]));
    return bySeq.get(seq);
  };
}

/** The tokens that entries have in a draft; `undefined` for one that is not in it. To be asked in the order of seqs. */
function tokensBySeq(items: readonly Item[]): (seq: Seq) => Tokens | undefined {
  if (!isInOrder(items)) {
    const tokens = new Map<Seq, Tokens>();
    for (const { seq, tokens: size } of items) if (seq !== null) tokens.set(seq, (tokens.get(seq) ?? 0) + size);
    return (seq) => tokens.get(seq);
  }
  let next = 0;
  return (wanted) => {
    let tokens: Tokens | undefined;
    for (let item = items[next]; item !== undefined && (item.seq ?? 0) <= wanted; item = items[next]) {
      if (item.seq === wanted) tokens = (tokens ?? 0) + item.tokens;
      next += 1;
    }
    return tokens;
  };
}

/** True when no item stands before one of an earlier entry. Results that moved to their calls do. */
function isInOrder(items: readonly Item[]): boolean {
  let newest = 0;
  for (const { seq } of items) {
    if (seq === null) continue;
    if (seq < newest) return false;
    newest = seq;
  }
  return true;
}

const asKept: Verdict = { kind: 'kept' };
const asNotInDraft: Verdict = { kind: 'dropped', rule: 'not-in-draft', by: 'core' };

/** The verdict of an entry that nobody gave one. */
function unmentioned(entry: MessageEntry, shown: boolean): Verdict {
  return shown || entry.message.role === 'system' ? asKept : asNotInDraft;
}

interface Facts {
  readonly verdict: Verdict;
  readonly tokens: Tokens;
}

function isSame(before: EntryVerdict, { entry, verdict, tokens }: Facts & { readonly entry: MessageEntry }): boolean {
  const { kind, rule, by } = verdict;
  return (
    before.tokens === tokens &&
    before.kind === kind &&
    before.rule === rule &&
    before.by === by &&
    before.key === entry.key &&
    before.role === entry.message.role
  );
}

/** A verdict without its empty fields, so that manifests of two processes are the same bytes. */
function entryVerdict({ seq, key, message }: MessageEntry, { verdict, tokens }: Facts): EntryVerdict {
  const { kind, rule, by } = verdict;
  return Object.freeze({
    seq,
    ...(key === undefined ? {} : { key }),
    role: message.role,
    tokens,
    kind,
    ...(rule === undefined ? {} : { rule }),
    ...(by === undefined ? {} : { by }),
  });
}
