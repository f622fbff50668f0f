import { isObject, type JsonObject, numberAt, stringAt, valueAt } from './json-guards.ts';
import { type SourceOptions, sourceLines } from './source-lines.ts';

/** Lines that follow each other in the tree as they do in the file, up to the next run. */
interface Run {
  readonly from: number;
  /** The entry that the first of them follows; `null` for none. */
  readonly parentId: string | null;
}

/** A stretch of lines, both ends included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the lines on the way to the newest leaf of a tree whose entries have `id` and `parentId`: the last entry, the
 * one that it follows, and so on. An entry follows one before it in the file; where that is missing, or a cycle, it
 * follows the line before. Lines without an id belong to the entry before them. Ask in the order of the file.
 *
 * Reads the file once, and once more when the tree branches. Holds a few numbers for each branch.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE, VARVE_ABORTED  as reading does.
 */
export async function newestPath(path: string, options: SourceOptions): Promise<(line: number) => boolean> {
  const runs = await runsOf(path, options);
  if (runs.length < 2) return () => true;
  const stretches = pathOf(runs, await linesOfParents(path, { runs, options }));
  let next = 0;
  return (line) => {
    while ((stretches[next]?.to ?? Infinity) < line) next += 1;
    return (stretches[next]?.from ?? Infinity) <= line;
  };
}

async function runsOf(path: string, { size, signal }: SourceOptions): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let lastId: string | null = null;
  for await (const lines of sourceLines(path, { size, signal })) {
    for (const { line, value } of lines) {
      if (!isObject(value)) continue;
      if (isHeaderWithoutTree(value)) return [];
      const id = entryId(value);
      if (id === undefined) continue;
      const parentId = parentOf(value);
      const follows = parentId === undefined || parentId === lastId || parentId === id;
      if (runs.length === 0 || !follows) runs.push({ from: runs.length === 0 ? 1 : line, parentId: parentId ?? null });
      lastId = id;
    }
  }
  return runs;
}

/** Before version 2, a session of pi is one line of entries, whatever fields they have. */
function isHeaderWithoutTree(value: JsonObject): boolean {
  return stringAt(value, 'type') === 'session' && (numberAt(value, 'version') ?? 1) < 2;
}

function entryId(value: JsonObject): string | undefined {
  return stringAt(value, 'type') === 'session' ? undefined : stringAt(value, 'id');
}

function parentOf(value: JsonObject): string | null | undefined {
  return valueAt(value, 'parentId') === null ? null : stringAt(value, 'parentId');
}

/** Where the entries lie from which runs branch off; an id that stands in the file several times has several lines. */
async function linesOfParents(
  path: string,
  { runs, options: { size, signal } }: { readonly runs: readonly Run[]; readonly options: SourceOptions },
): Promise<ReadonlyMap<string, number[]>> {
  const places = new Map<string, number[]>();
  for (const { parentId } of runs) if (parentId !== null) places.set(parentId, []);
  for await (const lines of sourceLines(path, { size, signal })) {
    for (const { line, value } of lines) {
      const id = isObject(value) ? entryId(value) : undefined;
      if (id !== undefined) places.get(id)?.push(line);
    }
  }
  return places;
}

/** From the last run backwards. Every step goes to an earlier line, so it ends whatever the file says. */
function pathOf(runs: readonly Run[], places: ReadonlyMap<string, number[]>): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let to = Infinity;
  for (const { from, parentId } of runs.toReversed()) {
    if (from > to) continue;
    stretches.push({ from, to });
    if (parentId === null) break;
    const lines = places.get(parentId) ?? [];
    while ((lines.at(-1) ?? 0) >= from) lines.pop();
    to = lines.at(-1) ?? from - 1;
  }
  return stretches.toReversed();
}
