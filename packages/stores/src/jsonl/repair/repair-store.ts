import { basename, dirname, join } from 'node:path';
import { throwIfAborted, VarveError } from '@varve/core';
import { archiveEnding } from '../archive/archive-path.ts';
import type { ExamineStoreOptions } from '../examine-store.ts';
import { existing } from '../existing.ts';
import { type FileSystem, nodeFileSystem } from '../file-system.ts';
import { IndexFile } from '../index-file.ts';
import { isInside, syncFolder } from '../journal-path.ts';
import { recordFromJournal } from '../record-from-journal.ts';
import { storeError } from '../store-error.ts';
import type { FindingRepair, StoreFinding } from '../store-finding.ts';
import { seeWriteLock, takeWriteLock } from '../write-lock.ts';
import { repairIndex } from './repair-index.ts';
import { type DamagedFile, namelessError, repairJournal } from './repair-journal.ts';

/** What became of what was wrong with one file. */
export interface StoreRepair {
  readonly file: string;
  /** The findings that it is about. */
  readonly codes: readonly string[];
  /** `locked`: another process writes to it, and it was left as it is. */
  readonly outcome: 'repaired' | 'locked' | 'failed';
  /** What was done, or why it was not. */
  readonly text: string;
  /** What to do about it, as an imperative sentence; empty where it was done. */
  readonly fix: string;
}

/** How a store is repaired. */
export interface RepairStoreOptions extends ExamineStoreOptions {
  /** What {@link examineStore} has found; what has no `repair` is passed over. */
  readonly findings: readonly StoreFinding[];
  readonly signal?: AbortSignal | undefined;
}

/** What has to be done to one file, and how. */
interface Task {
  readonly file: string;
  readonly codes: readonly string[];
  readonly run: () => Promise<string>;
}

/**
 * Repairs what was found wrong with the files of a store, one file after the other: rights, then journals, then indexes,
 * which are made of them. Every byte that cannot be read is in quarantine before the file is another one; a file that
 * another process writes is left alone. Repairing twice changes nothing more, and a stop in the middle is made good by
 * the next run.
 *
 * @throws VARVE_ABORTED  between two files. What fails for one file is told, and the others go on.
 */
export async function* repairStore(
  root: string,
  { findings, fileSystem = nodeFileSystem, signal }: RepairStoreOptions,
): AsyncGenerator<StoreRepair, void, undefined> {
  const realRoot = await existing(fileSystem.realpath(root));
  if (realRoot === null) return;
  for (const { file, codes, run } of tasksOf(fileSystem, { realRoot, findings })) {
    throwIfAborted(signal);
    try {
      yield { file, codes, outcome: 'repaired', text: await run(), fix: '' };
    } catch (cause) {
      const error = storeError(cause, { doing: 'repair', file });
      const outcome = VarveError.is(error, 'VARVE_STORE_LOCKED') ? 'locked' : 'failed';
      yield { file, codes, outcome, text: error.message, fix: error.fix };
    }
  }
}

/** A file that several findings may be about. */
interface TaskFile extends DamagedFile {
  readonly codes: Set<string>;
  readonly hows: Set<FindingRepair['how']>;
}

function tasksOf(
  fileSystem: FileSystem,
  { realRoot, findings }: { readonly realRoot: string; readonly findings: readonly StoreFinding[] },
): readonly Task[] {
  const single: Record<'rights' | 'archive-leftover' | 'record', Task[]> = {
    rights: [],
    'archive-leftover': [],
    record: [],
  };
  const journals = new Map<string, TaskFile>();
  const indexes = new Map<string, TaskFile>();
  for (const { code, agentId = 'main', repair } of findings) {
    if (repair === undefined || !(repair.target === realRoot || isInside(realRoot, repair.target))) continue;
    const { how, target: file } = repair;
    if (how === 'rights' || how === 'archive-leftover' || how === 'record') {
      single[how].push({ file, codes: [code], run: () => doOnce[how](fileSystem, { file, agentId }) });
      continue;
    }
    const files = how.startsWith('index-') ? indexes : journals;
    const known = files.get(file) ?? { file, agentId, codes: new Set(), hows: new Set() };
    known.codes.add(code);
    known.hows.add(how);
    files.set(file, known);
  }
  const taskOf =
    (repair: typeof repairJournal) =>
    (damaged: TaskFile): Task => ({
      file: damaged.file,
      codes: [...damaged.codes],
      run: () => repair(fileSystem, damaged),
    });
  const repaired = [
    ...[...journals.values()].map(taskOf(repairJournal)),
    ...[...indexes.values()].map(taskOf(repairIndex)),
  ];
  return [...single.rights, ...single['archive-leftover'], ...repaired, ...single.record];
}

const doOnce = { rights: closeTo, 'archive-leftover': removeUnfinished, record: makeRecord } as const;

async function closeTo(fileSystem: FileSystem, { file }: { readonly file: string }): Promise<string> {
  const facts = await fileSystem.lstat(file);
  // What a link leads to is not this store's.
  if (facts.isSymbolicLink()) return 'Left as it is: it is a symbolic link.';
  if (fileSystem.chmod === undefined) return 'Left as it is: this file system changes no rights.';
  await fileSystem.chmod(file, facts.mode & 0o700);
  return 'Took the rights of others away.';
}

/** Removes what a move into an archive has left, under the lock of the journal that was to be moved. */
async function removeUnfinished(fileSystem: FileSystem, { file }: { readonly file: string }): Promise<string> {
  const name = basename(file).slice(0, -`${archiveEnding}.new`.length);
  const lock = await takeWriteLock(fileSystem, join(dirname(dirname(file)), 'sessions', `${name}.jsonl`));
  try {
    await fileSystem.rm(file, { force: true });
    await syncFolder(fileSystem, dirname(file));
  } finally {
    await lock.release();
  }
  return 'Removed what was left of a move into the archive.';
}

async function makeRecord(
  fileSystem: FileSystem,
  { file, agentId }: { readonly file: string; readonly agentId: string },
): Promise<string> {
  const lock = await seeWriteLock(fileSystem, file);
  if (lock !== null && !lock.isStale) {
    throw new VarveError('VARVE_STORE_LOCKED', `"${file}" is being written by ${lock.owner}.`, {
      fix: 'Nothing needs to be done: who writes it stores the record.',
      details: { file },
    });
  }
  const place = { fileSystem, file: join(dirname(dirname(file)), 'sessions.jsonl'), agentId };
  const index = new IndexFile({ ...place, isSynced: true, report: () => {} });
  const record = await recordFromJournal(fileSystem, {
    file,
    name: basename(file).replace(/\.jsonl(\.gz)?$/, ''),
    agentId,
  });
  if (record === null) throw namelessError(file);
  const { sessionId, rev: _, ...patch } = record;
  if ((await index.look()).get(sessionId) === undefined) await index.put(sessionId, patch, 0);
  return 'Made the record from the journal.';
}
