import { interleave } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import { once } from '../../measured/comparison-row.ts';
import { makeHistory } from '../data/histories.ts';
import { bytesOfLastLines, parseTail } from '../limits/parse-tail.ts';
import { loadWholeTranscript } from '../peers/article-loader.ts';
import type { StorageWorkload } from '../storage-bench.ts';
import { bytesToWake, messagesInPrompt, wake } from '../wake.ts';

const own = 'host.open';
const loader = 'article loader (whole file)';
const limit = 'one read + JSON.parse of what a prompt holds';

/** B6: a session of 100 MB that was never compacted. */
export const wakeWithoutCheckpoint: StorageWorkload = {
  id: 'B6',
  title: 'wake a session of 100 MB that was never compacted',
  run: async (bench) => {
    const entries = bench.isQuick ? 7_200 : 72_000;
    const { root, journalFile, journalBytes } = await makeHistory({
      folder: bench.folder('plain'),
      entries,
      compaction: null,
    });
    const before = bench.collect;
    const kept = bytesOfLastLines(journalFile, await messagesInPrompt(root));
    const measured = await interleave(
      [
        { name: own, before, run: () => wake(root) },
        { name: loader, before, run: () => loadWholeTranscript(journalFile).length },
        { name: limit, before, run: () => parseTail(journalFile, kept) },
      ],
      { rounds: Math.min(7, bench.often.rounds ?? 7), warmUps: 1 },
    );
    const measurement = { workload: 'B6', measured, own };
    const read = await bytesToWake({ root });
    const megabytes = (count: number): string => (count / 1e6).toFixed(1);
    return {
      rows: [
        againstPeer(measurement, loader, { goal: 20 }),
        againstLimit(measurement, limit, { goal: 3 }),
        {
          workload: 'B6',
          name: 'bytes read',
          what: 'bytes read / bytes that the prompt holds, less 128 KB',
          figure: once((read - 131_072) / kept),
          unit: '×',
          better: 'less',
          goal: 2,
          detail: `${megabytes(read)} MB of ${megabytes(journalBytes)}, ${megabytes(kept)} MB in the prompt`,
        },
      ],
      notes: [
        'Without a checkpoint, settings, state slots and keys may stand anywhere, so all of the journal is read and folded. A session that is compacted at all never gets there.',
      ],
    };
  },
};
