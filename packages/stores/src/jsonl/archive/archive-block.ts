import type { OpenFile } from '../file-system.ts';
import type { ReportRepair } from '../repair-report.ts';

/** A block of an archive, or the bytes where one has to be. */
export interface ArchiveBlock {
  /** Where it begins in the file, and how long it is there. */
  readonly at: number;
  readonly length: number;
  /** Which bytes of the journal it holds; of bytes where nobody knows it, none. */
  readonly from: number;
  readonly size: number;
}

/** An archive that is looked at. */
export interface ArchiveSource {
  readonly file: OpenFile;
  /** Bytes of the file. */
  readonly size: number;
  /** Told of what is not as it was written, with places in the archive's own file. */
  readonly report: ReportRepair;
}

/** More blocks than an archive has: that of a journal of 32 GB or more. What is behind them is not read. */
export const mostBlocks = 1_048_576;
