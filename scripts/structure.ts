// Prints what the product is made of: its largest files and functions, how much of what it exports is documented, who
// imports what, and whether folders import each other.
//
//     pnpm structure               pnpm structure --json for programs
import { parseArgs } from 'node:util';
import { folderCycles, folderGraph } from '../test/architecture/folder-cycles.ts';
import { type Inspection, inspectSource, packageOf } from '../test/architecture/inspect-source.ts';
import { readSources } from '../test/architecture/read-sources.ts';
import { limits } from '../test/architecture/rules.ts';

/** Rows of each list of the largest. */
const rows = 10;

/** One thing and how many lines it has. */
interface Size {
  readonly name: string;
  readonly lines: number;
}

/** Everything that is printed. */
interface Structure {
  readonly files: { readonly count: number; readonly lines: number; readonly largest: readonly Size[] };
  readonly functions: { readonly count: number; readonly largest: readonly Size[] };
  readonly exported: { readonly all: number; readonly documented: number; readonly share: number };
  readonly imports: {
    readonly all: number;
    /** For each package, how often it imports which other one; its own files are `./`. */
    readonly byPackage: Readonly<Record<string, Readonly<Record<string, number>>>>;
    readonly againstTheTable: readonly string[];
  };
  readonly folderCycles: readonly string[];
}

type InspectedFile = Inspection & { readonly path: string };

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const structure = measure(readSources().map((source) => ({ path: source.path, ...inspectSource(source) })));
console.log(values.json ? JSON.stringify(structure, null, 2) : tableOf(structure));

function measure(files: readonly InspectedFile[]): Structure {
  const sizes = files.map(({ path, lines }) => ({ name: path, lines }));
  const functions = files.flatMap(({ path, functions }) =>
    functions.map(({ name, line, lines }) => ({ name: `${path}:${line} ${name}`, lines })),
  );
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const all = sum(files.map(({ exported }) => exported.all));
  const documented = sum(files.map(({ exported }) => exported.documented));
  return {
    files: { count: files.length, lines: sum(files.map(({ lines }) => lines)), largest: largestOf(sizes) },
    functions: { count: functions.length, largest: largestOf(functions) },
    exported: { all, documented, share: documented / all },
    imports: {
      all: sum(files.map(({ imports }) => imports.length)),
      byPackage: importsByPackage(files),
      againstTheTable: files.flatMap(({ violations }) =>
        violations.filter(({ rule }) => rule === 'import' || rule === 'node').map(({ message }) => message),
      ),
    },
    folderCycles: folderCycles(folderGraph(files)),
  };
}

function largestOf(sizes: readonly Size[]): Size[] {
  return [...sizes].sort((a, b) => b.lines - a.lines || (a.name < b.name ? -1 : 1)).slice(0, rows);
}

function importsByPackage(files: readonly InspectedFile[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { path, imports } of files) {
    const owner = packageOf(path);
    const own = counts[owner] ?? {};
    counts[owner] = own;
    for (const specifier of imports) {
      const name = specifier.startsWith('.') ? './' : specifier;
      own[name] = (own[name] ?? 0) + 1;
    }
  }
  return counts;
}

function tableOf({ files, functions, exported, imports, folderCycles: cycles }: Structure): string {
  const sized = ({ name, lines }: Size): string => `  ${String(lines).padStart(4)}  ${name}`;
  const counted = ([name, targets]: [string, Readonly<Record<string, number>>]): string => {
    const sorted = Object.entries(targets).sort(([, a], [, b]) => b - a);
    return `  ${name.padEnd(28)} ${sorted.map(([target, times]) => `${target} ${times}`).join(', ')}`;
  };
  const listed = (lines: readonly string[]): string[] =>
    lines.length === 0 ? ['  none'] : lines.map((line) => `  ${line}`);
  return [
    `${files.count} files, ${files.lines} lines; the largest (limit ${limits.fileLines}):`,
    ...files.largest.map(sized),
    `${functions.count} functions; the largest (limit ${limits.functionLines}):`,
    ...functions.largest.map(sized),
    `${exported.all} exported declarations, ${(100 * exported.share).toFixed(1)} % with a doc comment`,
    `${imports.all} imports, by package:`,
    ...Object.entries(imports.byPackage).map(counted),
    'imports against the table:',
    ...listed(imports.againstTheTable),
    'folders that import each other:',
    ...listed(cycles),
  ].join('\n');
}
