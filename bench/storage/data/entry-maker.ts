import { type CompactionEntry, type MessageEntry, type Seq, tableCounter } from '@varve/core';
import { seededRandom } from '../../seeded-random.ts';
import { mixedMessage } from './agent-mix.ts';

/** What entries are made of. */
export interface EntryMakerOptions {
  /** The same entries for the same seed. */
  readonly seed: number;
  /** See `mixedMessage`. @default 3 000 */
  readonly toolLength?: number | undefined;
  /** The last entry before the first that is made. @default 0 */
  readonly afterSeq?: Seq | undefined;
}

/** Makes the entries of a conversation, one after the other, as a session would append them. */
export interface EntryMaker {
  /** The next message. */
  message(): MessageEntry;
  /** The next messages. */
  messages(count: number): readonly MessageEntry[];
  /** A compaction that keeps so many of the messages before it. */
  compaction(kept: number): CompactionEntry;
}

const startedAt = 1_750_000_000_000;

/** Begins to make entries. */
export function createEntryMaker({ seed, toolLength = 3_000, afterSeq = 0 }: EntryMakerOptions): EntryMaker {
  const random = seededRandom(seed);
  let seq = afterSeq;
  const next = () => {
    seq += 1;
    return {
      v: 1,
      id: idOf(seq),
      parentId: seq === 1 ? null : idOf(seq - 1),
      seq,
      at: startedAt + seq * 1_000,
    } as const;
  };
  const message = (): MessageEntry => {
    const { message: said, usage } = mixedMessage(seq, { random, toolLength });
    const kind = said.role === 'user' ? 'user' : said.role === 'tool' ? 'tool' : 'model';
    const tokens = { n: tableCounter.countMessage(said), by: tableCounter.id };
    const entry = { ...next(), type: 'message', message: said, provenance: { kind }, tokens } as const;
    return usage === undefined ? entry : { ...entry, usage };
  };
  return {
    message,
    messages: (count) => Array.from({ length: count }, message),
    compaction: (kept) => {
      const refTo = (to: Seq) => ({ id: idOf(to), seq: to });
      const range = { from: refTo(1), to: refTo(seq - kept), firstKept: refTo(seq - kept + 1), held: null };
      const line = { seq: 1, text: 'Find out which file is written the slowest.' };
      return {
        ...next(),
        type: 'compaction',
        range,
        previousId: null,
        trigger: 'manual',
        tokensBefore: 180_000,
        tokensAfter: 20_000,
        by: { plugin: 'bench', version: '1.0.0' },
        prose: 'What was said so far. '.repeat(270),
        digest: { task: line, userLog: [line], ledger: [], shares: { userLogTokens: 1_000, ledgerTokens: 1_000 } },
        edits: [],
      };
    },
  };
}

/** The id of the entry with that seq. */
function idOf(seq: Seq): string {
  return `01J${String(seq).padStart(23, '0')}`;
}
