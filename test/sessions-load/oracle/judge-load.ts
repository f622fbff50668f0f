import { answerTo, keyOf } from '../load-keys.ts';
import type { LogLine } from '../said.ts';
import type { JournalText, RootText } from './read-root.ts';

/** What must hold, by the name of the rule. */
export const loadRules = {
  'broken-line': 'every line of every journal is JSON',
  gap: 'the entries of every journal are numbered without a gap',
  foreign: 'no mark of one conversation stands in another one',
  lost: 'every acknowledged message is there',
  changed: 'every message says what was said',
  twice: 'no message is there twice',
  'never-said': 'no message is there that nobody said',
  'no-answer': 'every acknowledged turn has one answer, and nothing else has one',
  current: 'every conversation has the one current generation that was acknowledged last',
  chain: 'every generation names the one before it',
  talkative: 'who was told to be silent is silent in the current generation',
  lock: 'no lock is left of the process that was closed, nor of a current generation',
} as const;

/** A rule that was not kept, and how. */
export interface LoadFault {
  readonly rule: keyof typeof loadRules;
  readonly text: string;
}

/** What a judge has found. */
export interface Judgement {
  readonly faults: readonly LoadFault[];
  readonly journals: number;
  readonly messages: number;
  /** Messages whose worker was killed before it said that they were stored, and which are there. */
  readonly unacknowledged: number;
  /** Files and folders of locks of the process that was killed: of sessions that are not the current ones. */
  readonly leftLocks: number;
}

type Done = Extract<LogLine, { is: 'done' }>;

const markPattern = /\[mark (\d+)\/\d+\/\d+\]/g;

/**
 * Holds what lies in the folder of a store against what workers have written down of what they did. Knows nothing of the
 * product but the format of its files.
 */
export function judgeLoad(
  root: RootText,
  { log, killed }: { readonly log: readonly LogLine[]; readonly killed: number },
): Judgement {
  const done = log.filter((line): line is Done => line.is === 'done');
  const acknowledged = new Set(done.map(({ mark }) => mark));
  const begun = log.filter((line) => line.is === 'begun' && !acknowledged.has(line.mark));
  const unfinished = new Set(begun.map(({ mark }) => mark));
  const histories = judgeHistories(root, { done, unfinished });
  return {
    faults: [
      ...root.journals.flatMap(judgeLines),
      ...root.journals.flatMap(judgeMarks),
      ...histories.faults,
      ...judgeGenerations(root, log),
      ...judgeLocks(root, killed),
    ],
    leftLocks: root.locks.length,
    journals: root.journals.length,
    messages: histories.messages,
    unacknowledged: histories.unacknowledged,
  };
}

function judgeLines({ sessionId, broken, lines }: JournalText): readonly LoadFault[] {
  const faults: LoadFault[] = [];
  if (broken > 0) faults.push({ rule: 'broken-line', text: `${sessionId}: ${broken} lines are no JSON` });
  const wrong = lines.find(({ seq }, index) => seq !== index + 1);
  if (wrong !== undefined) faults.push({ rule: 'gap', text: `${sessionId}: #${wrong.seq} stands in a wrong place` });
  return faults;
}

/** No mark of another conversation is in a journal, in whatever place. */
function judgeMarks({ sessionId, key, lines }: JournalText): readonly LoadFault[] {
  return lines.flatMap(({ seq, text }) =>
    [...(text ?? '').matchAll(markPattern)]
      .filter(([, number]) => keyOf(Number(number)) !== key)
      .map(([mark]): LoadFault => ({ rule: 'foreign', text: `${sessionId} of ${key}: #${seq} has ${mark}` })),
  );
}

