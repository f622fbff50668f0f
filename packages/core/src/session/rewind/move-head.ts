import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import type { Entry, HeadEntry } from '../../journal/entry.ts';
import type { Ulid } from '../../units.ts';
import { checkShape } from '../option-checks.ts';
import type { SessionJournal } from '../session-journal.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { endOfGroup } from './end-of-group.ts';
import { firstNeeded, readCompactions } from './newest-compaction.ts';

/** Why the head is moved; it stands in the manifest as the rule of what is off the path then. */
export interface MoveHeadOptions {
  /** `rewind` takes back what came later, `branch` tries something else, `restore` goes back to what was left. */
  readonly reason: HeadEntry['reason'];
}

const reasons: readonly HeadEntry['reason'][] = ['rewind', 'branch', 'restore'];
const targetSchema = z.object({ entryId: z.string().min(1) });
const moveSchema = z.object({ reason: z.enum(reasons) });

/** Checks how the head is to be moved, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkMove(entryId: Ulid, options: MoveHeadOptions): void {
  const fix = `Give an id and { reason }: ${reasons.join(', ')}.`;
  checkShape({ entryId }, { schema: targetSchema, fix });
  checkShape(options ?? {}, { schema: moveSchema, fix });
}

/**
 * Lets what follows continue from an entry, by appending a `head` entry. Messages, edits and compactions that do not
 * lead to it are off the path: prompts are made without them, and a compaction that comes after the target no longer
 * hides what it covered. Nothing else changes: settings, state, records, and what was undone. The keys of
 * messages off the path are free: who sends one of them again says it anew.
 *
 * The head never comes to stand inside a group: if results of the same call round follow the target, it moves on to the
 * last of them.
 */
export async function moveHead(
  { journal }: SessionRuntime,
  entryId: Ulid,
  { reason }: MoveHeadOptions,
): Promise<HeadEntry> {
  const head = await journal.appendFrom(async () => {
    const given = await targetOf(journal, entryId);
    const { branches } = journal.state();
    const compactions = await readCompactions(journal.journal);
    const target = await endOfGroup(given, { journal: journal.journal, branches, compactions });
    return {
      fromSeq: firstNeeded(compactions, { branches, seq: target.seq }),
      entry: { type: 'head', targetId: target.id, targetSeq: target.seq, reason },
    };
  });
  return head as HeadEntry;
}

/** The entry to continue from: where a head entry was moved to is meant when the head entry itself is named. */
async function targetOf(journal: SessionJournal, entryId: Ulid): Promise<Entry> {
  const [entry] = await journal.journal.get([entryId]);
  if (entry?.type === 'head') return targetOf(journal, entry.targetId);
  if (entry !== undefined) return entry;
  throw new VarveError('VARVE_ENTRY_UNKNOWN', `There is no entry "${entryId}".`, {
    fix: 'Use the id of an entry of this session.',
  });
}
