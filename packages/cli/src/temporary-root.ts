import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for journals. */
export interface JournalRoot extends AsyncDisposable {
  readonly path: string;
}

/** The folder that the user named, which stays; or a new one, which is removed with all that is in it. */
export async function openRoot(kept: string | undefined): Promise<JournalRoot> {
  if (kept !== undefined) return { path: kept, [Symbol.asyncDispose]: async () => undefined };
  const path = await mkdtemp(join(tmpdir(), 'varve-replay-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
