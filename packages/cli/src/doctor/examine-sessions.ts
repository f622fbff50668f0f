import { type CompactionHealth, throwIfAborted, VarveError } from '@varve/core';
import { examineStore, type StoreFinding } from '@varve/stores/jsonl';
import { type FoundJournal, findJournals } from '../store/list-sessions.ts';
import { openJournal } from '../store/open-journal.ts';
import { counted } from '../terminal/format-number.ts';

/** How much was looked at. */
export interface Looked {
  readonly sessions: number;
  readonly entries: number;
  readonly bytes: number;
}

/** What an examination tells, and what it heeds. */
export interface ExamineOptions {
  /** Told of every finding. */
  readonly onFinding: (finding: StoreFinding) => void;
  /** Told how far it has come. */
  readonly onProgress: (bytes: { readonly read: number; readonly total: number }) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads every journal of a store and looks at how its session is doing, then at all files. Takes no lock and writes
 * nothing.
 */
export async function examineSessions(root: string, options: ExamineOptions): Promise<Looked> {
  const { onProgress, onFinding, signal } = options;
  const unreadable = new Set<string | undefined>();
  const session = {
    ...options,
    onFinding: (finding: StoreFinding): void => {
      if (finding.code === 'journal-unreadable') unreadable.add(finding.sessionId);
      onFinding(finding);
    },
  };
  const journals = await findJournals(root);
  const total = journals.reduce((sum, { bytes }) => sum + bytes, 0);
  const looked = { sessions: 0, entries: 0, bytes: 0 };
  for (const journal of journals) {
    throwIfAborted(signal);
    looked.sessions += 1;
    looked.entries += await examineSession(root, journal, session);
    looked.bytes += journal.bytes;
    onProgress({ read: looked.bytes, total: 2 * total });
  }
  let passed = 0;
  for await (const finding of examineStore(root)) {
    throwIfAborted(signal);
    passed += 1;
    onProgress({ read: looked.bytes + (total * passed) / (passed + journals.length), total: 2 * total });
    // How much there is is said in another place, and what cannot be read has been told.
    if (finding.code === 'examined') continue;
    if (finding.code === 'journal-unreadable' && unreadable.has(finding.sessionId)) continue;
    onFinding(finding);
  }
  return looked;
}

/** Looks at one session, and says how many entries it has. */
async function examineSession(
  root: string,
  { sessionId, file }: FoundJournal,
  { onFinding }: ExamineOptions,
): Promise<number> {
  try {
    await using journal = await openJournal(root, sessionId);
    const { session } = journal;
    const { agentId } = session.info();
    const about = { agentId, sessionId, file };
    let entries = 0;
    for await (const _ of session.read()) entries += 1;
    for (const finding of compactionFindings(session.health().compaction)) onFinding({ ...finding, ...about });
    const { count, problem } = journal.malformed();
    if (count > 0) onFinding({ ...malformedFinding(count, problem), ...about });
    return entries + count;
  } catch (error) {
    onFinding({ level: 'error', code: 'journal-unreadable', sessionId, file, ...saidBy(error) });
    return 0;
  }
}

type Finding = Omit<StoreFinding, 'agentId' | 'sessionId' | 'file'>;

function compactionFindings(health: CompactionHealth): readonly Finding[] {
  const { failures, lowYields, isBlocked, entriesToProbe, why } = health;
  const happened =
    failures > 0
      ? `${failures === 1 ? 'The last compaction' : `The last ${failures} compactions`} failed: ${why || 'no reason is known'}`
      : `The last ${counted(lowYields, 'compaction')} freed less than a tenth of the prompt.`;
  const text = /[.!?]$/.test(happened) ? happened : `${happened}.`;
  if (isBlocked) {
    return [
      {
        level: 'error',
        code: 'compaction-blocked',
        text: `${text} Strategies are not asked for another ${entriesToProbe === 1 ? 'entry' : `${entriesToProbe} entries`}.`,
        fix: 'Remove the cause, then compact by hand (session.compact with the trigger manual); or give a larger budget.',
      },
    ];
  }
  if (failures === 0) return [];
  const fix = 'Nothing now: the next compaction tries again. Should it go on, remove the cause that the message names.';
  return [{ level: 'warning', code: 'compaction-failing', text, fix }];
}

function malformedFinding(malformed: number, problem: string): Finding {
  const many = malformed === 1 ? 'One line is' : `${malformed} lines are`;
  return {
    level: 'error',
    code: 'entry-malformed',
    text: `${many} no entry as Varve writes it; of the last: ${problem}.`,
    fix: 'Find out what else writes to this file. The lines are left out when the journal is read.',
  };
}

/** What an error says, as a finding says it. */
export function saidBy(error: unknown): Pick<StoreFinding, 'text' | 'fix'> {
  if (VarveError.is(error)) return { text: error.message, fix: error.fix };
  return { text: String(error), fix: 'Run varve doctor with VARVE_DEBUG=1 and report what it prints.' };
}
