/** How much of the texts of a conversation a page holds: one that is too large opens in no browser. */
export interface TextBudget {
  /** The text, or its beginning with the length that it has. */
  take(text: string): { readonly text: string; readonly characters?: number };
}

/** Of one text. */
const mostOfOne = 20_000;
/** Of a text behind those that were enough. */
const leastOfOne = 200;
/** Of all texts together. */
const mostOfAll = 24_000_000;

/** Counts from nothing on. */
export function createTextBudget(): TextBudget {
  let taken = 0;
  return {
    take: (whole) => {
      const most = taken < mostOfAll ? mostOfOne : leastOfOne;
      const text = whole.length > most ? whole.slice(0, most) : whole;
      taken += text.length;
      return whole.length > text.length ? { text, characters: whole.length } : { text };
    },
  };
}
