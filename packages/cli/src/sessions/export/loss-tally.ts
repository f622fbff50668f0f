/** Counts what a form has no place for, by what it is: a type of entries, or a part of messages. */
export interface LossTally {
  note(what: string, count?: number): void;
  /** What was left out so far, in the order in which it first was. */
  readonly lost: Readonly<Record<string, number>>;
}

/** Makes an empty tally. */
export function createLossTally(): LossTally {
  const lost: Record<string, number> = {};
  return {
    lost,
    note: (what, count = 1) => {
      if (count > 0) lost[what] = (lost[what] ?? 0) + count;
    },
  };
}

/** A sentence that names what was left out; empty for nothing. */
export function lossText({ lost }: LossTally): string {
  const parts = Object.entries(lost).map(([what, count]) => `${count} × ${what}`);
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`;
}
