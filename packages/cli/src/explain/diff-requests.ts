import type { EntryExplanation, Explanation, Message, Seq, Tokens, Verdict } from '@varve/core';
import type { FirstChange } from '../store/journal-places.ts';
import { verdictText } from './verdict-runs.ts';

/** What differs between two requests of a session. */
export interface RequestDiff {
  readonly earlier: number;
  readonly later: number;
  readonly tokens: { readonly earlier: Tokens; readonly later: Tokens };
  /** Entries that both knew, with another verdict. */
  readonly entries: readonly {
    readonly seq: Seq;
    readonly role: Message['role'];
    readonly preview: string;
    readonly earlier: Verdict;
    readonly later: Verdict;
  }[];
  /** Entries that only the later request knew. */
  readonly arrived: number;
  /** Text layers of another size; 0 where a request had none. */
  readonly layers: readonly { readonly id: string; readonly earlier: Tokens; readonly later: Tokens }[];
  /** First byte at which the later request differs from the one before it; `null` when that is a prefix of it. */
  readonly firstChangedByte: number | null;
  /** Of all requests behind the earlier, up to the later: the one that changed the smallest byte of the one before it. */
  readonly firstChange: FirstChange | null;
}

/** Compares two requests as they were recorded when they were made. `firstChange`: see {@link RequestDiff}. */
export function diffRequests(
  earlier: Explanation,
  later: Explanation,
  { firstChange }: Pick<RequestDiff, 'firstChange'>,
): RequestDiff {
  const before = new Map<Seq, EntryExplanation>(earlier.entries.map((entry) => [entry.seq, entry]));
  const common = later.entries.flatMap((entry) => {
    const other = before.get(entry.seq);
    return other === undefined ? [] : [{ entry, other }];
  });
  const layerIds = new Set([...earlier.layers, ...later.layers].map(({ id }) => id));
  const sizeIn = ({ layers }: Explanation, id: string): Tokens => layers.find((layer) => layer.id === id)?.tokens ?? 0;
  return {
    earlier: earlier.request,
    later: later.request,
    tokens: { earlier: earlier.tokens, later: later.tokens },
    entries: common
      .filter(({ entry, other }) => verdictText(entry) !== verdictText(other))
      .map(({ entry: { seq, role, preview, verdict }, other }) => {
        return { seq, role, preview, earlier: other.verdict, later: verdict };
      }),
    arrived: later.entries.length - common.length,
    layers: [...layerIds]
      .map((id) => ({ id, earlier: sizeIn(earlier, id), later: sizeIn(later, id) }))
      .filter((layer) => layer.earlier !== layer.later),
    firstChangedByte: later.firstChangedByte,
    firstChange,
  };
}
