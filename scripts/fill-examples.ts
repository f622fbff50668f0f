// Writes examples and what they print into the pages that show them. A block of code that begins with
// ```ts file=examples/start/prompt.ts      gets the file,
// ```text output=examples/start/prompt.ts  gets what the file prints when it is run.
//
//     node --import tsx scripts/fill-examples.ts
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');

/** What belongs into a block, by the path that its fence names. */
export interface ExampleContent {
  readonly file: (path: string) => string;
  readonly output: (path: string) => string;
}

/** The text of a page with its examples as they are now. */
export function fillExamples(text: string, contentOf: ExampleContent): string {
  return text.replaceAll(
    /^(```\w+ (file|output)=(\S+)\n)[\s\S]*?^(```)$/gm,
    (_, open: string, kind: keyof ExampleContent, path: string, close: string) =>
      `${open}${contentOf[kind](path).trimEnd()}\n${close}`,
  );
}

/** What a page's blocks of a kind show, block by block. */
export function examplesIn(
  text: string,
  kind: keyof ExampleContent,
): { readonly path: string; readonly shown: string }[] {
  const blocks = text.matchAll(new RegExp(`^\`\`\`\\w+ ${kind}=(\\S+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, path = '', shown = '']) => ({ path, shown }));
}

/** Every page that may show examples, with its text. */
export function examplePages(): { readonly path: string; readonly text: string }[] {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = names
    .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
    .map((name) => join('docs', name));
  return ['README.md', ...pages].map((path) => ({ path, text: read(path) }));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function fillAll(): void {
  const printed = new Map<string, string>();
  const output = (path: string): string => {
    const args = ['--conditions=@varve/source', '--import', 'tsx', path];
    const text = printed.get(path) ?? execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    printed.set(path, text);
    return text;
  };
  for (const { path, text } of examplePages()) {
    const filled = fillExamples(text, { file: read, output });
    if (filled === text) continue;
    writeFileSync(join(root, path), filled);
    console.log(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fillAll();
