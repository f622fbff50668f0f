import { basename, dirname, join } from 'node:path';
import { archiveEnding } from './archive/archive-path.ts';
import { examineArchive } from './archive/examine-archive.ts';
import { isArchive } from './archive/is-archive.ts';
import { examineIndex, type RecordFacts } from './examine-index.ts';
import { type ExaminedJournal, examineJournal } from './examine-journal.ts';
import { existing } from './existing.ts';
import { idOfFileName } from './file-names.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { quarantineFileOf } from './quarantine.ts';
import { codeOf, textOf } from './store-error.ts';
import { type FindingPlace, type FindingRepair, finding, type StoreFinding } from './store-finding.ts';
import { StoreLook } from './store-look.ts';
import type { SeenLock } from './write-lock.ts';

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

class StoreExamination {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #look: StoreLook;
  readonly #seen = { agents: 0, sessions: 0, entries: 0, bytes: 0 };

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#look = new StoreLook(fileSystem, root);
  }

  async *run(): AsyncGenerator<StoreFinding> {
    const agents = join(this.#root, 'agents');
    yield* this.#look.permissionsOf({ file: this.#root });
    yield* this.#look.lookAt({ file: agents });
    for (const name of yield* this.#look.namesIn({ file: agents })) yield* this.#agent(join(agents, name));
    const { agents: agentCount, sessions, entries, bytes } = this.#seen;
    const what = `${counted(sessions, 'session')} of ${counted(agentCount, 'agent')}: ${entries} entries`;
    const text = `Examined ${what} in ${bytes} bytes.`;
    yield finding('examined', { file: this.#root, text, bytes });
  }

  async *#agent(folder: string): AsyncGenerator<StoreFinding> {
    const agentId = idOfFileName(basename(folder)) ?? undefined;
    const facts = yield* this.#look.lookAt({ agentId, file: folder });
    if (facts === null) return;
    if (!facts.isDirectory()) return yield unknownFile({ agentId, file: folder });
    this.#seen.agents += 1;
    const journals = yield* this.#look.namesIn({ agentId, file: join(folder, 'sessions') });
    const index: FindingPlace = { agentId, file: join(folder, 'sessions.jsonl') };
    const examined = yield* examineIndex(index, {
      fileSystem: this.#fileSystem,
      look: this.#look,
      hasJournals: journals.some((name) => name.endsWith(ending)),
    });
    const records = examined?.records ?? null;
    this.#seen.bytes += examined?.bytes ?? 0;
    for (const name of yield* this.#look.namesIn({ agentId, file: folder })) {
      if (name.startsWith('sessions.jsonl') && name !== 'sessions.jsonl')
        yield* this.#beside({ ...index, file: join(folder, name) }, { target: index.file, how: 'index-reopen' });
    }
    yield* this.#look.lookAt({ agentId, file: join(folder, 'sessions') });
    for (const name of journals) {
      const file = join(folder, 'sessions', name);
      if (name.endsWith(ending)) yield* this.#journal({ agentId, file }, records);
      else if (name.includes(`${ending}.`)) {
        const target = file.slice(0, file.lastIndexOf(`${ending}.`) + ending.length);
        const sessionId = idOfFileName(basename(target, ending)) ?? undefined;
        yield* this.#beside({ agentId, sessionId, file }, { target, how: 'reopen' });
      } else yield unknownFile({ agentId, file });
    }
    for (const name of yield* this.#look.namesIn({ agentId, file: join(folder, 'archive') })) {
      const place = { agentId, file: join(folder, 'archive', name) };
      for await (const found of this.#archived(place, records)) yield ofArchive(found);
    }
    yield* this.#lonelyRecords({ agentId, file: index.file }, records);
  }

  async *#journal(
    { agentId, file }: FindingPlace,
    records: ReadonlyMap<string, RecordFacts> | null,
  ): AsyncGenerator<StoreFinding> {
    const name = basename(file).slice(0, -ending.length);
    const record = records?.get(name);
    if (record !== undefined) record.isFound = true;
    const place = { agentId, sessionId: record?.sessionId ?? idOfFileName(name) ?? undefined, file };
    const facts = yield* this.#look.lookAt(place);
    if (facts === null) return;
    if (!facts.isFile()) {
      return yield finding('journal-not-a-file', { ...place, text: 'Where a journal belongs is something else.' });
    }
    const lock = await this.#look.seeLock(file);
    const isBeingWritten = lock !== null && !lock.isStale;
    const isRepaired = (await existing(this.#fileSystem.lstat(quarantineFileOf(file)))) !== null;
    const examined = this.#examined(place, { record, knowsRecords: records !== null }, () =>
      examineJournal(this.#fileSystem, { ...place, name, isBeingWritten }),
    );
    for await (const found of examined) yield isRepaired ? afterRepair(found) : found;
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
    const hasName = file.endsWith(archiveEnding);
    const record = hasName ? records?.get(name) : undefined;
    const place = { agentId, sessionId: record?.sessionId ?? idOfFileName(name) ?? undefined, file };
    const facts = yield* this.#look.lookAt(place);
    if (facts === null) return;
    if (!hasName) {
      if (!file.endsWith(`${archiveEnding}.new`)) return yield unknownFile({ agentId, file });
      if (await this.#look.isLocked(journal)) return;
      const text = 'A move into an archive that did not end left a file.';
      return yield finding('temporary-file', { ...place, text, bytes: facts.size, how: 'archive-leftover' });
    }
    if (!(await isArchive(this.#fileSystem, file))) {
      const text = 'Where an archive belongs is a link, a folder, or a file in which nothing is one.';
      return yield finding('archive-unreadable', { ...place, text, bytes: facts.size });
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
  async *#beside(own: FindingPlace, repair: Pick<FindingRepair, 'target' | 'how'>): AsyncGenerator<StoreFinding> {
    const { file } = own;
    const facts = await existing(this.#fileSystem.lstat(file));
    if (facts === null) return;
    const place = { ...own, ...repair };
    const bytes = facts.size;
    if (file.endsWith('.quarantine')) {
      yield* this.#look.permissionsOf(own);
      yield finding('quarantine-kept', {
        ...place,
        text: `${bytes} bytes that could not be read were set aside.`,
        bytes,
      });
    } else if (file.endsWith('.lock')) {
      const lock = await this.#look.seeLock(file.slice(0, -'.lock'.length));
      if (lock !== null) yield lockFinding(place, lock);
      // A lock that somebody takes is no link.
      else if (facts.isSymbolicLink()) yield unknownFile(own);
    } else if (file.endsWith('.owner')) {
      const isLocked = (await existing(this.#fileSystem.lstat(`${file.slice(0, -'.owner'.length)}.lock`))) !== null;
      if (!isLocked)
        yield finding('temporary-file', { ...place, text: 'The name of an owner is left without a lock.' });
    } else if (file.endsWith('.new') || file.endsWith('.takeover')) {
      const isAtWork = await this.#look.isLocked(file.slice(0, file.lastIndexOf('.')));
      if (!isAtWork)
        yield finding('temporary-file', { ...place, text: 'A write that did not end left a file.', bytes });
    } else yield unknownFile(own);
  }

  *#lonelyRecords(place: FindingPlace, records: ReadonlyMap<string, RecordFacts> | null): Iterable<StoreFinding> {
    for (const { sessionId, isFound } of records?.values() ?? []) {
      if (isFound) continue;
      const text = `There is a record of session "${sessionId}" and no journal.`;
      yield finding('record-without-journal', { ...place, sessionId, text });
    }
  }
}

const doneToJournals: readonly (string | undefined)[] = ['rewrite', 'reopen'];

/** What repairs a journal cannot be done to its archive. */
function ofArchive({ repair, ...found }: StoreFinding): StoreFinding {
  return repair === undefined || doneToJournals.includes(repair.how) ? found : { ...found, repair };
}

const lostBefore: readonly string[] = ['counters-ahead', 'entry-missing'];

/** Entries are gone, and what was left of them is in quarantine beside the journal: nothing more can be done about it. */
function afterRepair(found: StoreFinding): StoreFinding {
  if (!lostBefore.includes(found.code)) return found;
  const fix = 'Nothing more can be done here: what was left of them is in quarantine. Keep that file, as it says so.';
  return { ...found, level: 'note', fix };
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

function lockFinding(
  place: FindingPlace & Pick<FindingRepair, 'target' | 'how'>,
  { owner, isStale }: SeenLock,
): StoreFinding {
  if (isStale) return finding('lock-stale', { ...place, text: `The lock of ${owner} was left behind.` });
  return finding('lock-live', { ...place, text: `It is being written by ${owner}.` });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function unknownFile(place: FindingPlace): StoreFinding {
  return finding('file-unknown', { ...place, text: 'The store has no such file.' });
}
