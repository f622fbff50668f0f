import { keyOf } from './load-keys.ts';
import type { LoadFault } from './oracle/judge-load.ts';
import type { JournalLine, JournalText, RootText } from './oracle/read-root.ts';
import type { LogLine } from './said.ts';

/** What a judge sees of a run. */
interface Seen {
  readonly root: RootText;
  readonly log: readonly LogLine[];
  readonly killed: number;
}

/** Something that goes wrong in what is left of a run, and the rule by which a judge has to notice. */
export interface Corruption {
  readonly name: string;
  readonly finds: LoadFault['rule'];
  corrupt(seen: Seen): Seen;
}

/** What a judge of such runs has to notice. */
export const corruptions: readonly Corruption[] = [
  {
    name: 'a line is cut off',
    finds: 'broken-line',
    corrupt: (seen) => inJournal(seen, (journal) => ({ ...journal, broken: 1 })),
  },
  {
    name: 'an entry is missing in the middle',
    finds: 'gap',
    corrupt: (seen) => inLines(seen, (lines) => lines.slice(1)),
  },
  {
    name: 'the last message is missing',
    finds: 'lost',
    corrupt: (seen) => inLines(seen, (lines) => lines.filter(({ role }) => role !== 'user')),
  },
  {
    name: 'a whole journal is missing',
    finds: 'lost',
    corrupt: (seen) => {
      const victim = victimOf(seen);
      return withJournals(seen, (journals) => journals.filter((journal) => journal !== victim));
    },
  },
  {
    name: 'a message says something else',
    finds: 'changed',
    corrupt: (seen) => inMessages(seen, (line) => ({ ...line, text: `${line.text} more` })),
  },
  {
    name: 'a message is there twice',
    finds: 'twice',
    corrupt: (seen) => inLines(seen, (lines) => [...lines, ...lines.filter(({ role }) => role === 'user').slice(0, 1)]),
  },
  {
    name: 'a message stands in the conversation of somebody else',
    finds: 'foreign',
    corrupt: (seen) => inJournal(seen, (journal) => ({ ...journal, key: keyOf(1_000_000) })),
  },
  {
    name: 'a message is there that nobody said',
    finds: 'never-said',
    corrupt: (seen) =>
      inLines(seen, (lines) => [
        ...lines,
        { seq: lines.length + 1, type: 'message', role: 'user', text: 'Out of the blue.', setting: null },
      ]),
  },
  {
    name: 'an answer is missing',
    finds: 'no-answer',
    corrupt: (seen) =>
      withJournals(seen, (journals) =>
        journals.map((journal) => ({ ...journal, lines: journal.lines.filter(({ role }) => role !== 'assistant') })),
      ),
  },
  {
    name: 'an ended generation goes on beside the current one',
    finds: 'current',
    corrupt: (seen) =>
      withRecords(seen, (records) =>
        records.map((record) => (record.currentSince === null ? record : { ...record, state: 'open' })),
      ),
  },
  {
    name: 'the current generation is put away',
    finds: 'current',
    corrupt: (seen) => withRecords(seen, (records) => records.map((record) => ({ ...record, state: 'archived' }))),
  },
  {
    name: 'generations forget which one was before them',
    finds: 'chain',
    corrupt: (seen) =>
      withJournals(seen, (journals) => journals.map((journal) => ({ ...journal, previousSessionId: null }))),
  },
  {
    name: 'a reset loses what was said of security',
    finds: 'talkative',
    corrupt: (seen) =>
      withJournals(seen, (journals) =>
        journals.map((journal) => ({ ...journal, lines: journal.lines.map((line) => ({ ...line, setting: null })) })),
      ),
  },
  {
    name: 'a lock of the process that was closed is left',
    finds: 'lock',
    corrupt: (seen) => ({
      ...seen,
      root: { ...seen.root, locks: [{ name: 'a.jsonl.lock', sessionId: 'a', pid: seen.killed + 1 }] },
    }),
  },
  {
    name: 'a lock of the process that was killed keeps others from a conversation',
    finds: 'lock',
    corrupt: (seen) => {
      const current = seen.root.records.find(({ state, currentSince }) => state === 'open' && currentSince !== null);
      const lock = { name: 'a.jsonl.lock', sessionId: current?.sessionId ?? '', pid: seen.killed };
      return { ...seen, root: { ...seen.root, locks: [lock] } };
    },
  },
];

/** The journal that something happens to: one in which a message was acknowledged. */
function victimOf({ root, log }: Seen): JournalText {
  const said = log.findLast((line) => line.is === 'done' && line.seq !== null);
  const victim = root.journals.find(({ sessionId }) => said?.is === 'done' && sessionId === said.sessionId);
  if (victim === undefined) throw new Error('Nothing was said in the whole run.');
  return victim;
}

function inJournal(seen: Seen, change: (journal: JournalText) => JournalText): Seen {
  const victim = victimOf(seen);
  return withJournals(seen, (journals) => journals.map((one) => (one === victim ? change(one) : one)));
}

function inLines(seen: Seen, change: (lines: readonly JournalLine[]) => readonly JournalLine[]): Seen {
  return inJournal(seen, (journal) => ({ ...journal, lines: change(journal.lines) }));
}

function inMessages(seen: Seen, change: (line: JournalLine) => JournalLine): Seen {
  return inLines(seen, (lines) => lines.map((line) => (line.role === 'user' ? change(line) : line)));
}

function withJournals(seen: Seen, change: (journals: RootText['journals']) => RootText['journals']): Seen {
  return { ...seen, root: { ...seen.root, journals: change(seen.root.journals) } };
}

function withRecords(seen: Seen, change: (records: RootText['records']) => RootText['records']): Seen {
  return { ...seen, root: { ...seen.root, records: change(seen.root.records) } };
}
