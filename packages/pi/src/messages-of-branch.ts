import type { PiMessage } from '@varve/adapters/pi';
import type { PiEntry, PiSessionManager } from './pi-api.ts';

/**
 * What was said on the way to where a session of pi stands. Entries that a later one takes out of the context are left
 * out.
 *
 * @param options.asCompacted  Whether the last summary of pi stands for what it covers; else all is told from the root on.
 */
export function messagesOfBranch(
  sessionManager: PiSessionManager,
  { asCompacted }: { readonly asCompacted: boolean },
): readonly PiMessage[] {
  const branch = sessionManager.getBranch();
  const shown = asCompacted ? behindSummary(branch) : branch;
  const edits = new Map(branch.flatMap((entry) => (entry.type === 'context_edit' ? [[entry['targetId'], entry]] : [])));
  return shown.flatMap((entry) => {
    const edit = edits.get(entry.id);
    if (edit === undefined) return messageOfEntry(entry);
    const replacement = edit['replacement'];
    return isMessage(replacement) ? [replacement] : [];
  });
}

/** The last compaction, what it has kept, and what came later. */
function behindSummary(branch: readonly PiEntry[]): readonly PiEntry[] {
  const at = branch.findLastIndex(({ type }) => type === 'compaction');
  const compaction = branch[at];
  if (compaction === undefined) return branch;
  const kept = branch.findIndex(({ id }) => id === compaction['firstKeptEntryId']);
  return [compaction, ...(kept === -1 ? [] : branch.slice(kept, at)), ...branch.slice(at + 1)];
}

function isMessage(value: unknown): value is PiMessage {
  return typeof value === 'object' && value !== null && 'role' in value;
}

function messageOfEntry(entry: PiEntry): readonly PiMessage[] {
  const { type, message } = entry;
  if (type === 'message') return isMessage(message) ? [message] : [];
  if (type === 'custom_message') return [{ role: 'custom', content: entry['content'] }];
  if (type === 'compaction') return [{ role: 'compactionSummary', summary: entry['summary'] }];
  return type === 'branch_summary' ? [{ role: 'branchSummary', summary: entry['summary'] }] : [];
}
