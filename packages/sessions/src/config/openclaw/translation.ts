import { configError } from '../config-problem.ts';
import type { ConfigWarning } from '../config-warning.ts';
import { nested } from '../layered-settings.ts';
import { pathText } from '../path-text.ts';

/** A place in a file: names of objects and numbers of lists. */
export type FilePath = readonly (string | number)[];

/** A configuration in the words of Varve, not yet checked. */
export interface Translated {
  readonly given: unknown;
  readonly warnings: readonly ConfigWarning[];
  /** Where a setting of `given` stands in the file that was translated. */
  originOf(path: string): string;
}

/** What is read of a file of OpenClaw and said in the words of Varve. */
export interface Translation {
  /** What stands at a place, and that it has been read; `undefined` for nothing. */
  read(from: FilePath): unknown;
  /** What stands at a place, without reading it. */
  look(from: FilePath): unknown;
  /** Says a setting; what is `undefined` is not said. Variables of the environment are put into texts. */
  put(to: readonly string[], value: unknown, from: FilePath): void;
  /** `put` of what is read. */
  copy(from: FilePath, to: readonly string[]): void;
  warn(from: FilePath, text: string): void;
  /** The configuration. Of what was not read there is a warning: the text of the notes, or that it is not read. */
  finish(notes: Readonly<Record<string, string>>): Translated;
}

/** Begins to translate a file. */
export function createTranslation(
  raw: unknown,
  { env = {} }: { readonly env?: Readonly<Record<string, string | undefined>> | undefined } = {},
): Translation {
  const consumed = new Set<string>();
  const leaves: { path: readonly string[]; value: unknown }[] = [];
  const origins = new Map<string, string>();
  const warnings: ConfigWarning[] = [];
  const warn: Translation['warn'] = (from, text) => void warnings.push({ path: pathText(from), text });
  const look = (from: FilePath): unknown => valueAt(raw, from);
  const read = (from: FilePath): unknown => {
    consumed.add(pathText(from));
    return look(from);
  };
  const put: Translation['put'] = (to, value, from) => {
    if (value === undefined) return;
    const filled = withVariables(value, {
      env,
      missing: (name) => warn(from, `There is no variable ${name} in the environment.`),
    });
    leaves.push({ path: to, value: filled });
    origins.set(pathText(to), pathText(from));
  };
  return {
    read,
    look,
    put,
    copy: (from, to) => put(to, read(from), from),
    warn,
    finish: (notes) => {
      for (const from of unreadPaths(raw, { consumed, notes })) {
        if (from.at(-1) === '$include') refuseInclude(from);
        warn(from, noteOf(from, notes) ?? 'is not read.');
      }
      return { given: nested(leaves), warnings, originOf: (path) => originOf(path, origins) };
    },
  };
}

function valueAt(raw: unknown, from: FilePath): unknown {
  let value = raw;
  for (const part of from) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly missing: (name: string) => void;
}

function withVariables(value: unknown, variables: Variables): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (written, name: string) => {
    const found = variables.env[name];
    if (found === undefined) variables.missing(name);
    return found ?? written;
  });
}

interface Unread {
  readonly consumed: ReadonlySet<string>;
  readonly notes: Readonly<Record<string, string>>;
}

/** The places that nothing was read at: of an object that nothing at all was read of, its own place alone. */
function unreadPaths(raw: unknown, { consumed, notes }: Unread): readonly FilePath[] {
  const read = [...consumed];
  const inside = (text: string, paths: readonly string[]): boolean =>
    paths.some((path) => path.startsWith(`${text}.`) || path.startsWith(`${text}[`));
  const visit = (value: unknown, from: FilePath): readonly FilePath[] => {
    const text = pathText(from);
    if (from.length > 0 && consumed.has(text)) return [];
    const isObject = typeof value === 'object' && value !== null;
    const holdsRead = inside(text, read);
    const holdsNote = inside(text, Object.keys(notes)) && !(text in notes);
    const isSplit = from.length === 0 || holdsRead || holdsNote || '$include' in Object(value);
    if (!isObject || !isSplit) return [from];
    return Object.entries(value).flatMap(([name, inner]) =>
      visit(inner, [...from, Array.isArray(value) ? Number(name) : name]),
    );
  };
  return visit(raw, []);
}

/** The note about a place, or about the nearest one that it lies in. */
function noteOf(from: FilePath, notes: Readonly<Record<string, string>>): string | undefined {
  const ways = from.map((_, index) => notes[pathText(from.slice(0, from.length - index))]);
  return ways.find((note) => note !== undefined);
}

/** What is in another file may hold something back, such as a rule that denies: it must not be passed over. */
function refuseInclude(from: FilePath): never {
  const why = 'Other files are not read.';
  throw configError([{ path: pathText(from), value: null, why, fix: 'Put what it holds into this file.' }], {
    name: 'The configuration',
  });
}

function originOf(path: string, origins: ReadonlyMap<string, string>): string {
  const known = [...origins.keys()].filter(
    (to) => path === to || path.startsWith(`${to}.`) || path.startsWith(`${to}[`),
  );
  const to = known.toSorted((a, b) => b.length - a.length)[0];
  return to === undefined ? path : `${origins.get(to)}${path.slice(to.length)}`;
}
