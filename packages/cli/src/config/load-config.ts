import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { VarveError } from '@varve/core';
import { type CheckedConfig, defineConfig, readConfig } from '@varve/sessions/config';
import { createJiti } from 'jiti';
import JSON5 from 'json5';
import type { CliIo } from '../terminal/cli-io.ts';
import { codeOf } from '../terminal/make-folder.ts';
import { withAbsolutePaths } from './config-paths.ts';
import { homeFolder } from './home-folder.ts';

/** A configuration as it was read from the disk. Its paths are absolute. */
export interface LoadedConfig extends CheckedConfig {
  /** Absolute. */
  readonly file: string;
}

/** Nobody writes as much by hand. */
const mostBytes = 5_000_000;

/**
 * Reads a configuration: a program whose default export it is (`varve.config.ts`), or JSON5. Nothing is written, not even
 * a cache of what was compiled.
 *
 * @throws VARVE_CONFIG_UNREADABLE, VARVE_CONFIG_INVALID
 */
export async function loadConfig(path: string, { env, cwd }: Pick<CliIo, 'env' | 'cwd'>): Promise<LoadedConfig> {
  const file = resolve(cwd ?? process.cwd(), path);
  const isProgram = /^\.[cm]?[jt]s$/.test(extname(file));
  const raw = isProgram ? await runProgram(file) : parseJson(file, await textOf(file));
  // What is in OpenClaw's own file is said in OpenClaw's words, even where both would fit.
  const form = basename(file) === 'openclaw.json' ? 'openclaw' : undefined;
  const checked = readConfig(raw, { name: file, form, env });
  const config = await withAbsolutePaths(checked, { file, home: homeFolder(env), base: dirname(file), env });
  return { ...checked, config, file };
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= mostBytes) return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, {
      why: `cannot be read: ${codeOf(error)}`,
      fix: 'Check the name and the permissions.',
      error,
    });
  }
  throw unreadable(file, { why: `is larger than ${mostBytes} bytes`, fix: 'Name the file of the configuration.' });
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON5.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = `is not JSON5: ${messageOf(error).replace(/^JSON5: /, '')}`;
    throw unreadable(file, { why, fix: 'Correct the text at that line and column.', error });
  }
}

/** `defineConfig` is there wherever the file lies: it need not have the packages installed. */
const ownModules: Readonly<Record<string, unknown>> = {
  '@varve/sessions/config': { defineConfig },
  '@varve/cli': { defineConfig },
};

async function runProgram(file: string): Promise<unknown> {
  await textOf(file);
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { ...ownModules },
  });
  try {
    const made = await inTime(jiti.import<{ readonly default?: unknown }>(file));
    const given = await inTime(Promise.resolve(made.default));
    if (typeof given === 'object' && given !== null) return given;
  } catch (error) {
    const fix = 'Correct the program; the cause has its stack.';
    throw unreadable(file, { why: `failed: ${messageOf(error)}`, fix, error });
  }
  const fix = 'Write: export default defineConfig({ … }), with defineConfig from "@varve/sessions/config".';
  throw unreadable(file, { why: 'has no default export that is a configuration', fix });
}

/** A program that waits for something else than its own file does not belong here. */
const programDeadlineMs = 10_000;

async function inTime<Value>(value: Promise<Value>): Promise<Value> {
  const late = new Error(`it had not ended after ${programDeadlineMs / 1_000} s`);
  let cancel: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    cancel = setTimeout(() => reject(late), programDeadlineMs);
  });
  return Promise.race([value, deadline]).finally(() => clearTimeout(cancel));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreadable(
  file: string,
  { why, fix, error }: { readonly why: string; readonly fix: string; readonly error?: unknown },
): VarveError {
  return new VarveError('VARVE_CONFIG_UNREADABLE', `"${file}" ${why}.`, { fix, cause: error, details: { file } });
}
