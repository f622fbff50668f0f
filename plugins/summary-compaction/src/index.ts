export { type SummaryCompactionOptions, summaryCompaction } from './summary-compaction.ts';
export type { SummaryModel } from './summary-model.ts';
