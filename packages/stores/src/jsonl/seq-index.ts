import type { Seq } from '@varve/core';

/** Where the line of a seq begins. */
interface SeqPlace {
  readonly seq: Seq;
  readonly offset: number;
}

/** A stretch in which no line begins: a long line, from somewhere in it to its end. */
interface Gap {
  readonly from: number;
  /** Where the next line begins. */
  readonly to: number;
}

/** Samples of where lines begin, sorted by seq and offset alike: a hint for searches, never the truth. */
export interface SeqIndex {
  /** Keeps a place, unless one nearby is known. */
  note(place: SeqPlace): void;
  /** The nearest place known before `seq`. */
  before(seq: Seq): SeqPlace | undefined;
  /** The nearest place known at `seq` or behind it. */
  from(seq: Seq): SeqPlace | undefined;
  /** Keeps that no line begins between two places. */
  noteGap(gap: Gap): void;
  /** The first place at `offset` or behind it where a line may begin. */
  behindGap(offset: number): number;
  /** Forgets everything. */
  clear(): void;
}

/** Samples held; with more, every other one is dropped. 16 bytes each: 500 open journals take 16 MB at most. */
const mostSamples = 2_048;

/** Distance of samples in a short journal. Reading so many lines costs about as much as finding the first. */
const firstStride = 64;

/** Shorter gaps are read through rather than kept. */
const shortestGap = 65_536;

/** Gaps held; with more, the oldest is dropped. */
const mostGaps = 256;

/** Makes an empty index. */
export function createSeqIndex(): SeqIndex {
  /** By where they end. */
  const gaps = new Map<number, Gap>();
  let places: SeqPlace[] = [];
  let stride = firstStride;
  const positionOf = (seq: Seq): number => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    note: (place) => {
      const newest = places.at(-1);
      if (newest !== undefined && place.seq >= newest.seq && place.seq < newest.seq + stride) return;
      const position = positionOf(place.seq);
      const earlier = places[position - 1];
      const later = places[position];
      if (earlier !== undefined && place.seq - earlier.seq < stride) return;
      if (later !== undefined && later.seq - place.seq < stride) return;
      places.splice(position, 0, { seq: place.seq, offset: place.offset });
      if (places.length <= mostSamples) return;
      places = places.filter((_place, index) => index % 2 === 0);
      stride *= 2;
    },
    before: (seq) => places[positionOf(seq) - 1],
    from: (seq) => places[positionOf(seq)],
    noteGap: ({ from, to }) => {
      if (to - from < shortestGap) return;
      const known = gaps.get(to);
      gaps.set(to, { from: Math.min(from, known?.from ?? from), to });
      const [oldest] = gaps.keys();
      if (gaps.size > mostGaps && oldest !== undefined) gaps.delete(oldest);
    },
    behindGap: (offset) => {
      for (const { from, to } of gaps.values()) if (offset >= from && offset < to) return to;
      return offset;
    },
    clear: () => {
      gaps.clear();
      places = [];
      stride = firstStride;
    },
  };
}
