/** Damage that was found in a journal, and what became of it. Nothing is thrown, and no byte is destroyed. */
export interface RepairEvent {
  /**
   * - `torn-tail`: the last append was not finished; its bytes were moved to `quarantine`.
   * - `missing-line-feed`: the last line was whole but not ended; a line feed was added.
   * - `bad-line`: bytes inside the file are no entry; they are skipped and stay where they are.
   * - `glued-lines`: several entries stood on one line; each was read.
   * - `bad-header`: the first line is not the header of this session; one was made up, in memory.
   */
  readonly kind: 'torn-tail' | 'missing-line-feed' | 'bad-line' | 'glued-lines' | 'bad-header';
  readonly sessionId: string;
  readonly file: string;
  /** Where the bytes begin in the file. */
  readonly offset: number;
  /** How many bytes. */
  readonly length: number;
  /** The file that the bytes were moved to. */
  readonly quarantine?: string;
}

/** Takes damage that was found; tells the listener of each place once. */
export type ReportRepair = (damage: Pick<RepairEvent, 'kind' | 'offset' | 'length' | 'quarantine'>) => void;

/** After so many places the first are forgotten, and may be told again. */
const rememberedPlaces = 1_000;

/** Passes damage of one journal on, each place once: the same line is read again and again. */
export function createRepairReport(
  journal: Pick<RepairEvent, 'sessionId' | 'file'>,
  onRepair: ((event: RepairEvent) => void) | undefined,
): ReportRepair {
  const told = new Set<string>();
  return (damage) => {
    const place = `${damage.kind} ${damage.offset} ${damage.length}`;
    if (onRepair === undefined || told.has(place)) return;
    if (told.size === rememberedPlaces) told.clear();
    told.add(place);
    try {
      onRepair({ ...journal, ...damage });
    } catch {
      // A listener only watches: reading goes on whatever it does.
    }
  };
}
