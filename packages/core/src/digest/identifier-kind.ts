/**
 * What an identifier is: `url` (also e-mail addresses and host names), `uuid`, `path` (at least one separator), `file`
 * (a bare file name), `hash` (hexadecimal), `date` (with its time, if any), `version`, `code` (`ABC-123`, `D-1003`,
 * `PO-2024-117`, `#1234`, `HAT069`, keys), `number` (four digits and more, three where it is said what they are, money, IPv4), `constant` (`UPPER_CASE`), `symbol` (camelCase,
 * PascalCase, snake_case).
 */
export type IdentifierKind =
  | 'url'
  | 'uuid'
  | 'path'
  | 'file'
  | 'hash'
  | 'date'
  | 'version'
  | 'code'
  | 'number'
  | 'constant'
  | 'symbol';

// The functions below see one run of identifier characters of at most 200. Their expressions are anchored, and no two
// neighbouring quantifiers match the same character, so none of them can backtrack far.

/** Symbols need this length: below it, two humps are mostly brand names and units (iOS, kWh). */
const minSymbolLength = 6;

/** Whether a run that holds a slash is a path, not two words or encoded data. */
export function isPath(run: string): boolean {
  if (!/[a-z]/i.test(run)) return false;
  const segments = run.split('/').filter((segment) => segment !== '');
  if (segments.length < 2) return /^(?:\.{1,2}|~)\/./.test(run);
  if (segments.length > 2 || run.startsWith('/')) return true;
  const areNames = segments.every((segment) => segment.length > 1 && /[a-z]/i.test(segment));
  return areNames && !ordinaryPairs.has(run.toLowerCase());
}

/** Whether a run that holds a slash is base64: long, no extension, and a plus sign or the cases all mixed up. */
export function isEncoded(run: string): boolean {
  return run.length > 40 && !run.includes('.') && (run.includes('+') || isRandom(run));
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const emailShape = /^[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,20}$/i;
const addressShape = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
const versionShape = /^v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.][\w.+-]{1,40})?$|^v\d{1,4}\.\d{1,4}$/;
const moneyShape = /^\d{1,15}\.\d{2}$/;
const codeShape =
  /^[A-Z][A-Z0-9]{0,9}(?:-[A-Z0-9]{1,10}){0,3}-\d{1,10}$|^[a-z]-\d{2,10}$|^[a-z]{2,20}(?:-[a-z0-9]{2,20}){1,4}\.\d{1,4}(?:\.\d{1,4})?$/;
const hostShape =
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|app|ai|cn|de|jp|kr|uk|eu|gov|edu|internal|local)$/;

/** Kind of a run without slashes when it is one identifier as a whole; `null` = look at its words. */
export function kindOfName(name: string): IdentifierKind | null {
  if (name.includes('@')) return emailShape.test(name) ? 'url' : null;
  if (name.includes('.')) {
    if (addressShape.test(name)) return 'number';
    if (versionShape.test(name)) return 'version';
    if (moneyShape.test(name)) return 'number';
    if (isFileName(name)) return 'file';
    if (hostShape.test(name)) return 'url';
  }
  if (!name.includes('-')) return null;
  if (uuidShape.test(name)) return 'uuid';
  return codeShape.test(name) ? 'code' : null;
}

/** Kind of a word of letters, digits and underscores; `null` = an ordinary word. */
export function kindOfWord(word: string): IdentifierKind | null {
  if (ordinaryWord.test(word)) return null;
  const digits = countOf(word, /\d/g);
  if (digits === word.length) return digits > 20 || yearShape.test(word) ? null : 'number';
  if (/[^_]_+[^_]/.test(word) && /[A-Za-z]/.test(word)) {
    if (!/[a-z]/.test(word)) return 'constant';
    return word.length < minSymbolLength ? null : 'symbol';
  }
  if (digits > 0 && word.length >= 7 && word.length <= 64 && hexShape.test(word)) return 'hash';
  if (!/[A-Z]/.test(word)) return null;
  if (!/[a-z]/.test(word)) return digits >= 2 && word.length >= 5 && word.length <= 40 ? 'code' : null;
  if (word.length < minSymbolLength) return null;
  if (isRandom(word)) return digits >= 2 && word.length <= 40 ? 'code' : null;
  return /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/.test(word) ? 'symbol' : null;
}

/** Most words of most texts; the expressions behind it cost more. */
const ordinaryWord = /^[A-Z]?[a-z]+$/;

const yearShape = /^(?:19|20)\d\d$/;
const hexShape = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

function isFileName(name: string): boolean {
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  return dot === 0 ? dotFiles.has(extension) : extensions.has(extension.toLowerCase());
}

/** Whether upper case, lower case and digits change as often as in encoded data. */
function isRandom(text: string): boolean {
  const changes = countOf(text, /[a-z](?=[A-Z0-9])|[A-Z](?=\d)|\d(?=[A-Za-z])/g);
  return text.length >= 10 && changes * 4 >= text.length;
}

function countOf(text: string, shape: RegExp): number {
  return text.match(shape)?.length ?? 0;
}

/** Extensions that make a name a file; a name with another ending is more often a property of an object. */
const extensions: ReadonlySet<string> = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs json jsonl json5 ndjson vue svelte astro py pyi ipynb rs go mod sum rb erb php java ' +
    'kt kts scala swift m mm c cc cpp cxx h hh hpp cs fs ex exs heex eex erl hs ml lua pl pm r jl dart zig nim clj cljs ' +
    'sql sh bash zsh fish ps1 bat cmd md mdx rst txt adoc tex html htm css scss sass less xml svg yaml yml toml ini cfg ' +
    'conf env lock properties gradle cmake proto graphql tf hcl csv tsv parquet xlsx xls docx doc pptx ppt pdf png jpg ' +
    'jpeg gif webp ico mp3 mp4 wav zip gz tgz tar log diff patch snap map wasm so dll exe db sqlite pem key crt'
  ).split(' '),
);

/** Names of files that are all extension. */
const dotFiles: ReadonlySet<string> = new Set(
  'env gitignore gitattributes npmrc nvmrc editorconfig dockerignore prettierrc eslintrc babelrc bashrc zshrc'.split(
    ' ',
  ),
);

/** Two words with a slash between them that are no path. */
const ordinaryPairs: ReadonlySet<string> = new Set(
  (
    'and/or either/or he/she his/her her/his him/her yes/no on/off true/false read/write input/output client/server ' +
    'pass/fail start/end open/close up/down win/loss before/after request/response key/value create/update async/await'
  ).split(' '),
);
