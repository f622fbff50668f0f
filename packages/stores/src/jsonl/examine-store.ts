import { basename, dirname, join } from 'node:path';
import type { Seq, SessionRecord } from '@varve/core';
import { archiveEnding } from './archive/archive-path.ts';
import { examineArchive } from './archive/examine-archive.ts';
import { type ExaminedJournal, examineJournal } from './examine-journal.ts';
import { existing } from './existing.ts';
import { fileNameOf, idOfFileName } from './file-names.ts';
import { type FileFacts, type FileSystem, nodeFileSystem, openFlags } from './file-system.ts';
import { IndexContent } from './index-content.ts';
import { isInside } from './journal-path.ts';
import { linkTarget } from './link-target.ts';
import { codeOf, textOf } from './store-error.ts';
import { type FindingPlace, finding, type StoreFinding } from './store-finding.ts';
import { type SeenLock, seeWriteLock } from './write-lock.ts';

const ending = '.jsonl';

/** How a store is looked at, and repaired. */
export interface ExamineStoreOptions {
  /**
   * The file system, for tests that make it fail.
   *
   * @internal
   */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Looks at all files of a store and says what is not as it should be; the last finding says what was looked at. Reads
 * only, takes no lock, and holds no more than the records of one agent. A store that is not there has no findings.
 *
 * What a writer who is at work has not finished is not told.
 */
export async function* examineStore(
  root: string,
  { fileSystem = nodeFileSystem }: ExamineStoreOptions = {},
): AsyncGenerator<StoreFinding, void, undefined> {
  const realRoot = await existing(fileSystem.realpath(root));
  if (realRoot === null) return;
  const examination = new StoreExamination(fileSystem, realRoot);
  yield* examination.run();
}

/** A record, as far as its journal is held against it. */
type RecordFacts = Pick<SessionRecord, 'sessionId' | 'state'> & { readonly countedSeq: Seq; isFound: boolean };

class StoreExamination {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #seen = { agents: 0, sessions: 0, entries: 0, bytes: 0 };

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  async *run(): AsyncGenerator<StoreFinding> {
    const agents = join(this.#root, 'agents');
    yield* this.#permissionsOf({ file: this.#root });
    yield* this.#lookAt({ file: agents });
    for (const name of yield* this.#namesIn({ file: agents })) yield* this.#agent(join(agents, name));
    const { agents: agentCount, sessions, entries, bytes } = this.#seen;
    const what = `${counted(sessions, 'session')} of ${counted(agentCount, 'agent')}: ${entries} entries`;
    const text = `Examined ${what} in ${bytes} bytes.`;
    yield finding('examined', { file: this.#root, text, bytes });
  }

  async *#agent(folder: string): AsyncGenerator<StoreFinding> {
    const agentId = idOfFileName(basename(folder)) ?? undefined;
    const facts = yield* this.#lookAt({ agentId, file: folder });
    if (facts === null) return;
    if (!facts.isDirectory()) return yield unknownFile({ agentId, file: folder });
    this.#seen.agents += 1;
    const journals = yield* this.#namesIn({ agentId, file: join(folder, 'sessions') });
    const index: FindingPlace = { agentId, file: join(folder, 'sessions.jsonl') };
    const records = yield* this.#index(
      index,
      journals.some((name) => name.endsWith(ending)),
    );
    for (const name of yield* this.#namesIn({ agentId, file: folder })) {
      if (name.startsWith('sessions.jsonl') && name !== 'sessions.jsonl')
        yield* this.#beside(index, join(folder, name));
    }
    yield* this.#lookAt({ agentId, file: join(folder, 'sessions') });
    for (const name of journals) {
      const file = join(folder, 'sessions', name);
      if (name.endsWith(ending)) yield* this.#journal({ agentId, file }, records);
      else if (name.includes(`${ending}.`)) yield* this.#beside(this.#placeOf(agentId, file), file);
      else yield unknownFile({ agentId, file });
    }
    for (const name of yield* this.#namesIn({ agentId, file: join(folder, 'archive') })) {
      const place = { agentId, file: join(folder, 'archive', name) };
      for await (const found of this.#archived(place, records)) yield ofArchive(found);
    }
    yield* this.#lonelyRecords({ agentId, file: index.file }, records);
  }

  /** Reads an index, and gives what its records say by the name of the journal's file; `null` where it cannot be read. */
  async *#index(
    place: FindingPlace,
    hasJournals: boolean,
  ): AsyncGenerator<StoreFinding, ReadonlyMap<string, RecordFacts> | null> {
    const { file } = place;
    const facts = yield* this.#lookAt(place);
    if (facts === null) {
      const isMissing = (await existing(this.#fileSystem.lstat(file))) === null;
      if (hasJournals && isMissing)
        yield finding('index-missing', { ...place, text: 'There are journals and no index.' });
      return null;
    }
    const content = new IndexContent();
    try {
      const opened = await this.#fileSystem.open(file, openFlags.read);
      try {
        await content.read(opened, this.#fileSystem.fstatSync(opened.fd));
      } finally {
        await opened.close();
      }
    } catch (error) {
      yield finding('index-unreadable', {
        ...place,
        text: `The index cannot be read: ${codeOf(error) ?? textOf(error)}.`,
      });
      return null;
    }
    this.#seen.bytes += content.size;
    const bytes = content.lost.reduce((sum, { length }) => sum + length, 0);
    if (content.size === 0) yield finding('index-empty', { ...place, text: 'The index is empty.', bytes: 0 });
    else if (content.isDamaged) {
      const what = bytes === 0 ? 'it has no first line' : `${bytes} bytes are no record`;
      const left = `${content.records.length} records are left`;
      yield finding('index-damaged', { ...place, text: `The index is damaged: ${what}, and ${left}.`, bytes });
    }
    return factsOf(content.records);
  }

  async *#journal(
    { agentId, file }: FindingPlace,
    records: ReadonlyMap<string, RecordFacts> | null,
  ): AsyncGenerator<StoreFinding> {
    const name = basename(file).slice(0, -ending.length);
    const record = records?.get(name);
    if (record !== undefined) record.isFound = true;
    const place = { agentId, sessionId: record?.sessionId ?? idOfFileName(name) ?? undefined, file };
    const facts = yield* this.#lookAt(place);
    if (facts === null) return;
    if (!facts.isFile()) {
      return yield finding('journal-not-a-file', { ...place, text: 'Where a journal belongs is something else.' });
    }
    const lock = await this.#seeLock(file);
    const isBeingWritten = lock !== null && !lock.isStale;
    yield* this.#examined(place, { record, knowsRecords: records !== null }, () =>
      examineJournal(this.#fileSystem, { ...place, name, isBeingWritten }),
    );
  }

  async *#examined(
    place: FindingPlace,
    { record, knowsRecords }: { readonly record: RecordFacts | undefined; readonly knowsRecords: boolean },
    examine: () => Promise<ExaminedJournal>,
  ): AsyncGenerator<StoreFinding> {
    this.#seen.sessions += 1;
    let examined: ExaminedJournal;
    try {
      examined = await examine();
    } catch (error) {
      const text = `The journal cannot be read: ${codeOf(error) ?? textOf(error)}.`;
      return yield finding('journal-unreadable', { ...place, text });
    }
    this.#seen.entries += examined.entries;
    this.#seen.bytes += examined.bytes;
    yield* examined.findings;
    if (knowsRecords)
      yield* countersOf({ ...place, sessionId: examined.sessionId ?? place.sessionId }, { record, examined });
  }

  /** A file among the archives. */
  async *#archived(
    { agentId, file }: FindingPlace,
    records: ReadonlyMap<string, RecordFacts> | null,
  ): AsyncGenerator<StoreFinding> {
    const journal = join(dirname(dirname(file)), 'sessions', basename(file).replace(/\.gz(\.new)?$/, ''));
    const name = basename(journal, ending);
    const isArchive = file.endsWith(archiveEnding);
    const record = isArchive ? records?.get(name) : undefined;
    const place = { agentId, sessionId: record?.sessionId ?? idOfFileName(name) ?? undefined, file };
    const facts = yield* this.#lookAt(place);
    if (facts === null) return;
    if (!isArchive || !facts.isFile()) {
      if (!file.endsWith(`${archiveEnding}.new`)) return yield unknownFile({ agentId, file });
      if (await this.#isLocked(journal)) return;
      const text = 'A move into an archive that did not end left a file.';
      return yield finding('temporary-file', { ...place, text, bytes: facts.size });
    }
    if ((await existing(this.#fileSystem.lstat(journal))) !== null) {
      const text = 'There are both a journal and an archive of it: the journal is read.';
      return yield finding('archive-beside-journal', { ...place, text, bytes: facts.size });
    }
    if (record !== undefined) record.isFound = true;
    yield* this.#examined(place, { record, knowsRecords: records !== null }, () =>
      examineArchive(this.#fileSystem, { ...place, name }),
    );
  }

  /** A file that stands beside a journal or an index, and is named after it. */
  async *#beside(of: FindingPlace, file: string): AsyncGenerator<StoreFinding> {
    const facts = await existing(this.#fileSystem.lstat(file));
    if (facts === null) return;
    const place = { ...of, file };
    const bytes = facts.size;
    if (file.endsWith('.quarantine')) {
      yield* this.#permissionsOf(place);
      yield finding('quarantine-kept', {
        ...place,
        text: `${bytes} bytes that could not be read were set aside.`,
        bytes,
      });
    } else if (file.endsWith('.lock')) {
      const lock = await this.#seeLock(file.slice(0, -'.lock'.length));
      if (lock !== null) yield lockFinding(place, lock);
      // A lock that somebody takes is no link.
      else if (facts.isSymbolicLink()) yield unknownFile(place);
    } else if (file.endsWith('.owner')) {
      const isLocked = (await existing(this.#fileSystem.lstat(`${file.slice(0, -'.owner'.length)}.lock`))) !== null;
      if (!isLocked)
        yield finding('temporary-file', { ...place, text: 'The name of an owner is left without a lock.' });
    } else if (file.endsWith('.new') || file.endsWith('.takeover')) {
      const isAtWork = await this.#isLocked(file.slice(0, file.lastIndexOf('.')));
      if (!isAtWork)
        yield finding('temporary-file', { ...place, text: 'A write that did not end left a file.', bytes });
    } else yield unknownFile(place);
  }

  *#lonelyRecords(place: FindingPlace, records: ReadonlyMap<string, RecordFacts> | null): Iterable<StoreFinding> {
    for (const { sessionId, isFound } of records?.values() ?? []) {
      if (isFound) continue;
      const text = `There is a record of session "${sessionId}" and no journal.`;
      yield finding('record-without-journal', { ...place, sessionId, text });
    }
  }

  async #isLocked(file: string): Promise<boolean> {
    const lock = await this.#seeLock(file);
    return lock !== null && !lock.isStale;
  }

  async #seeLock(file: string): Promise<SeenLock | null> {
    const isThere = (await linkTarget(this.#fileSystem, `${file}.lock`)) !== null;
    return isThere ? seeWriteLock(this.#fileSystem, file) : null;
  }

  /** What a path leads to; `null`, and perhaps a finding, when it leads to nothing or out of the root. */
  async *#lookAt(place: FindingPlace): AsyncGenerator<StoreFinding, FileFacts | null> {
    const { file } = place;
    const facts = await existing(this.#fileSystem.lstat(file));
    if (facts === null) return null;
    if (!facts.isSymbolicLink()) {
      yield* this.#permissionsOf(place);
      return facts;
    }
    const target = await linkTarget(this.#fileSystem, file);
    if (target !== null && isInside(this.#root, target)) return this.#fileSystem.stat(target);
    const where = target === null ? 'to nothing' : `to "${target}"`;
    yield finding('link-outside', { ...place, text: `A symbolic link leads out of the root, ${where}.` });
    return null;
  }

  async *#permissionsOf(place: FindingPlace): AsyncGenerator<StoreFinding> {
    if (process.platform === 'win32') return;
    const facts = await existing(this.#fileSystem.lstat(place.file));
    if (facts === null || (facts.mode & 0o077) === 0) return;
    const mode = (facts.mode & 0o777).toString(8);
    yield finding('permissions-open', { ...place, text: `Others than its owner have rights on it (mode ${mode}).` });
  }

  /** The names in a folder; none where it leads out of the root, which is told of the link itself. */
  async *#namesIn(place: FindingPlace): AsyncGenerator<StoreFinding, readonly string[]> {
    try {
      const inside = await linkTarget(this.#fileSystem, place.file);
      if (inside === null || !isInside(this.#root, inside)) return [];
      return (await this.#fileSystem.readdir(inside)).sort();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOTDIR') return [];
      yield finding('folder-unreadable', { ...place, text: `The folder cannot be read: ${code ?? textOf(error)}.` });
      return [];
    }
  }

  #placeOf(agentId: string | undefined, file: string): FindingPlace {
    const name = basename(file);
    const sessionId = idOfFileName(name.slice(0, name.lastIndexOf(`${ending}.`))) ?? undefined;
    return { agentId, sessionId, file };
  }
}

const doneToArchives: readonly string[] = ['journal-without-record', 'permissions-open', 'temporary-file'];

/** What repairs a journal cannot be done to its archive. */
function ofArchive({ repair, ...found }: StoreFinding): StoreFinding {
  return doneToArchives.includes(found.code) ? { repair, ...found } : found;
}

function factsOf(records: readonly SessionRecord[]): ReadonlyMap<string, RecordFacts> {
  return new Map(
    records.map(({ sessionId, state, counters }) => {
      const countedSeq = Number(counters?.countedSeq ?? 0);
      return [fileNameOf(sessionId), { sessionId, state, countedSeq, isFound: false }];
    }),
  );
}

function* countersOf(
  place: FindingPlace,
  { record, examined }: { readonly record: RecordFacts | undefined; readonly examined: ExaminedJournal },
): Iterable<StoreFinding> {
  const { lastSeq } = examined;
  if (record === undefined) {
    yield finding('journal-without-record', { ...place, text: 'The index has no record of this session.' });
    return;
  }
  const { countedSeq } = record;
  const text = `The record counts entries up to seq ${countedSeq}, and the journal ends with ${lastSeq}.`;
  if (countedSeq < lastSeq) yield finding('counters-behind', { ...place, text });
  if (countedSeq > lastSeq) yield finding('counters-ahead', { ...place, text });
}

function lockFinding(place: FindingPlace, { owner, isStale }: SeenLock): StoreFinding {
  if (isStale) return finding('lock-stale', { ...place, text: `The lock of ${owner} was left behind.` });
  return finding('lock-live', { ...place, text: `It is being written by ${owner}.` });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function unknownFile(place: FindingPlace): StoreFinding {
  return finding('file-unknown', { ...place, text: 'The store has no such file.' });
}
