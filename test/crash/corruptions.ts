import { crc32 } from 'node:zlib';
import type { Fault } from './oracle/fault.ts';
import type { Evidence, Known } from './oracle/judge.ts';
import type { Said } from './said.ts';

/** What a judge has seen. */
interface Seen {
  readonly known: Known;
  readonly evidence: Evidence;
}

/** A fault that is put into what a judge has seen, and the rule that must find it. */
export interface Corruption {
  readonly name: string;
  readonly finds: Fault['rule'];
  corrupt(seen: Seen): Seen;
}

/** A line of a journal, parsed. */
interface LineValue {
  readonly id: string;
  readonly seq: number;
  readonly type: string;
  readonly parentId: string | null;
  readonly crc: string;
  readonly more: number;
  readonly key?: string;
  readonly message?: unknown;
  readonly note?: string;
}

/** What was never said in any test. */
const secret = 'q7x2k9v4m1z8w3r6t5y0';

function seal({ crc: _crc, ...value }: LineValue): string {
  const text = `${JSON.stringify(value).slice(0, -1)},`;
  return `${text}"crc":"${crc32(text).toString(16).padStart(8, '0')}"}`;
}

/** Changes the entries of the journal, with good checksums. */
function inEntries(change: (entries: readonly LineValue[], seen: Seen) => readonly LineValue[]): Corruption['corrupt'] {
  return (seen) => {
    const { journal } = seen.evidence;
    const [header = '', ...lines] = (journal ?? '').toString().trimEnd().split('\n');
    const whole = lines.filter((line) => line.endsWith('"}')).map((line): LineValue => JSON.parse(line));
    // An append that was not finished may say anything.
    const entries = change(whole.slice(0, whole.findLastIndex(({ more }) => more === 0) + 1), seen);
    const text = [header, ...entries.map(seal), ''].join('\n');
    return { ...seen, evidence: { ...seen.evidence, journal: Buffer.from(text) } };
  };
}

/** A message that was acknowledged, and that nobody asked to forget: its key would be gone. */
function acknowledgedIn(entries: readonly LineValue[], { evidence }: Seen): number {
  const ids = new Set(
    evidence.said.flatMap((said) => (said.say === 'appended' ? said.entries.map((text) => JSON.parse(text).id) : [])),
  );
  const found = entries.findIndex(({ id, key }) => ids.has(id) && key !== undefined);
  if (found === -1) throw new Error('nothing was acknowledged');
  return found;
}

function withSaid(seen: Seen, ...said: readonly Said[]): Seen {
  return { ...seen, evidence: { ...seen.evidence, said: [...seen.evidence.said, ...said] } };
}

const forgotSecret: readonly Said[] = [{ say: 'forgetting', key: '', ids: [], texts: [secret] }, { say: 'forgot' }];

/** Entries without one of them, as if it had never been there. */
function without(entries: readonly LineValue[], gone: number): readonly LineValue[] {
  const { id, parentId, more: after } = entries[gone] as LineValue;
  return entries
    .map((entry, at) => {
      const isBeforeInAppend = at < gone && entry.more === after + gone - at;
      return isBeforeInAppend ? { ...entry, more: entry.more - 1 } : entry;
    })
    .toSpliced(gone, 1)
    .map((entry, at) => ({ ...entry, seq: at + 1, parentId: entry.parentId === id ? parentId : entry.parentId }));
}

