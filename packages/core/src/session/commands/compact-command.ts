import type { CompactOutcome } from '../../compaction/compaction.ts';
import type { CommandReply } from '../../plugins/hooks.ts';
import { compactSession } from '../compact/compact.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { CommandRun } from './command.ts';
import { numberText } from './number-text.ts';

/**
 * Compacts at once; what follows the command is what the summary pays attention to. It costs a summary and changes every
 * later prompt, so that of several people only the owner may; a host that names no sender answers for that itself.
 */
export async function compactOnCommand(
  runtime: SessionRuntime,
  { command, request }: CommandRun,
): Promise<CommandReply> {
  if (command.sender !== null && command.sender.role !== 'owner') {
    const why = 'Only the owner of this conversation may compact it.';
    return { text: `Nothing was compacted (refused). ${why}`, data: { status: 'refused', why } };
  }
  const instructions = command.rest === '' ? undefined : command.rest;
  const outcome = await compactSession(runtime, 'manual', { ...request, instructions });
  const { status, why, tokensBefore, tokensAfter } = outcome;
  const kept = runtime.journal.folded().messages.length;
  const base = { status, why, tokensBefore, tokensAfter };
  if (outcome.entry === null) return { text: `Nothing was compacted (${status}). ${why}`, data: base };
  const { id, range } = outcome.entry;
  const data = { ...base, compactionId: id, fromSeq: range.from.seq, toSeq: range.to.seq, keptMessages: kept };
  return { text: textOf(outcome, kept), data };
}

function textOf({ entry, tokensBefore, tokensAfter }: CompactOutcome, kept: number): string {
  const { range } = entry ?? {};
  const [from, to] = [range?.from.seq ?? 0, range?.to.seq ?? 0];
  const freed = tokensBefore === 0 ? 0 : Math.round((1 - tokensAfter / tokensBefore) * 100);
  return [
    `Compacted: ${numberText(tokensBefore)} → ${numberText(tokensAfter)} tokens (${freed} % freed).`,
    `A summary stands for #${from} to #${to}; ${kept} ${kept === 1 ? 'message is' : 'messages are'} kept as said.`,
    'Nothing is deleted, and it can be undone.',
  ].join('\n');
}