function judgeHistories(
  { journals }: RootText,
  { done, unfinished }: { readonly done: readonly Done[]; readonly unfinished: ReadonlySet<string> },
): { readonly faults: readonly LoadFault[]; readonly messages: number; readonly unacknowledged: number } {
  const faults: LoadFault[] = [];
  const expected = new Map<string, Map<number, Done>>();
  for (const one of done) {
    if (one.sessionId === null || one.seq === null) continue;
    const ofSession = expected.get(one.sessionId) ?? new Map<number, Done>();
    expected.set(one.sessionId, ofSession.set(one.seq, one));
  }
  const seen = new Set<string>();
  let messages = 0;
  let unacknowledged = 0;
  for (const { sessionId, lines } of journals) {
    const ofSession = expected.get(sessionId) ?? new Map<number, Done>();
    const answers = new Map<string, number>();
    for (const { seq, role, text } of lines) {
      if (role === 'assistant') answers.set(text ?? '', (answers.get(text ?? '') ?? 0) + 1);
      if (role !== 'user') continue;
      messages += 1;
      const [mark = ''] = text?.match(markPattern) ?? [];
      if (seen.has(mark)) faults.push({ rule: 'twice', text: `${sessionId} #${seq}: ${mark}` });
      seen.add(mark);
      const known = ofSession.get(seq);
      if (known?.text === text) continue;
      if (known !== undefined) faults.push({ rule: 'changed', text: `${sessionId} #${seq}: ${text}` });
      else if (unfinished.has(mark)) unacknowledged += 1;
      else faults.push({ rule: 'never-said', text: `${sessionId} #${seq}: ${text}` });
    }
    for (const { deed, mark } of ofSession.values()) {
      if (!seen.has(mark)) faults.push({ rule: 'lost', text: `${sessionId}: ${mark}` });
      const found = answers.get(answerTo(mark)) ?? 0;
      if (found !== (deed === 'turn' ? 1 : 0)) {
        faults.push({ rule: 'no-answer', text: `${sessionId}: ${found} answers to ${mark}` });
      }
    }
  }
  const there = new Set(journals.map(({ sessionId }) => sessionId));
  for (const [sessionId, ofSession] of expected) {
    if (!there.has(sessionId)) faults.push({ rule: 'lost', text: `${sessionId} with ${ofSession.size} messages` });
  }
  return { faults, messages, unacknowledged };
}

/**
 * Who is killed cannot take its locks away. Those of conversations that somebody uses are taken over; those of beginnings
 * that were cut short, and of generations that had just ended, may lie there until somebody opens them.
 */
function judgeLocks({ locks, records }: RootText, killed: number): readonly LoadFault[] {
  const current = new Set(records.filter(isCurrent).map(({ sessionId }) => sessionId));
  const bad = locks.filter(({ sessionId, pid }) => current.has(sessionId) || (pid !== null && pid !== killed));
  return bad.map(({ name, pid }) => ({ rule: 'lock', text: `${name} of process ${pid} is left` }));
}

function isCurrent({ state, currentSince }: RootText['records'][number]): boolean {
  return state === 'open' && currentSince !== null;
}

/** Which generation goes on, which follows which, and that who was told to be silent is. */
function judgeGenerations({ journals, records }: RootText, log: readonly LogLine[]): readonly LoadFault[] {
  const faults: LoadFault[] = [];
  const byId = new Map(journals.map((journal) => [journal.sessionId, journal]));
  const last = new Map<number, LogLine>();
  const silent = new Set<number>();
  for (const line of log) {
    last.set(line.key, line);
    if (line.is !== 'done') continue;
    if (line.deed === 'silence') silent.add(line.key);
    const { deed, sessionId, previousSessionId } = line;
    if (deed !== 'reset' && deed !== 'roll-over') continue;
    const said = byId.get(sessionId ?? '')?.previousSessionId ?? null;
    if (said !== previousSessionId) faults.push({ rule: 'chain', text: `${sessionId} follows ${said}` });
  }
  const open = new Map<string, string[]>();
  for (const { key, state, sessionId, currentSince } of records) {
    if (key === null || state !== 'open' || currentSince === null) continue;
    open.set(key, [...(open.get(key) ?? []), sessionId]);
  }
  for (const [number, line] of last) {
    // Of what was under way when the process was killed nobody knows how far it came.
    if (line.is !== 'done') continue;
    const found = open.get(keyOf(number)) ?? [];
    const wanted = line.sessionId === null ? [] : [line.sessionId];
    if (found.join() !== wanted.join()) {
      faults.push({ rule: 'current', text: `${keyOf(number)}: ${found.join()} instead of ${wanted.join()}` });
    }
    const settings = byId.get(line.sessionId ?? '')?.lines.flatMap(({ setting }) => setting ?? []) ?? [];
    if (!silent.has(number) || line.sessionId === null) continue;
    if (settings.findLast(({ name }) => name === 'send')?.value !== 'off') {
      faults.push({ rule: 'talkative', text: `${keyOf(number)}: ${line.sessionId}` });
    }
  }
  return faults;
}
