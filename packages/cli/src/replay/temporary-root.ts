import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VarveError } from '@varve/core';
import { codeOf, makeFolder } from '../terminal/make-folder.ts';

/** What stores are closed to: everybody but their owner. */
const ownerOnly = 0o700;

/** A folder for journals. */
export interface JournalRoot extends AsyncDisposable {
  readonly path: string;
}

/**
 * The folder that the user named, which is made when it is not there, and stays; or a new one, which is removed with
 * all that is in it.
 *
 * @throws VARVE_USAGE, VARVE_STORE_IO  when the folder cannot be made.
 */
export async function openRoot(kept: string | undefined): Promise<JournalRoot> {
  if (kept !== undefined) {
    await makeFolder(kept, { option: '--root', mode: ownerOnly });
    return { path: kept, [Symbol.asyncDispose]: async () => undefined };
  }
  const path = await temporaryFolder();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function temporaryFolder(): Promise<string> {
  const folder = tmpdir();
  try {
    return await mkdtemp(join(folder, 'varve-replay-'));
  } catch (cause) {
    const what = `The folder for temporary files, "${folder}", cannot be used: ${codeOf(cause)}.`;
    throw new VarveError('VARVE_STORE_IO', what, {
      fix: 'Set TMPDIR to a folder that exists and can be written to, or give --root.',
      cause,
    });
  }
}
