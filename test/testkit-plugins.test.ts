import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { legacyEngine } from '@varve/plugin-legacy-engine';
import { memoryFlush } from '@varve/plugin-memory-flush';
import { recall } from '@varve/plugin-recall';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sendPolicy } from '@varve/plugin-send-policy';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { workspaceLayers } from '@varve/plugin-workspace-layers';
import { describePlugin } from '@varve/testkit/vitest';
import { afterAll } from 'vitest';

describePlugin('ttlPruning', ttlPruning);
describePlugin('ttlPruning with everything pruned early', ttlPruning, {
  options: { keepLastAssistants: 0, softTrimRatio: 0, hardClearRatio: 0, minPrunableToolChars: 0 },
});
describePlugin('recall', recall);
describePlugin('recall in mode quality', recall, { options: { mode: 'quality' } });
describePlugin('summaryCompaction', summaryCompaction);
describePlugin('summaryCompaction by number of messages', summaryCompaction, { options: { compactAtMessages: 12 } });
describePlugin('sendPolicy', sendPolicy);
describePlugin('sendPolicy with rules', sendPolicy, {
  options: { rules: [{ action: 'deny', match: { chatType: 'group', addressed: 'any' } }], timeZone: 'UTC' },
});
describePlugin('legacyEngine', legacyEngine);
describePlugin('resetPolicy', resetPolicy);
describePlugin('resetPolicy that ends every idle talk', resetPolicy, { options: { mode: 'idle', idleMinutes: 1 } });

const dir = mkdtempSync(join(tmpdir(), 'varve-testkit-'));
writeFileSync(join(dir, 'AGENTS.md'), 'Say less.\n');
writeFileSync(join(dir, 'MEMORY.md'), 'Ada likes tea.\n');
afterAll(() => rmSync(dir, { recursive: true }));

describePlugin('workspaceLayers', workspaceLayers, { options: { dir, timeZone: 'UTC', shareWithGroups: true } });
describePlugin('memoryFlush', memoryFlush, { options: { dir: join(dir, 'flushed'), timeZone: 'UTC' } });
