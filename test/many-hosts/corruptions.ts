import type { HostFault, Known } from './oracle/judge-hosts.ts';
import type { EntryRow } from './oracle/read-tables.ts';

/** A way in which a store could go wrong, done to what a run left. */
export interface Corruption {
  readonly name: string;
  readonly finds: HostFault['rule'];
  corrupt(known: Known): Known;
}

/** Faults that the judge must find. */
export const corruptions: readonly Corruption[] = [
  {
    name: 'an acknowledged message is gone',
    finds: 'lost',
    corrupt: (known) => withEntries(known, (entries) => entries.filter((row) => row !== userRow(entries))),
  },
  {
    name: 'a message has the text of another',
    finds: 'lost',
    corrupt: (known) => withRow(known, (row) => ({ ...row, text: `[t0] ${row.text}` })),
  },
  {
    name: 'a message is stored twice',
    finds: 'twice',
    corrupt: (known) =>
      withEntries(known, (entries) => [...entries, { ...userRow(entries), seq: 1_000_000, id: 'another', key: null }]),
  },
  {
    name: 'two entries have one id',
    finds: 'twice',
    corrupt: (known) => withRow(known, (row) => ({ ...row, id: known.evidence.entries[0]?.id ?? '' })),
  },
  {
    name: 'an entry follows another than the one before',
    finds: 'gap',
    corrupt: (known) => withRow(known, (row) => ({ ...row, parentId: 'elsewhere' })),
  },
  {
    name: 'two messages have changed places',
    finds: 'order',
    corrupt: (known) => {
      const [first, last] = farApart(known);
      const done = known.done.map((one) => {
        if (one === first) return { ...one, seq: last.seq };
        return one === last ? { ...one, seq: first.seq } : one;
      });
      return { ...known, done };
    },
  },
  {
    name: 'a message is there that nobody sent',
    finds: 'never-said',
    corrupt: (known) => ({ ...known, tasks: known.tasks.slice(1) }),
  },
  {
    name: 'an answer is gone',
    finds: 'no-answer',
    corrupt: (known) =>
      withEntries(known, (entries) =>
        entries.filter((row) => row !== entries.find(({ role }) => role === 'assistant')),
      ),
  },
  {
    name: 'a call is paid twice although nothing had happened to its host',
    finds: 'paid',
    corrupt: (known) => {
      const [call] = known.calls as [Known['calls'][number]];
      return { ...known, calls: [{ ...call, isInterrupted: false }, ...known.calls] };
    },
  },
];

function userRow(entries: readonly EntryRow[]): EntryRow {
  return entries.find(({ role, seq }) => role === 'user' && seq > 2) as EntryRow;
}

function withEntries(known: Known, change: (entries: readonly EntryRow[]) => readonly EntryRow[]): Known {
  return { ...known, evidence: { ...known.evidence, entries: change(known.evidence.entries) } };
}

function withRow(known: Known, change: (row: EntryRow) => EntryRow): Known {
  return withEntries(known, (entries) => entries.map((row) => (row === userRow(entries) ? change(row) : row)));
}

/** Two messages of a session, the second of which was sent after the first was acknowledged. */
function farApart({ done }: Known): readonly [Known['done'][number], Known['done'][number]] {
  for (const first of done) {
    const last = done.find((one) => one.sessionId === first.sessionId && one.begunAt > first.doneAt);
    if (last !== undefined) return [first, last];
  }
  throw new Error('All messages were sent at the same time.');
}
