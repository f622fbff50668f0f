import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import { interleave } from '../../interleave.ts';
import { againstPeer } from '../../measured/compared.ts';
import { milliseconds, once } from '../../measured/comparison-row.ts';
import { historySession } from '../data/histories.ts';
import { createCountingFileSystem } from '../limits/counting-file-system.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';
import { type WakeFiles, wakeContender } from '../wake-contender.ts';

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
    const short = filesOf((await bench.history(1_000)).root, bench);
    const [tornRoot, wholeRoot] = [copyOf(history.root, bench), copyOf(history.root, bench)];
    const files = filesOf(tornRoot, bench);
    const tear = (): void => appendFileSync(files.journalFile, torn);
    // A run repairs the file: it is torn before each, and woken once.
    const singly = { short, leastMs: 0 };
    const ways = [
      () => wakeContender(own, { ...singly, how: 'open', files, before: tear }),
      () => wakeContender(whole, { ...singly, how: 'open', files: filesOf(wholeRoot, bench) }),
      ...(bench.isLarge ? [] : [() => wakeContender(loader, { ...singly, how: 'loader', files })]),
    ];
    const started: Awaited<ReturnType<typeof wakeContender>>[] = [];
    for (const start of ways) started.push(await start());
    const contenders = started.map(({ contender }) => contender);
    const measured = await interleave(contenders, { ...bench.often, warmUps: 1 });
    for (const { close } of started) close();
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

function filesOf(root: string, bench: StorageBench): WakeFiles {
  const journalFile = join(root, 'agents/main/sessions', `${historySession}.jsonl`);
  return { root, journalFile, piFile: '', tailBytes: 0, folder: bench.folder('pi') };
}

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
