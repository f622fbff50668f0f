import { dirname, join } from 'node:path';
import { existing } from '../existing.ts';
import { type FileSystem, modes, openFlags } from '../file-system.ts';
import { IndexSource } from '../index-source.ts';
import { syncFolder } from '../journal-path.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import { quarantineFileOf } from '../quarantine.ts';
import { waitForWriteLock } from '../write-lock.ts';
import type { DamagedFile } from './repair-journal.ts';

/**
 * Repairs the index of an agent: what stands in its way is moved aside, lost records are made from the journals.
 *
 * @returns What was done, as a sentence.
 * @throws VARVE_STORE_LOCKED, VARVE_STORE_IO
 */
export async function repairIndex(fileSystem: FileSystem, { file, agentId, hows }: DamagedFile): Promise<string> {
  const isAside = hows.has('index-replace') && (await makeWay(fileSystem, file));
  const lock = await waitForWriteLock(fileSystem, file);
  try {
    await fileSystem.rm(replacementFileOf(file), { force: true });
  } finally {
    await lock.release();
  }
  if (!hows.has('index-rewrite') && !hows.has('index-replace')) return 'Removed what was left of a write.';
  await new IndexSource({ fileSystem, file, agentId, report: () => {} }).rewrite({ isForced: false });
  const moved = isAside ? ' What stood in its place was moved aside.' : '';
  return `Wrote the index anew, and made the records that were lost from the journals.${moved}`;
}

/** Lets an index be read, or moves what cannot be one to a name beside it. True when it was moved. */
async function makeWay(fileSystem: FileSystem, file: string): Promise<boolean> {
  const facts = await existing(fileSystem.lstat(file));
  if (facts === null) return false;
  if (facts.isFile()) {
    await fileSystem.chmod?.(file, modes.file);
    const opened = await fileSystem.open(file, openFlags.read);
    await opened.close();
    return false;
  }
  await fileSystem.rename(file, await freeName(fileSystem, file));
  await syncFolder(fileSystem, dirname(file));
  return true;
}

async function freeName(fileSystem: FileSystem, file: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = quarantineFileOf(join(dirname(file), `sessions.jsonl.${number}`));
    if ((await existing(fileSystem.lstat(name))) === null) return name;
  }
}
