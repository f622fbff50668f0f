import { mkdtemp, open, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnthropicRequest } from '@varve/adapters/anthropic';
import { type Manifest, VarveError } from '@varve/core';
import { codeOf, makeFolder } from '../terminal/make-folder.ts';
import { usage } from '../terminal/parse-options.ts';

/** One request as it is written: the exact body for the provider, and why it is what it is. */
interface WrittenRequest {
  /** Number of the file. */
  readonly request: number;
  /** Number of the conversation, in a file of several. */
  readonly item?: number;
  readonly body: AnthropicRequest;
  readonly manifest: Manifest;
}

/** Writes requests, one file each. Disposing of it without {@link BodyWriter.publish} leaves the folder as it was. */
export interface BodyWriter extends AsyncDisposable {
  write(request: Omit<WrittenRequest, 'request'>): Promise<void>;
  /** Puts what was written into the folder, in the place of what an earlier replay wrote there. */
  publish(): Promise<void>;
}

/** How every file begins that was written here, with its own number. */
const beginning = /^\{"request":(\d{1,9}),(?:"item":\d{1,9},)?"body":\{/;

/** Enough bytes to tell. */
const beginningBytes = 64;

/**
 * Writes `000001.json`, `000002.json`, … into a folder, which is made when it is not there. They are collected in a
 * folder of their own inside of it, and take the place of an earlier replay's files when all are there: a replay that
 * fails changes nothing. Nothing is replaced or removed that no replay wrote.
 *
 * @throws VARVE_USAGE  when the folder is a file, or holds files of such names that no replay wrote.
 * @throws VARVE_STORE_IO  when the disk refuses.
 */
export async function openBodyWriter(folder: string): Promise<BodyWriter> {
  await makeFolder(folder, { option: '--bodies' });
  await earlierFiles(folder);
  const staging = await onDisk(`write to the folder "${folder}"`, () => mkdtemp(join(folder, '.varve-bodies-')));
  let request = 0;
  return {
    write: async ({ item, body, manifest }) => {
      request += 1;
      const written: WrittenRequest = { request, ...(item === undefined ? {} : { item }), body, manifest };
      const path = join(staging, nameOf(request));
      await onDisk(`write "${path}"`, () => writeFile(path, `${JSON.stringify(written)}\n`));
    },
    publish: async () => {
      // Looked at again: somebody may have put a file there while the replay ran.
      const earlier = await earlierFiles(folder);
      const names = Array.from({ length: request }, (_, index) => nameOf(index + 1));
      for (const name of names) {
        const path = join(folder, name);
        await onDisk(`write "${path}"`, () => rename(join(staging, name), path));
      }
      const replaced = new Set(names);
      for (const name of earlier.filter((one) => !replaced.has(one))) {
        const path = join(folder, name);
        await onDisk(`remove "${path}"`, () => unlink(path));
      }
    },
    [Symbol.asyncDispose]: () => rm(staging, { recursive: true, force: true }),
  };
}

function nameOf(request: number): string {
  return `${String(request).padStart(6, '0')}.json`;
}

/** Names of the files that an earlier replay wrote. @throws VARVE_USAGE  when one of such a name is somebody else's. */
async function earlierFiles(folder: string): Promise<readonly string[]> {
  const names = await onDisk(`read the folder "${folder}"`, () => readdir(folder));
  const numbered = names.filter((name) => /^\d{6,}\.json$/.test(name));
  for (const name of numbered) await refuseForeign(join(folder, name), Number.parseInt(name, 10));
  return numbered;
}

async function refuseForeign(path: string, request: number): Promise<void> {
  const start = await onDisk(`read "${path}"`, async () => {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(beginningBytes), position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  });
  if (Number(beginning.exec(start)?.[1]) === request) return;
  throw usage(`"${path}" was not written by a replay and would be replaced.`, 'Give another folder to --bodies.');
}

async function onDisk<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new VarveError('VARVE_STORE_IO', `Cannot ${doing}: ${codeOf(cause)}.`, {
      fix: 'Check the permissions of the folder and the space on the disk, then run it again.',
      cause,
    });
  }
}
