import type { Draft, Item, JsonValue, Seq, ToolCallPart } from '@varve/core';
import type { Candidate } from './candidates.ts';

/** Finds the newest result of the same call as a candidate's, if it is newer than the candidate. */
export type FindNewer = (candidate: Candidate) => Seq | undefined;

/**
 * Looks for calls that were made again: of the same tool, with the same arguments, whatever the order of their fields.
 * A later call counts when the prompt shows its result, and when that is no failure.
 */
export function findSuperseded(draft: Draft): FindNewer {
  const calls = callsOf(draft.items);
  const newest = new Map<string, Seq>();
  for (const { message, seq, groupId } of draft.items) {
    if (message.role !== 'tool' || seq === null || draft.verdictOf(seq).kind === 'cleared') continue;
    for (const { toolCallId, output } of message.content) {
      const call = calls.get(placeOf(groupId, toolCallId));
      if (call !== undefined && !output.type.startsWith('error')) newest.set(call, seq);
    }
  }
  return ({ part, seq, groupId }) => {
    const newer = newest.get(calls.get(placeOf(groupId, part.toolCallId)) ?? '');
    return newer !== undefined && newer > seq ? newer : undefined;
  };
}

/** Every call of the conversation as a text that is the same for the same call, by where it stands. */
function callsOf(items: readonly Item[]): ReadonlyMap<string, string> {
  const calls = new Map<string, string>();
  for (const { message, groupId } of items) {
    if (message.role !== 'assistant' || typeof message.content === 'string') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') calls.set(placeOf(groupId, part.toolCallId), callText(part));
    }
  }
  return calls;
}

/** Ids of calls may come again in another group. */
function placeOf(groupId: string, toolCallId: string): string {
  return `${groupId} ${toolCallId}`;
}

/** Parts are frozen and the same in every draft, so each is written out once. */
const callTexts = new WeakMap<ToolCallPart, string>();

function callText(part: ToolCallPart): string {
  const known = callTexts.get(part) ?? `${part.toolName} ${normalText(part.input)}`;
  callTexts.set(part, known);
  return known;
}

/** JSON with sorted fields, without those that hold nothing, and without space around texts. */
function normalText(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value.trim());
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(normalText).join()}]`;
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined || field === null ? [] : [`${JSON.stringify(name)}:${normalText(field)}`],
  );
  return `{${fields.sort().join()}}`;
}
