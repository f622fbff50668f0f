import { posix } from 'node:path';

/** A file and the modules that it names. */
interface ImportingFile {
  readonly path: string;
  readonly imports: readonly string[];
}

/** Which folders a folder imports from, by relative paths. A file that lies in `src` itself counts as a folder. */
export type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The folders of the given files; between a folder and what lies in it, however deep, there is no arrow. */
export function folderGraph(files: readonly ImportingFile[]): FolderGraph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = folderOf(path);
    const known = graph.get(from) ?? new Set<string>();
    graph.set(from, known);
    for (const specifier of imports.filter((name) => name.startsWith('.'))) {
      const to = folderOf(posix.join(posix.dirname(path), specifier));
      if (!isWithin(to, from) && !isWithin(from, to)) known.add(to);
    }
  }
  return graph;
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}

function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return posix.basename(folder) === 'src' ? path : folder;
}

/** Shortest ways from a folder back to itself, each once, as `journal → draft → journal`. */
export function folderCycles(graph: FolderGraph): string[] {
  const cycles = new Map<string, string>();
  for (const start of graph.keys()) {
    const way = wayBack(graph, start);
    if (way === null) continue;
    const members = [...new Set(way)].sort().join();
    if (!cycles.has(members)) cycles.set(members, way.join(' → '));
  }
  return [...cycles.values()].sort();
}

function wayBack(graph: FolderGraph, start: string): string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}
