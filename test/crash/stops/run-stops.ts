import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DiskHistory, type DiskStop, type MemoryDisk, memoryFileSystem } from '@varve/testkit/file-system';
import type { Fault } from '../oracle/fault.ts';
import { judgeStop, sessionsAt } from '../oracle/judge-stop.ts';
import { recover, type Scope } from './recover.ts';
import type { Recording } from './script.ts';

/** A point at which a disk is stopped. */
export interface StopPoint extends DiskStop {
  /** For a report: tells the point from all others. */
  readonly name: string;
  /**
   * Whether the disk that was recovered loses its power, too, and is recovered once more: what was read of it then is
   * still there. @default false
   */
  readonly isTwice?: boolean | undefined;
}

/** What became of many points. */
export interface StopResult {
  readonly points: number;
  readonly failed: number;
  /** The first of them. */
  readonly faults: readonly (Fault & { readonly point: string })[];
}

/** Points that are recovered at the same time: some wait for time to pass. */
const atOnce = 16;

/** Most faults that are kept. */
const mostFaults = 20;

let mounts = 0;

/** Recovers a disk at each point, and judges what is there. Points must be in order. */
export async function runStops(
  recording: Recording,
  points: Iterable<StopPoint>,
  { isReal = false }: { readonly isReal?: boolean } = {},
): Promise<StopResult> {
  const history = new DiskHistory(recording.changes);
  const faults: (Fault & { readonly point: string })[] = [];
  let failed = 0;
  let count = 0;
  const left = points[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const point = next.value;
      count += 1;
      const found = await tryPoint(recording, { point, disk: history.stoppedAt(point), isReal });
      if (found.length > 0) failed += 1;
      if (faults.length < mostFaults) faults.push(...found.map((fault) => ({ ...fault, point: point.name })));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { points: count, failed, faults };
}

async function tryPoint(
  recording: Recording,
  { point, disk, isReal }: { readonly point: StopPoint; readonly disk: MemoryDisk; readonly isReal: boolean },
): Promise<readonly Fault[]> {
  const scope = touchedBy(recording, point, disk);
  try {
    const trial = { point, disk, scope };
    return await (isReal ? tryOnDisk(recording, trial) : tryInMemory(recording, trial));
  } catch (error) {
    return [{ rule: 'worker', text: `threw ${error instanceof Error ? error.stack : error}` }];
  }
}

interface Trial {
  readonly point: StopPoint;
  readonly disk: MemoryDisk;
  readonly scope: Scope;
}

async function tryInMemory({ claims }: Recording, { point, disk, scope }: Trial): Promise<readonly Fault[]> {
  const at = point.change;
  const seen = await recover(mounted(disk), scope);
  const faults = judgeStop(claims, { at, seen });
  if (point.isTwice !== true || faults.length > 0) return faults;
  disk.losePower();
  disk.age(60_000);
  const again = await recover(mounted(disk), scope);
  return [...scope.sessionIds].flatMap((sessionId): readonly Fault[] => {
    const [before = [], after = []] = [seen.get(sessionId)?.entries, again.get(sessionId)?.entries];
    if (before.join('\n') === after.join('\n')) return [];
    const counts = `${before.length} entries, and ${after.length} after a loss of power`;
    return [{ rule: 'lost', text: `${sessionId}: there were ${counts}` }];
  });
}

/** A name of its own: locks are known by paths, in the whole process. */
function mounted(disk: MemoryDisk): Parameters<typeof recover>[0] {
  mounts += 1;
  const fileSystem = memoryFileSystem({ disk, mount: `/memory-${mounts}` });
  return { root: `${fileSystem.mount}/store`, fileSystem };
}

async function tryOnDisk({ claims }: Recording, { point, disk, scope }: Trial): Promise<readonly Fault[]> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-stop-'));
  try {
    for (const { path, id } of disk.files()) {
      // Of a process that is gone; which one, nobody knows any more.
      if (path.endsWith('.owner')) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), disk.bytesOf(id));
    }
    return judgeStop(claims, { at: point.change, seen: await recover({ root: join(folder, 'store') }, scope) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Whom a point concerns: within a write to one file those whose file it is, as nothing else was different at the point
 * before; between two changes everybody.
 */
function touchedBy(
  { changes, claims }: Recording,
  { change, bytes = 0, loses = 'nothing' }: StopPoint,
  disk: MemoryDisk,
): Scope {
  const sessionIds = sessionsAt(claims, change);
  const next = changes[change];
  if (bytes === 0 || next?.kind !== 'write' || loses !== 'nothing') return { sessionIds, looksAt: 'both' };
  const path = [...disk.files()].find(({ id }) => id === next.node)?.path ?? '';
  const [, sessionId = ''] = /(?:sessions|archive)\/([^/]+)\.jsonl(?:\.gz|\.gz\.new|\.new)?$/.exec(path) ?? [];
  if (sessionIds.has(sessionId)) return { sessionIds: new Set([sessionId]), looksAt: 'journals' };
  return { sessionIds, looksAt: /sessions\.jsonl/.test(path) ? 'records' : 'both' };
}
