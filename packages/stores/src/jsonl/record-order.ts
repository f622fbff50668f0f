import type { SessionRecord } from '@varve/core';

/**
 * Records, the last updated first. Put in order when somebody first asks; from then on a change moves one record, so that
 * a list behind an update costs no sort of all.
 */
export class RecordOrder {
  /** `null` until somebody asks. */
  #sorted: SessionRecord[] | null = null;

  /** All records in order. Valid until the next change. */
  of(records: () => Iterable<SessionRecord>): readonly SessionRecord[] {
    this.#sorted ??= [...records()].sort((a, b) => b.updatedAt - a.updatedAt);
    return this.#sorted;
  }

  /** Puts a record in the place of another one; either may be missing. */
  replace(before: SessionRecord | undefined, after: SessionRecord | undefined): void {
    if (this.#sorted === null) return;
    if (before !== undefined && !this.#remove(before)) this.#sorted = null;
    if (after !== undefined) this.#sorted?.splice(this.#placeOf(after), 0, after);
  }

  #remove(record: SessionRecord): boolean {
    const sorted = this.#sorted ?? [];
    for (let at = this.#placeOf(record); sorted[at]?.updatedAt === record.updatedAt; at += 1) {
      if (sorted[at] !== record) continue;
      sorted.splice(at, 1);
      return true;
    }
    return false;
  }

  /** The first place whose record was not updated later. */
  #placeOf({ updatedAt }: SessionRecord): number {
    const sorted = this.#sorted ?? [];
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.updatedAt ?? updatedAt) > updatedAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
