export { type SummaryCompactionOptions, summaryCompaction } from './summary-compaction.ts';
