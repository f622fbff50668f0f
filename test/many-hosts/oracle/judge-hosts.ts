import type { EntryRow, Evidence } from './read-tables.ts';

/** What must hold, by the name of the rule. */
export const hostRules = {
  lost: 'every acknowledged message is where it was said to be',
  twice: 'no message, id or key is stored twice',
  gap: 'the entries of every journal are numbered without a gap, and each follows the one before',
  order: 'of two messages the one that was acknowledged before the other was sent comes first',
  'never-said': 'no message is there that nobody sent',
  'no-answer': 'every acknowledged turn has an answer, and no message has two',
  paid: 'no call is paid twice, except those under way when their host was killed or cut off',
} as const;

/** A rule that was not kept, and how. */
export interface HostFault {
  readonly rule: keyof typeof hostRules;
  readonly text: string;
}

/** A message as somebody was told that it is stored. */
interface Acknowledged {
  readonly id: string;
  readonly sessionId: string;
  readonly deed: 'ingest' | 'turn';
  readonly entryId: string;
  readonly seq: number;
  readonly begunAt: number;
  readonly doneAt: number;
}

/** A call that was paid for the messages with those ids. */
interface Paid {
  readonly sessionId: string;
  readonly ids: readonly string[];
  readonly isInterrupted: boolean;
}

/** What was acknowledged and paid, and what is there. */
export interface Known {
  readonly done: readonly Acknowledged[];
  readonly tasks: readonly { readonly id: string; readonly sessionId: string }[];
  readonly calls: readonly Paid[];
  readonly evidence: Evidence;
}

/** What a judge has found. */
export interface Judgement {
  readonly faults: readonly HostFault[];
  readonly entries: number;
  readonly messages: number;
  /** Calls that were paid again since the first was under way when its host was killed or cut off. */
  readonly paidAgain: number;
}

/** Holds what is in the tables against what hosts have told. Knows nothing of the product but its tables. */
export function judgeHosts(known: Known): Judgement {
  const { done, tasks, calls, evidence } = known;
  const { entries } = evidence;
  const messages = entries.filter(({ type }) => type === 'message');
  const users = messages.filter(({ role }) => role === 'user');
  const idOf = (row: EntryRow): string => idsIn(row.text)[0] ?? '';
  const { faults: paidFaults, again } = judgeCalls(calls);
  return {
    faults: [
      ...judgeAcknowledged(done, entries),
      ...judgeTwice(entries, users.map(idOf)),
      ...judgeGaps(evidence),
      ...judgeOrder(done),
      ...judgeSaid(users, tasks),
      ...judgeAnswers(messages, done),
      ...paidFaults,
    ],
    entries: entries.length,
    messages: messages.length,
    paidAgain: again,
  };
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/\[(t\d+)\]/g)].map(([, id]) => id as string);
}

function judgeAcknowledged(done: readonly Acknowledged[], entries: readonly EntryRow[]): readonly HostFault[] {
  const places = new Map(entries.map((row) => [`${row.sessionId} ${row.seq}`, row]));
  return done.flatMap(({ id, sessionId, seq, entryId }): HostFault[] => {
    const row = places.get(`${sessionId} ${seq}`);
    const isThere = row?.entryId === entryId && row.id === entryId && row.key === id && row.text.startsWith(`[${id}] `);
    return isThere ? [] : [{ rule: 'lost', text: `${id}: ${sessionId} #${seq} holds ${row?.text ?? 'nothing'}` }];
  });
}

function judgeTwice(entries: readonly EntryRow[], ids: readonly string[]): readonly HostFault[] {
  const keys = entries.flatMap(({ key }) => key ?? []);
  const lists = { message: ids, id: entries.map(({ id }) => id), key: keys };
  return Object.entries(lists).flatMap(([what, values]) =>
    repeated(values).map((value): HostFault => ({ rule: 'twice', text: `${what} ${value}` })),
  );
}

function judgeGaps({ entries, lastSeqs }: Evidence): readonly HostFault[] {
  const faults: HostFault[] = [];
  const lasts = new Map<string, EntryRow>();
  for (const row of entries) {
    const last = lasts.get(row.sessionId);
    const follows = row.seq === (last?.seq ?? 0) + 1 && row.parentId === (last?.id ?? null);
    if (!follows) faults.push({ rule: 'gap', text: `${row.sessionId} #${row.seq} follows #${last?.seq ?? 0}` });
    lasts.set(row.sessionId, row);
  }
  for (const [sessionId, lastSeq] of lastSeqs) {
    const found = lasts.get(sessionId)?.seq ?? 0;
    if (found !== lastSeq) faults.push({ rule: 'gap', text: `${sessionId} ends with #${found}, and says #${lastSeq}` });
  }
  return faults;
}

/** In the order of their places, none was acknowledged before one of a lower place was sent. */
function judgeOrder(done: readonly Acknowledged[]): readonly HostFault[] {
  const sessions = new Map<string, Acknowledged[]>();
  for (const one of done) sessions.set(one.sessionId, [...(sessions.get(one.sessionId) ?? []), one]);
  return [...sessions.values()].flatMap((ofSession) => {
    const faults: HostFault[] = [];
    let earliest: Acknowledged | null = null;
    for (const one of ofSession.sort((a, b) => b.seq - a.seq)) {
      if (earliest !== null && earliest.doneAt < one.begunAt) {
        faults.push({
          rule: 'order',
          text: `${earliest.id} was acknowledged before ${one.id} was sent, and stands behind it`,
        });
      }
      if (earliest === null || one.doneAt < earliest.doneAt) earliest = one;
    }
    return faults;
  });
}

function judgeSaid(users: readonly EntryRow[], tasks: Known['tasks']): readonly HostFault[] {
  const sessions = new Map(tasks.map(({ id, sessionId }) => [id, sessionId]));
  return users.flatMap((row): HostFault[] => {
    const [id = ''] = idsIn(row.text);
    if (sessions.get(id) === row.sessionId) return [];
    return [{ rule: 'never-said', text: `${row.sessionId} #${row.seq}: ${row.text}` }];
  });
}

function judgeAnswers(messages: readonly EntryRow[], done: readonly Acknowledged[]): readonly HostFault[] {
  const answers = messages.filter(({ role }) => role === 'assistant').flatMap(({ text }) => idsIn(text));
  const answered = new Set(answers);
  const without = done.filter(({ id, deed }) => deed === 'turn' && !answered.has(id));
  return [
    ...without.map(({ id }): HostFault => ({ rule: 'no-answer', text: `${id} has none` })),
    ...repeated(answers).map((id): HostFault => ({ rule: 'no-answer', text: `${id} has two` })),
  ];
}

function judgeCalls(calls: readonly Paid[]): { readonly faults: readonly HostFault[]; readonly again: number } {
  const faults: HostFault[] = [];
  const before = new Map<string, Paid>();
  let again = 0;
  for (const call of calls) {
    const earlier = new Set(call.ids.flatMap((id) => before.get(id) ?? []));
    if (earlier.size > 0) again += 1;
    for (const one of earlier) {
      if (!one.isInterrupted) faults.push({ rule: 'paid', text: `${call.sessionId}: ${call.ids.join(' ')}` });
    }
    for (const id of call.ids) before.set(id, call);
  }
  return { faults, again };
}

function repeated(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}
