import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VarveError } from '@varve/core';
import type { SubjectKind } from '@varve/testkit';
import { z } from 'zod';
import { codeOf } from '../../terminal/make-folder.ts';

/** What a package says in the field `varve` of its package.json about how it is checked. */
export interface CheckSettings {
  /** What it is. @default what is found in it */
  readonly kind?: SubjectKind | undefined;
  /** Names of its exports that are checked. @default all that can be */
  readonly exports?: readonly string[] | undefined;
  /** A module, from the folder of the package, that is checked in place of what it exports. */
  readonly check?: string | undefined;
  /** Options that its plugins are made with. @default their defaults */
  readonly options?: unknown;
  /** Its plugins change what is stored, on purpose. @default false */
  readonly rewrites?: boolean | undefined;
  /** Accepted deviations: the name of a case, and why. @default none */
  readonly expectFail?: Readonly<Record<string, string>> | undefined;
}

/** A package on the disk. */
export interface Manifest {
  /** Folder of the package, absolute. */
  readonly folder: string;
  readonly name: string | null;
  /** The field `exports`, or else `main`, as it is written. */
  readonly entry: unknown;
  readonly settings: CheckSettings;
}

const reasons = z.record(z.string(), z.string().min(1, 'must say why'));

const settingsSchema: z.ZodType<CheckSettings> = z.strictObject({
  kind: z.enum(['plugin', 'engine', 'store', 'adapter', 'model-port']).optional(),
  exports: z.array(z.string()).optional(),
  check: z.string().optional(),
  options: z.unknown().optional(),
  rewrites: z.boolean().optional(),
  expectFail: reasons.optional(),
});

/**
 * Reads the package.json of a folder. `null` where there is none.
 *
 * @throws VARVE_PLUGIN_UNLOADABLE  for one that cannot be read, or whose field `varve` is wrong.
 */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = join(folder, 'package.json');
  const read = await readJson(file);
  if (read === undefined) return null;
  const { name, exports, main, varve = {} } = (read ?? {}) as Readonly<Record<string, unknown>>;
  const settings = parse(settingsSchema, varve, { file, at: 'varve' });
  return { folder, name: typeof name === 'string' ? name : null, entry: exports ?? main, settings };
}

/** Finds the package that a file belongs to: the nearest folder above it that has a package.json. */
export async function manifestAbove(file: string): Promise<Manifest | null> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = await readManifest(folder);
    if (found !== null || folder === dirname(folder)) return found;
  }
}

/** Reads a file of accepted deviations: JSON, the name of a case with the reason. @throws VARVE_PLUGIN_UNLOADABLE */
export async function readExpectations(file: string): Promise<Readonly<Record<string, string>>> {
  const read = await readJson(file);
  if (read === undefined) throw unloadable(`There is no file "${file}".`, 'Name a JSON file: { "case": "reason" }.');
  return parse(reasons, read, { file, at: '' });
}

/** `undefined` where there is no such file. */
async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw unloadable(`"${file}" cannot be read as JSON: ${codeOf(error)}.`, 'Correct the file.');
  }
}

function parse<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  { file, at }: { readonly file: string; readonly at: string },
): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [at, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  throw unloadable(`"${file}"${path === '' ? '' : `, ${path}`}: ${issue?.message}.`, 'Correct that field.');
}

/** An error about something that is to be checked. */
export function unloadable(message: string, fix: string): VarveError {
  return new VarveError('VARVE_PLUGIN_UNLOADABLE', message, { fix });
}
