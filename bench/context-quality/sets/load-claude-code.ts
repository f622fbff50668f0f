import { basename } from 'node:path';
import { type Foreign, readLines, textOfBlocks } from './read-json.ts';
import {
  makeTrajectory,
  makeTurn,
  pairTurns,
  type RecordedCompaction,
  type Trajectory,
  type Turn,
} from './trajectory.ts';

/** A session as Claude Code records it: lines of one answer are put together, side chains are left out. */
export function loadClaudeCode(path: string, set: string): Trajectory {
  const turns: Turn[] = [];
  const boundaries: { before: Turn | undefined; summary: string }[] = [];
  for (const line of readLines(path)) {
    if (line.isSidechain) continue;
    if (line.subtype === 'compact_boundary') boundaries.push({ before: turns.at(-1), summary: '' });
    else if (line.isCompactSummary) {
      const boundary = boundaries.at(-1);
      if (boundary !== undefined) boundary.summary = textOfBlocks(line.message.content);
    } else if (line.type === 'assistant') addAnswer(turns, line);
    else if (line.type === 'user') turns.push(...userTurns(line));
  }
  const paired = pairTurns(turns);
  const compactions = boundaries.map((boundary) => compactionOf(boundary, paired));
  return makeTrajectory({ id: basename(path, '.jsonl').slice(0, 8), set }, paired, { compactions });
}

/** The newest line of the same answer, if results alone have come since. */
function addAnswer(turns: Turn[], line: Foreign): void {
  const { id: answer, content = [], usage } = line.message;
  const index = turns.findLastIndex(({ role }) => role !== 'tool');
  const before = turns[index]?.answer === answer ? turns[index] : undefined;
  const texts = (content as Foreign[]).filter(({ type, text }) => type === 'text' && text.trim() !== '');
  const called = (content as Foreign[]).filter(({ type }) => type === 'tool_use');
  const calls = called.map(({ id, name, input }) => ({ id, name, input }));
  const text = [before?.text ?? '', ...texts.map((block) => block.text)].filter((part) => part !== '').join('\n');
  const reported = {
    plain: usage?.input_tokens ?? 0,
    read: usage?.cache_read_input_tokens ?? 0,
    written: usage?.cache_creation_input_tokens ?? 0,
  };
  const turn = makeTurn('assistant', text, {
    at: before?.at ?? Date.parse(line.timestamp),
    answer,
    usage: reported,
    calls: [...(before?.calls ?? []), ...calls],
  });
  if (before === undefined) turns.push(turn);
  else turns[index] = turn;
}

function userTurns(line: Foreign): readonly Turn[] {
  const at = Date.parse(line.timestamp);
  const { content } = line.message;
  if (typeof content === 'string') {
    return line.isMeta || /^<(local-)?command/.test(content) ? [] : [makeTurn('user', content, { at })];
  }
  return ((content ?? []) as Foreign[]).flatMap((block) => {
    if (block.type === 'tool_result') {
      const { tool_use_id: callId, is_error: isError = false } = block;
      return [makeTurn('tool', textOfBlocks(block.content), { at, callId, isError: isError === true })];
    }
    return block.type === 'text' && block.text.trim() !== '' ? [makeTurn('user', block.text, { at })] : [];
  });
}

function compactionOf(
  { before, summary }: { readonly before: Turn | undefined; readonly summary: string },
  turns: readonly Turn[],
): RecordedCompaction {
  const last = turns.findLastIndex(({ at }) => at <= (before?.at ?? 0));
  return { at: last + 1, keptFrom: last + 1, summary };
}
