import { interleave } from '../../interleave.ts';
import { againstLimit, againstPeer, type Limits } from '../../measured/compared.ts';
import { type ComparisonRow, milliseconds, once } from '../../measured/comparison-row.ts';
import type { History } from '../data/histories.ts';
import { inOwnProcess } from '../in-own-process.ts';
import { bytesOfLastLines } from '../limits/parse-tail.ts';
import { loadPeer } from '../peers/load-peer.ts';
import { loadPi, type PiSessions } from '../peers/pi.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';
import { bytesToWake, readTail, wake } from '../wake.ts';
import { type WakeFiles, type WayToWake, wakeContender } from '../wake-contender.ts';

const own = 'host.open';
const ownPrompt = 'host.open and the first prompt';
const ownTail = 'tail of the journal';
const pi = 'pi open + context';
const limit = 'one read + JSON.parse of the tail';

const limitsOf = new Map<number, Limits>([
  [10_000, { must: 40, goal: 100 }],
  [100_000, { must: 400, goal: 1_000 }],
]);

/** Most bytes by which memory grows. */
const mostMegabytes = 16;

/** B5: a session is woken whose last compaction is some hundred entries from its end. */
export const wakeUp: StorageWorkload = {
  id: 'B5',
  title: 'wake a session, with a checkpoint near its end',
  run: async (bench) => {
    const sizes = [1_000, 10_000, ...(bench.isQuick ? [] : [100_000]), ...(bench.isLarge ? [1_000_000] : [])];
    const histories: History[] = [];
    for (const entries of sizes) histories.push(await bench.history(entries));
    const peer = await loadPeer('pi SessionManager', loadPi);
    const rows: ComparisonRow[] = [];
    const notes: string[] = [];
    for (const history of histories) {
      bench.say(`  ${history.entries.toLocaleString('en')} entries`);
      const measured = await rowsOf(history, { bench, sessions: peer.peer, shortest: histories[0] ?? history });
      rows.push(...measured.rows);
      notes.push(...measured.notes);
    }
    rows.push(...(await shapeRows(histories, bench)));
    const [short] = histories;
    const long = histories.at(-1);
    if (short !== undefined && long !== undefined) rows.push(await memoryRow(short, long));
    return { rows, notes, missing: peer.missing === null ? [] : [peer.missing] };
  },
};

async function rowsOf(
  history: History,
  with_: { readonly bench: StorageBench; readonly sessions: PiSessions | null; readonly shortest: History },
): Promise<{ readonly rows: readonly ComparisonRow[]; readonly notes: readonly string[] }> {
  const { bench, sessions, shortest } = with_;
  const { entries } = history;
  const of = `${entries.toLocaleString('en')} entries`;
  const throws = sessions === null ? null : whyPiThrows(history, sessions);
  const withPi = sessions !== null && throws === null;
  const ways = new Map<string, WayToWake>([
    [own, 'open'],
    [ownPrompt, 'prompt'],
    [ownTail, 'tail'],
    [limit, 'limit'],
    ...(withPi ? ([[pi, 'pi']] as const) : []),
  ]);
  const folder = bench.folder('pi');
  const [files, short] = [await filesOf(history, folder), await filesOf(shortest, folder)];
  const started: Awaited<ReturnType<typeof wakeContender>>[] = [];
  // One after the other: each gets warm with the same session, and one process at a time may have it open.
  for (const [name, how] of ways) started.push(await wakeContender(name, { how, files, short }));
  const rounds = Math.min(7, bench.often.rounds ?? 7);
  const contenders = started.map(({ contender }) => contender);
  const measured = await interleave(contenders, { rounds, warmUps: entries > 10_000 ? 1 : 2 });
  for (const { close } of started) close();
  const measurement = { workload: 'B5', measured, own, of };
  return {
    rows: [
      ...(withPi
        ? [
            againstPeer(measurement, pi, limitsOf.get(entries)),
            againstPeer({ ...measurement, own: ownPrompt, of: `${of}, first prompt too` }, pi),
          ]
        : []),
      againstLimit({ ...measurement, own: ownTail }, limit, { goal: 3 }),
      againstLimit({ ...measurement, of: `${of}, host.open` }, limit),
    ],
    notes: throws === null ? [] : [`pi cannot open the session of ${of}: ${throws}`],
  };
}

async function filesOf({ root, journalFile, piFile, tailEntries }: History, folder: string): Promise<WakeFiles> {
  const read = await readTail(root);
  // Whoever reads less than a prompt shows is fast for nothing.
  if (read !== tailEntries) throw new Error(`The tail has ${read} entries, not ${tailEntries}.`);
  return { root, journalFile, piFile, tailBytes: bytesOfLastLines(journalFile, read), folder };
}

/** What pi says of a file that it cannot open; `null` when it can. Small ones it can. */
function whyPiThrows({ piFile, entries }: History, sessions: PiSessions): string | null {
  if (entries <= 100_000) return null;
  try {
    sessions.open(piFile, '.');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether waking costs more behind a long history than behind a short one. */
async function shapeRows(histories: readonly History[], bench: StorageBench): Promise<readonly ComparisonRow[]> {
  const nameOf = ({ entries }: History): string => entries.toLocaleString('en');
  const contenders = histories.map((history) => ({
    name: nameOf(history),
    before: bench.collect,
    run: () => wake(history.root),
  }));
  const measured = await interleave(contenders, { rounds: bench.isQuick ? 5 : 21, warmUps: 3 });
  const [short, ...longer] = histories;
  if (short === undefined) return [];
  return longer.map((history) => ({
    workload: 'B5',
    name: `flat to ${nameOf(history)}`,
    what: `ours, ${nameOf(history)} entries / ${nameOf(short)}`,
    figure: measured.ratio(nameOf(history), nameOf(short)),
    unit: '×',
    better: 'less',
    must: history.entries > 10_000 ? 1.5 : undefined,
    detail: `${milliseconds(measured.spread(nameOf(history)).median)} and ${milliseconds(measured.spread(nameOf(short)).median)}`,
  }));
}

async function memoryRow(short: History, long: History): Promise<ComparisonRow> {
  const { bytes } = await inOwnProcess<{ readonly bytes: number }>('measure-wake.ts', [short.root, long.root]);
  const read = await bytesToWake(long);
  const megabytes = (count: number): string => (count / 1e6).toFixed(1);
  return {
    workload: 'B5',
    name: 'memory',
    what: `memory that waking ${long.entries.toLocaleString('en')} entries adds`,
    figure: once(bytes / 1e6),
    unit: 'MB',
    better: 'less',
    must: mostMegabytes,
    detail: `${megabytes(read)} MB read of ${megabytes(long.journalBytes)}`,
  };
}
