import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { CodeBlock } from './read-markdown.ts';

/** A page with the blocks of code that are to be compiled. */
export interface CodePage {
  /** Path from the repository's root. */
  readonly path: string;
  readonly blocks: readonly CodeBlock[];
}

interface Snippet {
  readonly code: string;
  /** Turns a line of the snippet into `page:line`. */
  readonly placeOf: (line: number) => string;
}

/**
 * Type-checks every `ts` block against the sources of the workspace, with the settings of the tests.
 *
 * A block stands alone, as the reader will copy it. One whose fence says `ts continued` goes on where the block before
 * it on the page ended. Nothing is written to disk: the snippets live in an overlay of the file system.
 *
 * @returns one line a fault, `page:line: message`; empty when all is well.
 */
export function checkCode(root: string, pages: readonly CodePage[]): string[] {
  const snippets = new Map<string, Snippet>();
  for (const page of pages)
    for (const snippet of snippetsOf(page)) snippets.set(join(root, `${page.path}.${snippets.size}.ts`), snippet);
  const options = compilerOptions(root);
  const program = ts.createProgram([...snippets.keys()], options, overlay(options, snippets));
  return [...snippets].flatMap(([path, snippet]) => {
    const file = program.getSourceFile(path);
    if (file === undefined) throw new Error(`${path} is not in the program`);
    const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return diagnostics.map((diagnostic) => {
      const line = file.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line;
      return `${snippet.placeOf(line)}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`;
    });
  });
}

function snippetsOf(page: CodePage): Snippet[] {
  const snippets: { lines: string[]; places: string[] }[] = [];
  for (const block of page.blocks.filter((one) => one.language === 'ts')) {
    const before = block.info.includes('continued') ? snippets.pop() : undefined;
    const lines = block.code.split('\n');
    snippets.push({
      lines: [...(before?.lines ?? []), ...lines],
      places: [...(before?.places ?? []), ...lines.map((_, index) => `${page.path}:${block.line + index}`)],
    });
  }
  return snippets.map(({ lines, places }) => ({
    code: lines.join('\n'),
    placeOf: (line) => places[line] ?? page.path,
  }));
}

function compilerOptions(root: string): ts.CompilerOptions {
  const config = join(root, 'tsconfig.test.json');
  const read = ts.readConfigFile(config, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(config));
  return { ...options, moduleDetection: ts.ModuleDetectionKind.Force, incremental: false };
}

function overlay(options: ts.CompilerOptions, snippets: ReadonlyMap<string, Snippet>): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (path) => snippets.has(path) || host.fileExists(path),
    readFile: (path) => snippets.get(path)?.code ?? host.readFile(path),
    getSourceFile: (path, target, ...rest) => {
      const snippet = snippets.get(path);
      return snippet ? ts.createSourceFile(path, snippet.code, target) : host.getSourceFile(path, target, ...rest);
    },
  };
}
