import { mkdir, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnthropicRequest } from '@varve/adapters/anthropic';
import { type Manifest, VarveError } from '@varve/core';
import { usage } from './parse-options.ts';

/** One request as it is written: the exact body for the provider, and why it is what it is. */
interface WrittenRequest {
  /** Number of the file. */
  readonly request: number;
  /** Number of the conversation, in a file of several. */
  readonly item?: number;
  readonly body: AnthropicRequest;
  readonly manifest: Manifest;
}

/** Writes requests, one file each. */
export interface BodyWriter {
  write(request: Omit<WrittenRequest, 'request'>): Promise<void>;
}

/** How every file begins that was written here. */
const beginning = /^\{"request":\d{1,9},"/;

/** Enough bytes to tell. */
const beginningBytes = 24;

/**
 * Writes `000001.json`, `000002.json`, … into a folder, which is made when it is not there. Files of an earlier replay
 * are removed first; all others stay as they are.
 *
 * @throws VARVE_USAGE  when the folder is a file, or holds files of such names that no replay wrote.
 * @throws VARVE_STORE_IO  when the disk refuses.
 */
export async function openBodyWriter(folder: string): Promise<BodyWriter> {
  await onDisk(`make the folder "${folder}"`, () => mkdir(folder, { recursive: true }));
  await removeEarlier(folder);
  let request = 0;
  return {
    write: async ({ item, body, manifest }) => {
      request += 1;
      const written: WrittenRequest = { request, ...(item === undefined ? {} : { item }), body, manifest };
      const path = join(folder, `${String(request).padStart(6, '0')}.json`);
      await onDisk(`write "${path}"`, () => writeFile(path, `${JSON.stringify(written)}\n`));
    },
  };
}

async function removeEarlier(folder: string): Promise<void> {
  const names = await onDisk(`read the folder "${folder}"`, () => readdir(folder));
  const numbered = names.filter((name) => /^\d{6,}\.json$/.test(name)).map((name) => join(folder, name));
  // All are looked at before one is removed.
  for (const path of numbered) await refuseForeign(path);
  for (const path of numbered) await onDisk(`remove "${path}"`, () => unlink(path));
}

async function refuseForeign(path: string): Promise<void> {
  const start = await onDisk(`read "${path}"`, async () => {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(beginningBytes), position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  });
  if (beginning.test(start)) return;
  throw usage(`"${path}" was not written by a replay and would be replaced.`, 'Give another folder to --bodies.');
}

async function onDisk<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (VarveError.is(cause)) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw usage(`Cannot ${doing}: there is a file of that name.`, 'Give a folder to --bodies.');
    }
    throw new VarveError('VARVE_STORE_IO', `Cannot ${doing}: ${code}.`, {
      fix: 'Check the permissions of the folder and the space on the disk, then run it again.',
      cause,
    });
  }
}
