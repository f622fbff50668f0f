import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import { interleave } from '../../interleave.ts';
import { againstPeer } from '../../measured/compared.ts';
import { milliseconds, once } from '../../measured/comparison-row.ts';
import { historySession } from '../data/histories.ts';
import { createCountingFileSystem } from '../limits/counting-file-system.ts';
import { loadWholeTranscript } from '../peers/article-loader.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';
import { wake } from '../wake.ts';

const own = 'host.open, torn';
const whole = 'host.open, whole';
const loader = 'article loader (whole file)';

/** The beginning of a line whose rest was never written, and what a disk may leave behind it. */
const torn = Buffer.concat([Buffer.from(`{"v":1,"id":"01J","text":"${'x'.repeat(2_000)}`), Buffer.alloc(4_096)]);

/** B16: a long journal ends in the middle of a line, with garbage behind it. */
export const tornTail: StorageWorkload = {
  id: 'B16',
  title: 'wake a long session whose file ends in a torn line',
  run: async (bench) => {
    const entries = bench.isLarge ? 1_000_000 : bench.isQuick ? 10_000 : 100_000;
    const history = await bench.history(entries);
    const [tornRoot, wholeRoot] = [copyOf(history.root, bench), copyOf(history.root, bench)];
    const file = join(tornRoot, 'agents/main/sessions', `${historySession}.jsonl`);
    const before = bench.collect;
    const tear = (): void => {
      appendFileSync(file, torn);
      bench.collect();
    };
    for (let time = 0; time < 30; time += 1) await wake(wholeRoot);
    const measured = await interleave(
      [
        { name: own, before: tear, run: () => wake(tornRoot) },
        { name: whole, before, run: () => wake(wholeRoot) },
        ...(bench.isLarge ? [] : [{ name: loader, before, run: () => loadWholeTranscript(file).length }]),
      ],
      { ...bench.often, warmUps: 1 },
    );
    tear();
    const { lastSeq, bytesRead } = await recovered(tornRoot);
    return {
      rows: [
        {
          workload: 'B16',
          name: 'torn',
          what: 'ours, torn / whole',
          figure: measured.ratio(own, whole),
          unit: '×',
          better: 'less',
          goal: 1.2,
          detail: `${milliseconds(measured.spread(own).median)} and ${milliseconds(measured.spread(whole).median)}`,
        },
        ...(bench.isLarge ? [] : [againstPeer({ workload: 'B16', measured, own }, loader)]),
        {
          workload: 'B16',
          name: 'lost',
          what: 'acknowledged entries that are lost',
          figure: once(entries - lastSeq),
          unit: 'count',
          better: 'less',
          must: 0,
          detail: `${(bytesRead / 1e6).toFixed(1)} MB read of ${(history.journalBytes / 1e6).toFixed(0)}`,
        },
      ],
    };
  },
};

function copyOf(root: string, bench: StorageBench): string {
  const copy = bench.folder('copy');
  cpSync(root, copy, { recursive: true });
  return copy;
}

/** What is there after the repair, and what that has read. */
async function recovered(root: string): Promise<{ readonly lastSeq: number; readonly bytesRead: number }> {
  const { fileSystem, counts } = createCountingFileSystem();
  const store = jsonlStore({ root, fileSystem });
  const journal = await store.open(historySession, { create: { v: 1, sessionId: historySession, createdAt: 0 } });
  const { entries } = await journal.tail();
  await store[Symbol.asyncDispose]();
  return { lastSeq: entries.at(-1)?.seq ?? 0, bytesRead: counts.bytesRead };
}
