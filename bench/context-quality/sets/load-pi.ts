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

/** A session as pi records it. Answers that were aborted are left out, as pi leaves them out of its prompts. */
export function loadPi(path: string, set: string): Trajectory {
  const lines = readLines(path);
  const turns = pairTurns(lines.flatMap((line) => (line.type === 'message' ? turnsOf(line) : [])));
  const compactions = lines.flatMap((line) => (line.type === 'compaction' ? [compactionOf(line, lines, turns)] : []));
  return makeTrajectory({ id: basename(path, '.jsonl'), set }, turns, { compactions });
}

function turnsOf(line: Foreign): readonly Turn[] {
  const { message } = line;
  const at = Date.parse(line.timestamp) || message.timestamp;
  if (message.role === 'user') return [makeTurn('user', textOfBlocks(message.content), { at })];
  if (message.role === 'toolResult') {
    const { toolCallId: callId, toolName, isError = false } = message;
    return [makeTurn('tool', textOfBlocks(message.content), { at, callId, toolName, isError })];
  }
  if (message.role === 'bashExecution') return [makeTurn('user', `$ ${message.command}\n${message.output}`, { at })];
  if (message.role !== 'assistant' || message.stopReason === 'aborted' || message.stopReason === 'error') return [];
  const calls = (message.content as Foreign[])
    .filter(({ type }) => type === 'toolCall')
    .map(({ id, name, arguments: input }) => ({ id, name, input }));
  const { usage } = message;
  const reported =
    usage === undefined
      ? undefined
      : { plain: usage.input ?? 0, read: usage.cacheRead ?? 0, written: usage.cacheWrite ?? 0 };
  return [makeTurn('assistant', textOfBlocks(message.content), { at, calls, usage: reported })];
}

function compactionOf(line: Foreign, lines: readonly Foreign[], turns: readonly Turn[]): RecordedCompaction {
  const after = (moment: number): number => {
    const index = turns.findIndex(({ at }) => at > moment);
    return index < 0 ? turns.length : index;
  };
  const kept = lines[line.firstKeptEntryIndex];
  const at = after(Date.parse(line.timestamp));
  return {
    at,
    keptFrom: kept === undefined ? at : Math.min(at, after(Date.parse(kept.timestamp) - 1)),
    summary: line.summary,
  };
}
