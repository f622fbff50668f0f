/** Damage that was found in a journal or an index, and what became of it. Nothing is thrown, and no byte is destroyed. */
export interface RepairEvent {
  /**
   * In a journal:
   * - `torn-tail`: the last append was not finished; its bytes were moved to `quarantine`.
   * - `missing-line-feed`: the last line was whole but not ended; a line feed was added.
   * - `bad-line`: bytes inside the file are no entry; they are skipped and stay where they are.
   * - `glued-lines`: several entries stood on one line, or something beside one; each entry was read.
   * - `bad-header`: the first line is not the header of this session; one was made up, in memory.
   * - `empty-file`: the file was there, and nothing in it.
   * - `duplicate-entry`: an entry has a seq that was there before; the first counts.
   * - `missing-entry`: an entry does not follow the one before, and nothing is left of those between.
   * - `carriage-return`: lines end as on another system; they were read.
   * - `byte-order-mark`: the file begins with one; it was passed over.
   * - `bad-block`: bytes of an archive are not as they were written; the place is one in the archive. Entries of that block
   *   are lost, if any: then the place in the journal is told, too, as `bad-line`.
   *
   * In the index of an agent's sessions:
   * - `bad-index`: bytes are no record, or the file is empty or has no beginning. A writer moves them to `quarantine`.
   * - `missing-index`: there are journals and no index.
   * - `index-rebuilt`: records were made anew from the journals that had none.
   */
  readonly kind:
    | 'torn-tail'
    | 'missing-line-feed'
    | 'bad-line'
    | 'glued-lines'
    | 'bad-header'
    | 'empty-file'
    | 'duplicate-entry'
    | 'missing-entry'
    | 'carriage-return'
    | 'byte-order-mark'
    | 'bad-block'
    | 'bad-index'
    | 'missing-index'
    | 'index-rebuilt';
  /** `null` for an index. */
  readonly sessionId: string | null;
  readonly file: string;
  /** Where the bytes begin in the file; of a journal that is in an archive, in the journal as it was. */
  readonly offset: number;
  /** How many bytes. */
  readonly length: number;
  /** The file that the bytes were moved to. */
  readonly quarantine?: string;
}

/** Takes damage that was found, of another file where one is named; tells the listener of each place once. */
export type ReportRepair = (
  damage: Pick<RepairEvent, 'kind' | 'offset' | 'length' | 'quarantine'> & Partial<Pick<RepairEvent, 'file'>>,
) => void;

/** After so many places the first are forgotten, and may be told again. */
const rememberedPlaces = 1_000;

/** Passes damage of one file on, each place once: the same line is read again and again. */
export function createRepairReport(
  about: Pick<RepairEvent, 'sessionId' | 'file'>,
  onRepair: ((event: RepairEvent) => void) | undefined,
): ReportRepair {
  const told = new Set<string>();
  return (damage) => {
    const place = `${damage.kind} ${damage.offset} ${damage.length} ${damage.quarantine ?? ''}`;
    if (onRepair === undefined || told.has(place)) return;
    if (told.size === rememberedPlaces) told.clear();
    told.add(place);
    try {
      onRepair({ ...about, ...damage });
    } catch {
      // A listener only watches: reading goes on whatever it does.
    }
  };
}
