import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { madeUpTexts } from './made-up-texts.ts';

/** Texts of one kind, to be cut into samples. */
export interface TextKind {
  readonly kind: string;
  readonly text: string;
}

const bench = join(import.meta.dirname, '..');
const root = join(bench, '..');
const installed = join(bench, 'node_modules');

/** Texts beyond this many characters of a kind are left out. */
const mostCharacters = 200_000;

/** Languages in which the TypeScript compiler speaks, as `node_modules/typescript/lib/<language>`. */
const languages = ['zh-cn', 'zh-tw', 'ja', 'ko', 'ru', 'de', 'fr', 'es', 'pt-br', 'it', 'pl', 'cs', 'tr'];

/** What people and programs write, of more than twenty kinds: installed packages, this project, and generated data. */
export function textKinds(): readonly TextKind[] {
  const files = filesUnder(installed);
  const ofInstalled = (kind: string, pattern: RegExp): TextKind =>
    textOf(
      kind,
      files.filter((file) => pattern.test(file)),
    );
  return [
    ofInstalled('README', /readme\.md$/i),
    ofInstalled('JavaScript', /\/(zod|tsx|cli-table3|semver)\/.*\.(m|c)?js$/),
    ofInstalled('type declarations', /\.d\.(m|c)?ts$/),
    ofInstalled('package.json', /\/package\.json$/),
    ofInstalled('licences', /\/licen[cs]e(\.md|\.txt)?$/i),
    ofInstalled('source maps', /\.js\.map$/),
    textOf('lock file', [join(bench, 'package-lock.json')]),
    textOf(
      'documentation',
      filesUnder(join(root, 'docs')).filter((file) => /^(?!.*\/api\/).*\.md$/.test(file)),
    ),
    textOf(
      'TypeScript',
      filesUnder(join(root, 'packages')).filter((file) => /\/src\/.*\.ts$/.test(file)),
    ),
    textOf('YAML', [join(root, 'pnpm-lock.yaml')]),
    ...languages.map(compilerMessages),
    ...madeUpTexts(root),
  ];
}

function compilerMessages(language: string): TextKind {
  const file = join(installed, 'typescript/lib', language, 'diagnosticMessages.generated.json');
  const messages: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  return { kind: `messages in ${language}`, text: Object.values(messages).join('\n').slice(0, mostCharacters) };
}

function textOf(kind: string, files: readonly string[]): TextKind {
  let text = '';
  for (const file of files) {
    if (text.length >= mostCharacters) break;
    text += `${readFileSync(file, 'utf8').slice(0, 20_000)}\n`;
  }
  return { kind, text: text.slice(0, mostCharacters) };
}

/** Files below a folder, in order of their names; links are not followed. */
function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isBuilt(path) || entry.name.startsWith('.') ? [] : filesUnder(path);
    return entry.isFile() && statSync(path).size < 2_000_000 ? [path] : [];
  });
}

/** Whether a folder of the project holds what was built or installed. */
function isBuilt(path: string): boolean {
  return !path.startsWith(installed) && /\/(node_modules|dist|api)$/.test(path);
}
