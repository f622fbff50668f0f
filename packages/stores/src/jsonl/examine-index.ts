import type { Seq, SessionRecord } from '@varve/core';
import { existing } from './existing.ts';
import { fileNameOf } from './file-names.ts';
import { type FileSystem, openFlags } from './file-system.ts';
import { IndexContent } from './index-content.ts';
import { codeOf, textOf } from './store-error.ts';
import { type FindingPlace, finding, type StoreFinding } from './store-finding.ts';
import type { StoreLook } from './store-look.ts';

/** A record, as far as its journal is held against it. */
export type RecordFacts = Pick<SessionRecord, 'sessionId' | 'state'> & { readonly countedSeq: Seq; isFound: boolean };

/** What an index says. */
interface ExaminedIndex {
  /** By the names of the files of their journals. */
  readonly records: ReadonlyMap<string, RecordFacts>;
  /** How long the file is. */
  readonly bytes: number;
}

/** How an index is looked at. */
interface IndexLook {
  readonly fileSystem: FileSystem;
  readonly look: StoreLook;
  /** Whether the agent has any. */
  readonly hasJournals: boolean;
}

/** Reads an index, and gives what its records say by the name of the journal's file; `null` where it cannot be read. */
export async function* examineIndex(
  place: FindingPlace,
  { fileSystem, look, hasJournals }: IndexLook,
): AsyncGenerator<StoreFinding, ExaminedIndex | null> {
  const { file } = place;
  const facts = yield* look.lookAt(place);
  if (facts === null) {
    const isMissing = (await existing(fileSystem.lstat(file))) === null;
    if (hasJournals && isMissing)
      yield finding('index-missing', { ...place, text: 'There are journals and no index.' });
    return null;
  }
  const content = new IndexContent();
  try {
    const opened = await fileSystem.open(file, openFlags.read);
    try {
      await content.read(opened, fileSystem.fstatSync(opened.fd));
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
  const bytes = content.lost.reduce((sum, { length }) => sum + length, 0);
  if (content.size === 0) yield finding('index-empty', { ...place, text: 'The index is empty.', bytes: 0 });
  else if (content.isDamaged) {
    const what = bytes === 0 ? 'it has no first line' : `${bytes} bytes are no record`;
    const left = `${content.records.length} records are left`;
    yield finding('index-damaged', { ...place, text: `The index is damaged: ${what}, and ${left}.`, bytes });
  }
  return { records: factsOf(content.records), bytes: content.size };
}

function factsOf(records: readonly SessionRecord[]): ReadonlyMap<string, RecordFacts> {
  return new Map(
    records.map(({ sessionId, state, counters }) => {
      const countedSeq = Number(counters?.countedSeq ?? 0);
      return [fileNameOf(sessionId), { sessionId, state, countedSeq, isFound: false }];
    }),
  );
}
