import type { EntryExplanation, Explanation, Message, Seq, Tokens, Verdict } from '@varve/core';

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
    readonly tokens: Tokens;
    readonly earlier: Verdict;
    readonly later: Verdict;
  }[];
  /** Entries that only the later request knew. */
  readonly arrived: readonly Pick<EntryExplanation, 'seq' | 'role' | 'preview' | 'tokens' | 'verdict'>[];
  /** Text layers of another size; 0 where a request had none. */
  readonly layers: readonly { readonly id: string; readonly earlier: Tokens; readonly later: Tokens }[];
  /**
   * The smallest byte that changed from one request to the next, from the earlier to the later, and in which; `null` when
   * each only grew: caches held throughout.
   */
  readonly firstChange: { readonly request: number; readonly byte: number } | null;
}

/**
 * Compares two requests as they were recorded when they were made.
 *
 * @param options.between  First changed bytes of the requests behind the earlier one, up to the later one.
 */
export function diffRequests(
  earlier: Explanation,
  later: Explanation,
  { between }: { readonly between: readonly { readonly request: number; readonly firstChangedByte: number | null }[] },
): RequestDiff {
  const before = new Map<Seq, EntryExplanation>(earlier.entries.map((entry) => [entry.seq, entry]));
  const layerIds = new Set([...earlier.layers, ...later.layers].map(({ id }) => id));
  const sizeIn = ({ layers }: Explanation, id: string): Tokens => layers.find((layer) => layer.id === id)?.tokens ?? 0;
  return {
    earlier: earlier.request,
    later: later.request,
    tokens: { earlier: earlier.tokens, later: later.tokens },
    entries: later.entries.flatMap(({ seq, role, preview, tokens, verdict }) => {
      const other = before.get(seq);
      if (other === undefined || isSame(other.verdict, verdict)) return [];
      return [{ seq, role, preview, tokens, earlier: other.verdict, later: verdict }];
    }),
    arrived: later.entries
      .filter(({ seq }) => !before.has(seq))
      .map(({ seq, role, preview, tokens, verdict }) => ({ seq, role, preview, tokens, verdict })),
    layers: [...layerIds]
      .map((id) => ({ id, earlier: sizeIn(earlier, id), later: sizeIn(later, id) }))
      .filter((layer) => layer.earlier !== layer.later),
    firstChange: firstChangeIn(between),
  };
}

function isSame(one: Verdict, other: Verdict): boolean {
  return one.kind === other.kind && one.rule === other.rule && one.by === other.by;
}

function firstChangeIn(
  between: readonly { readonly request: number; readonly firstChangedByte: number | null }[],
): RequestDiff['firstChange'] {
  let first: RequestDiff['firstChange'] = null;
  for (const { request, firstChangedByte: byte } of between) {
    if (byte !== null && (first === null || byte < first.byte)) first = { request, byte };
  }
  return first;
}
