export { type ReadTranscriptOptions, readTranscript, type Transcript } from './read-transcript.ts';
export type { ReadProgress } from './source-lines.ts';
export type {
  CompactionRecord,
  DamagedRecord,
  ItemRecord,
  MessageRecord,
  ModelCall,
  SettingRecord,
  TranscriptCompaction,
  TranscriptFormat,
  TranscriptRecord,
  UnknownRecord,
} from './transcript-record.ts';
