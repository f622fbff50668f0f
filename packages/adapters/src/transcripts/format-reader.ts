import type { JsonValue } from '@varve/core';
import type { TranscriptRecord } from './transcript-record.ts';

/** One line that holds a JSON value. */
export interface ReadableLine {
  readonly line: number;
  /** Length of the line in the file, in bytes. */
  readonly bytes: number;
  readonly value: JsonValue;
}

/** Turns the lines of one file into records. May hold a bounded number back, and gives those at the end. */
export interface FormatReader {
  read(source: ReadableLine): readonly TranscriptRecord[];
  end(): readonly TranscriptRecord[];
}