/** Every fault. */
export const corruptions: readonly Corruption[] = [
  {
    name: 'an acknowledged entry is gone, and those behind it have moved up',
    finds: 'lost',
    corrupt: inEntries((entries, seen) => without(entries, acknowledgedIn(entries, seen))),
  },
  {
    name: 'a journal ends before an entry that was acknowledged',
    finds: 'lost',
    corrupt: inEntries((entries, seen) => entries.slice(0, acknowledgedIn(entries, seen))),
  },
  {
    name: 'an acknowledged entry is there twice',
    finds: 'duplicated',
    corrupt: inEntries((entries, seen) => {
      const at = acknowledgedIn(entries, seen);
      return entries.toSpliced(at, 0, entries[at] as LineValue);
    }),
  },
  {
    name: 'a message that was given twice is stored twice',
    finds: 'key-twice',
    corrupt: inEntries((entries) => {
      const keyed = entries.find((entry) => typeof entry.key === 'string') as LineValue;
      const last = entries.at(-1) as LineValue;
      return [...entries, { ...keyed, more: 0, id: 'another', parentId: last.id, seq: entries.length + 1 }];
    }),
  },
  {
    name: 'an acknowledged entry says something else',
    finds: 'changed',
    corrupt: inEntries((entries, seen) => {
      const at = acknowledgedIn(entries, seen);
      return entries.with(at, { ...(entries[at] as LineValue), message: { role: 'user', content: 'Never mind.' } });
    }),
  },
  {
    name: 'a byte of an acknowledged entry is another',
    finds: 'bad-line',
    corrupt: (seen) => {
      const journal = Buffer.from(seen.evidence.journal ?? '');
      const at = journal.indexOf('"message"', journal.indexOf('\n'));
      journal[at + 1] = 'M'.charCodeAt(0);
      return { ...seen, evidence: { ...seen.evidence, journal } };
    },
  },
  {
    name: 'a seq is left out',
    finds: 'gap',
    corrupt: inEntries((entries) => entries.map((entry) => (entry.seq > 3 ? { ...entry, seq: entry.seq + 1 } : entry))),
  },
  {
    name: 'an entry follows one that is not there',
    finds: 'parent',
    corrupt: inEntries((entries) => [...entries.slice(0, -1), { ...(entries.at(-1) as LineValue), parentId: 'none' }]),
  },
  {
    name: 'an append is there in part',
    finds: 'append',
    corrupt: inEntries((entries) => [{ ...(entries[0] as LineValue), more: 3 }, ...entries.slice(1)]),
  },
  {
    name: 'two entries were acknowledged under one seq',
    finds: 'seq-twice',
    corrupt: (seen) => {
      const appended = seen.evidence.said.find((said) => said.say === 'appended');
      return appended === undefined ? seen : withSaid(seen, appended);
    },
  },
  {
    name: 'a forgotten text is left in an entry',
    finds: 'forgotten-text',
    corrupt: (seen) =>
      withSaid(
        inEntries((entries) => [...entries.slice(0, -1), { ...(entries.at(-1) as LineValue), note: secret }])(seen),
        ...forgotSecret,
      ),
  },
  {
    name: 'a part of a forgotten text is left in a file beside the journal',
    finds: 'forgotten-text',
    corrupt: (seen) => {
      const others = [{ name: 'quarantine', bytes: Buffer.from(`{"torn":"${secret.slice(3, 15)}`) }];
      return withSaid({ ...seen, evidence: { ...seen.evidence, others } }, ...forgotSecret);
    },
  },
  {
    name: 'a message that was forgotten is as it was',
    finds: 'half-forgotten',
    corrupt: (seen) => {
      const appended = seen.evidence.said.flatMap((said) => (said.say === 'appended' ? said.entries : []));
      const ids = appended.map((text) => JSON.parse(text).id).slice(0, 1);
      return withSaid(seen, { say: 'forgetting', key: '', ids, texts: [] }, { say: 'forgot' });
    },
  },
  {
    name: 'a tool ran a second time for a call',
    finds: 'ran-twice',
    corrupt: (seen) => {
      const { effects } = seen.evidence;
      const again = effects.split('\n')[0] || 'call-of-nobody';
      return { ...seen, evidence: { ...seen.evidence, effects: `${effects}${again}\n${again}\n` } };
    },
  },
  {
    name: 'a tool ran before its call was stored',
    finds: 'ran-unstored',
    corrupt: (seen) => ({
      ...seen,
      evidence: { ...seen.evidence, effects: `${seen.evidence.effects}call-nobody-knows\n` },
    }),
  },
  {
    name: 'an operation resolved before its entry was stored',
    finds: 'unproved',
    corrupt: (seen) =>
      withSaid(seen, {
        ...{ say: 'done', op: 'state', key: null },
        proofs: [{ kind: 'state', slot: 'todo', text: 'Never stored.' }],
      }),
  },
  {
    name: 'a message was acknowledged under a key that is not there',
    finds: 'key-missing',
    corrupt: (seen) => withSaid(seen, { say: 'done', op: 'ingest', key: 'a key of nothing', proofs: [] }),
  },
  {
    name: 'a worker found that something went otherwise than it must',
    finds: 'worker',
    corrupt: (seen) => withSaid(seen, { say: 'problem', text: 'The turn after a crash did not answer.' }),
  },
  {
    name: 'opening a store does not cut what was torn',
    finds: 'torn-left',
    corrupt: (seen) => {
      const journal = Buffer.concat([seen.evidence.journal ?? Buffer.alloc(0), Buffer.from('{"v":1,"id":"01')]);
      return { ...seen, evidence: { ...seen.evidence, journal, isOpened: true } };
    },
  },
  {
    name: 'an opened store gives other entries than its file holds',
    finds: 'read-otherwise',
    corrupt: (seen) =>
      withSaid(
        { ...seen, evidence: { ...seen.evidence, isOpened: true } },
        { say: 'opened', entries: ['{}'], repairs: [], waits: 0 },
      ),
  },
];
