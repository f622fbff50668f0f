import { describe, expect, it } from 'vitest';
import { folderCycles, folderGraph } from './architecture/folder-cycles.ts';
import { inspectSource, packageOf, type Rule } from './architecture/inspect-source.ts';
import { readSources } from './architecture/read-sources.ts';
import { importTable, limits, longFiles, soleImporters } from './architecture/rules.ts';

const sources = readSources();
const inspections = sources.map((source) => ({ source, ...inspectSource(source) }));

function violationsOf(...rules: Rule[]): string[] {
  const all = inspections.flatMap((inspection) => inspection.violations);
  return all.filter((violation) => rules.includes(violation.rule)).map((violation) => violation.message);
}

describe('the sources of every package', () => {
  it('import only what the import table allows', () => {
    expect(violationsOf('import')).toEqual([]);
  });

  it('lie in folders that import one way', () => {
    const files = inspections.map(({ source, imports }) => ({ path: source.path, imports }));
    expect(folderCycles(folderGraph(files))).toEqual([]);
  });

  it('run without Node where they must', () => {
    expect(violationsOf('node')).toEqual([]);
  });

  it(`have at most ${limits.fileLines} lines`, () => {
    expect(violationsOf('file-lines')).toEqual([]);
    console.log(`file lines: ${distribution(inspections.map((inspection) => inspection.lines))}`);
  });

  it(`have functions of at most ${limits.functionLines} lines and ${limits.parameters} parameters`, () => {
    expect(violationsOf('function-lines', 'parameters')).toEqual([]);
    console.log(
      `function lines: ${distribution(inspections.flatMap(({ functions }) => functions.map(({ lines }) => lines)))}`,
    );
  });

  it('of the JSONL store touch the disk through its port alone, so that a test can make each operation fail', () => {
    const folder = 'packages/stores/src/jsonl/';
    const users = sources.filter(
      ({ path, text }) => path.startsWith(folder) && /['"](?:node:)?fs(?:\/promises)?['"]/.test(text),
    );
    expect(users.map(({ path }) => path)).toEqual([`${folder}file-system.ts`]);
  });

  it('have a doc comment on every exported declaration', () => {
    expect(violationsOf('doc')).toEqual([]);
  });

  it('never say any', () => {
    expect(violationsOf('any')).toEqual([]);
  });

  it('have names that say what is inside, and an explicit list of what is public', () => {
    expect(violationsOf('name', 'index')).toEqual([]);
  });

  it('need every exception that the rules make', () => {
    const isLong = (path: string) =>
      inspections.some(({ source, lines }) => source.path === path && lines > limits.fileLines);
    expect(Object.keys(longFiles).filter((path) => !isLong(path))).toEqual([]);
    const paths = sources.map((source) => source.path);
    expect(Object.values(soleImporters).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('belong to a package that stands in the import table', () => {
    const owners = new Set(sources.map(({ path }) => packageOf(path)));
    const known = (owner: string) => owner.startsWith('plugins/') || owner in importTable;
    expect([...owners].filter((owner) => !known(owner))).toEqual([]);
  });
});

function distribution(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return `median ${at(0.5)}, p90 ${at(0.9)}, largest ${at(1)} of ${sorted.length}`;
}

// rule · where · source · a part of the message
const breaches: readonly [rule: Rule, path: string, text: string, part: string][] = [
  ['import', 'packages/core/src/a.ts', "import pg from 'pg';", '"pg" is not allowed in packages/core'],
  [
    'import',
    'packages/core/src/a.ts',
    "import { jsonl } from '@varve/stores/jsonl';",
    '"@varve/stores/jsonl" is not allowed',
  ],
  [
    'import',
    'packages/core/src/a.ts',
    "import { SyncHook } from 'tapable';",
    'is for packages/core/src/plugins/hooks.ts alone',
  ],
  [
    'import',
    'packages/core/src/a.ts',
    "export type { SyncHook } from 'tapable';",
    'is for packages/core/src/plugins/hooks.ts alone',
  ],
  [
    'import',
    'packages/core/src/a.ts',
    "type S = import('tapable').SyncHook;",
    'is for packages/core/src/plugins/hooks.ts alone',
  ],
  ['import', 'packages/core/src/a.ts', "await import('lodash');", '"lodash" is not allowed'],
  [
    'import',
    'packages/core/src/deep/a.ts',
    "import { x } from '../../../stores/src/x.ts';",
    'leaves packages/core/src/',
  ],
  [
    'import',
    'packages/core/src/plugins/hooks.ts',
    "import semver from 'semver';",
    'is not declared in packages/core/package.json',
  ],
  [
    'import',
    'packages/stores/src/a.ts',
    "import { run } from '@varve/core/host';",
    'is not allowed in packages/stores',
  ],
  ['import', 'packages/adapters/src/a.ts', "import type { Message } from '@anthropic-ai/sdk';", 'is not allowed'],
  [
    'import',
    'plugins/ttl-pruning/src/a.ts',
    "import { run } from '@varve/cli';",
    'is not allowed in plugins/ttl-pruning',
  ],
  ['import', 'packages/unheard-of/src/a.ts', "import { z } from 'zod';", 'is not in the import table'],
  ['node', 'packages/core/src/a.ts', "import { join } from 'node:path';", '"node:path"'],
  ['node', 'packages/core/src/a.ts', "import { join } from 'path';", '"path"'],
  ['node', 'plugins/ttl-pruning/src/a.ts', "const fs = await import('node:fs');", '"node:fs"'],
  ['node', 'packages/stores/src/postgres.ts', "import { readFile } from 'node:fs/promises';", '"node:fs/promises"'],
  ['node', 'packages/core/src/a.ts', "const b = Buffer.from('x');", 'Buffer exists in Node alone'],
  ['node', 'packages/core/src/a.ts', 'let timer: NodeJS.Timeout;', 'NodeJS exists in Node alone'],
  ['file-lines', 'packages/core/src/a.ts', '//\n'.repeat(401), '401 lines, the limit is 400'],
  [
    'function-lines',
    'packages/core/src/a.ts',
    `const f = () => {\n${'//\n'.repeat(59)}};`,
    '61 lines, the limit is 60',
  ],
  ['function-lines', 'packages/core/src/a.ts', `class A { m() {\n${'//\n'.repeat(59)}} }`, 'm has 61 lines'],
  ['parameters', 'packages/core/src/a.ts', 'function f(a, b, c, d) {}', 'f has 4 parameters, the limit is 3'],
  ['parameters', 'packages/core/src/a.ts', 'class A { constructor(a, b, c, d) {} }', '4 parameters'],
  ['doc', 'packages/core/src/a.ts', 'export function f() {}', 'f is exported and has no doc comment'],
  ['doc', 'packages/core/src/a.ts', 'export interface A {}', 'A is exported'],
  ['doc', 'packages/core/src/a.ts', 'export const a = 1;', 'a is exported'],
  ['doc', 'packages/core/src/a.ts', '/** @internal */\nexport const a = 1;', 'a is exported'],
  ['doc', 'packages/core/src/a.ts', 'type A = 1;\nexport type { A };', 'A is exported'],
  ['doc', 'packages/core/src/a.ts', 'export default class {}', 'default export is exported'],
  ['any', 'packages/core/src/a.ts', 'let a: any;', 'any switches the type checker off'],
  ['any', 'packages/core/src/a.ts', 'const a = 1 as any as Map<string, any>;', 'any switches'],
  ['name', 'packages/core/src/utils.ts', '', '"utils" says nothing'],
  ['name', 'packages/core/src/types.d.ts', '', '"types" says nothing'],
  ['name', 'packages/core/src/helpers/draft.ts', '', '"helpers" says nothing'],
  ['name', 'packages/core/src/tokenCounter.ts', '', '"tokenCounter" is not in kebab-case'],
  ['index', 'packages/core/src/index.ts', "export * from './draft.ts';", 'export * hides what is public'],
];

const harmless: readonly [path: string, text: string][] = [
  ['packages/core/src/plugins/hooks.ts', "import { SyncHook } from 'tapable';\nimport { z } from './deep/z.ts';"],
  ['packages/core/src/index.ts', "export { a, type B } from './a.ts';"],
  [
    'packages/core/src/a.ts',
    '/** Overloads share one comment. */\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;',
  ],
  ['packages/core/src/a.ts', "/** Says what it is. */\nconst a = { process: 1, any: 'any' };\nexport { a };"],
  ['packages/core/src/a.ts', `function f(this: A, a: 1, b: 2, c: 3) {\n${'//\n'.repeat(58)}}`],
  ['packages/core/src/a.ts', '//\n'.repeat(400)],
  ['packages/stores/src/jsonl/journal.ts', "import { open } from 'node:fs/promises';\nconst b = Buffer.alloc(1);"],
  ['packages/cli/src/bin.ts', "import { jsonl } from '@varve/stores/jsonl';\nprocess.exitCode = 1;"],
  ['plugins/ttl-pruning/src/a.ts', "import { definePlugin } from '@varve/core';\nimport { z } from 'zod';"],
];

/** Gives each row a title of one short line. */
function named<Row extends readonly string[]>(rows: readonly Row[]): [title: string, row: Row][] {
  return rows.map((row) => [row.join(' · ').replaceAll('\n', ' ').slice(0, 100), row]);
}

describe('the checker', () => {
  const declared = ['tapable', 'zod', '@varve/core', '@varve/stores'];

  it.each(named(breaches))('finds a breach: %s', (_title, [rule, path, text, part]) => {
    const found = inspectSource({ path, text, declared }).violations.filter((violation) => violation.rule === rule);
    expect(found.map((violation) => violation.message).join('\n')).toContain(part);
  });

  it.each(named(harmless))('finds nothing in: %s', (_title, [path, text]) => {
    expect(inspectSource({ path, text, declared }).violations).toEqual([]);
  });

  it('finds folders that import each other, and takes a file outside of them for one', () => {
    const cyclesOf = (...files: (readonly [path: string, ...imports: string[]])[]) =>
      folderCycles(folderGraph(files.map(([path, ...imports]) => ({ path, imports }))));
    const units = ['a/src/units.ts'] as const;
    const fold = ['a/src/journal/fold.ts', '../units.ts', './entry.ts'] as const;
    const draft = ['a/src/draft/draft.ts', '../journal/fold.ts', '../units.ts'] as const;
    const index = ['a/src/index.ts', './draft/draft.ts', './units.ts'] as const;
    expect(cyclesOf(units, fold, draft, index)).toEqual([]);
    const entry = ['a/src/journal/entry.ts', '../draft/draft.ts'] as const;
    expect(cyclesOf(fold, entry, draft)).toEqual(['a/src/journal → a/src/draft → a/src/journal']);
    expect(cyclesOf(['a/src/units.ts', './journal/fold.ts'], fold)).toHaveLength(1);
  });

  it('names the line', () => {
    const [violation] = inspectSource({ path: 'packages/core/src/a.ts', text: '\n\nlet a: any;', declared }).violations;
    expect(violation?.message).toMatch(/^packages\/core\/src\/a\.ts:3: /);
  });
});
