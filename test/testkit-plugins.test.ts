import { legacyEngine } from '@varve/plugin-legacy-engine';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { describePlugin } from '@varve/testkit/vitest';

describePlugin('ttlPruning', ttlPruning);
describePlugin('ttlPruning with everything pruned early', ttlPruning, {
  options: { keepLastAssistants: 0, softTrimRatio: 0, hardClearRatio: 0, minPrunableToolChars: 0 },
});
describePlugin('summaryCompaction', summaryCompaction);
describePlugin('summaryCompaction by number of messages', summaryCompaction, { options: { compactAtMessages: 12 } });
describePlugin('legacyEngine', legacyEngine);
