import type { RepairEvent } from '@varve/stores/jsonl';
import { type Random, seededRandom } from '@varve/testkit';
import { DiskHistory, type DiskStop, type MemoryDisk, memoryFileSystem } from '@varve/testkit/file-system';
import type { Fault } from '../oracle/fault.ts';
import { recover } from './recover.ts';
import type { Recording } from './script.ts';

/** What became of disks on which one byte is another. */
export interface FlipsResult {
  readonly points: number;
  readonly failed: number;
  readonly faults: readonly (Fault & { readonly point: string })[];
  /** How many were in an index, how many in an archive, and how many lost an entry or a change of a record. */
  readonly inIndexes: number;
  readonly inArchives: number;
  readonly lossy: number;
}

interface Flip {
  readonly path: string;
  readonly offset: number;
  readonly bit: number;
  /** The line as it was, and as it is. */
  readonly before: string;
  readonly after: string;
}

let mounts = 0;

/** Changes one bit after the other on the disk that a recording leaves, and reads all that is on it. */
export async function flipEverywhere(
  recording: Recording,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<FlipsResult> {
  const whole: DiskStop = { change: recording.changes.length };
  const random = seededRandom(seed);
  const sessionIds = new Set(recording.claims.map((claim) => claim.sessionId));
  const scope = { sessionIds, looksAt: 'both' } as const;
  const history = new DiskHistory(recording.changes);
  const sound = await recover(mounted(history.stoppedAt(whole)), scope);
  const faults: (Fault & { readonly point: string })[] = [];
  const result = { points: count, failed: 0, inIndexes: 0, inArchives: 0, lossy: 0 };
  for (let number = 0; number < count; number += 1) {
    const disk = history.stoppedAt(whole);
    const flip = flipBit(disk, random);
    const told: RepairEvent[] = [];
    const place = { ...mounted(disk), onRepair: (event: RepairEvent) => void told.push(event) };
    const seen = await recover(place, scope).catch((error: unknown) => String(error));
    const isIndex = flip.path.endsWith('/sessions.jsonl');
    if (isIndex) result.inIndexes += 1;
    if (isArchive(flip)) result.inArchives += 1;
    const lost = typeof seen === 'string' ? [] : lostOf(sound, seen);
    if (lost.length > 0) result.lossy += 1;
    const found =
      typeof seen === 'string' ? [fault('worker', `threw ${seen}`)] : judgeFlip({ flip, lost, told, isIndex });
    if (found.length > 0) result.failed += 1;
    const point = `bit ${flip.bit} of byte ${flip.offset} of ${flip.path}`;
    faults.push(...found.map((one) => ({ ...one, point })));
  }
  return { ...result, faults };
}

type Seen = Awaited<ReturnType<typeof recover>>;

/** Entries and records, as JSON, that are not as they were. */
function lostOf(sound: Seen, seen: Seen): readonly { readonly sessionId: string; readonly text: string }[] {
  return [...sound].flatMap(([sessionId, { entries = [], record }]) => {
    const now = seen.get(sessionId);
    const there = new Set(now?.entries);
    const known = new Set(entries);
    const gone = entries.filter((text) => !there.has(text));
    const invented = (now?.entries ?? []).filter((text) => !known.has(text)).map((text) => `made up ${text}`);
    const changed = record === now?.record ? [] : [String(record)];
    return [...gone, ...invented, ...changed].map((text) => ({ sessionId, text }));
  });
}

function judgeFlip({
  flip,
  lost,
  told,
  isIndex,
}: {
  readonly flip: Flip;
  readonly lost: ReturnType<typeof lostOf>;
  readonly told: readonly RepairEvent[];
  readonly isIndex: boolean;
}): readonly Fault[] {
  const faults: Fault[] = [];
  // One entry is the line that was hit; of an index, the record of the session that the line was of; of an archive, a block.
  const isHit = ({ sessionId, text }: { readonly sessionId: string; readonly text: string }): boolean => {
    // Journals as short as these are one block.
    if (isArchive(flip)) return flip.path.endsWith(`/${sessionId}.jsonl.gz`);
    return isIndex ? flip.before.includes(sessionId) : flip.before.startsWith(text.slice(0, -1));
  };
  for (const one of lost.filter((other) => !isHit(other))) faults.push(fault('lost', `${one.sessionId}: ${one.text}`));
  if (lost.length > 1 && !isArchive(flip)) faults.push(fault('lost', `${lost.length} at once`));
  const isNamed = told.some(({ file, offset, length }) => {
    // Up to the byte behind: what was hit may have become, or been, the line feed.
    const covers = offset <= flip.offset && flip.offset <= offset + length;
    return file.endsWith(flip.path) && (covers || lost.length === 0);
  });
  if (!isNamed && (isArchive(flip) || !isSameNumber(flip)))
    faults.push(fault('bad-line', `nobody was told, but of ${JSON.stringify(told)}`));
  return faults;
}

function isArchive({ path }: Flip): boolean {
  return path.endsWith('.jsonl.gz');
}

/** The checksum is the same number, written otherwise: what it covers is whole. */
function isSameNumber({ before, after }: Flip): boolean {
  return (
    before.length === after.length &&
    before !== after &&
    before.toLowerCase() === after.toLowerCase() &&
    before.slice(0, -10) === after.slice(0, -10)
  );
}

function flipBit(disk: MemoryDisk, random: Random): Flip {
  const files = [...disk.files()].filter(({ path, id }) => /\.jsonl(\.gz)?$/.test(path) && disk.bytesOf(id).length > 0);
  const { path, id } = random.pick(files as [(typeof files)[0], ...typeof files]);
  const bytes = Buffer.from(disk.bytesOf(id));
  const offset = random.integer(0, bytes.length - 1);
  const bit = random.integer(0, 7);
  const [start, end] = [bytes.lastIndexOf(10, offset - 1) + 1, bytes.indexOf(10, offset)];
  const before = bytes.toString('latin1', offset === 0 ? 0 : start, end);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  const after = bytes.toString('latin1', offset === 0 ? 0 : start, end);
  const time = disk.file(id).changedAt;
  disk.apply({ kind: 'truncate', node: id, length: 0, time });
  disk.apply({ kind: 'write', node: id, bytes, time });
  return { path, offset, bit, before, after };
}

function mounted(disk: MemoryDisk): {
  readonly root: string;
  readonly fileSystem: ReturnType<typeof memoryFileSystem>;
} {
  mounts += 1;
  const fileSystem = memoryFileSystem({ disk, mount: `/flipped-${mounts}` });
  return { root: `${fileSystem.mount}/store`, fileSystem };
}

function fault(rule: Fault['rule'], text: string): Fault {
  return { rule, text };
}
