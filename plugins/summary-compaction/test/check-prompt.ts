import type { CompactionRange, Entry, Message, MessageEntry, Prompt } from '@varve/core';
import { expect } from 'vitest';

/** What must hold for every prompt of a session, whatever was said, pruned or compacted. */
export function checkPrompt(
  prompt: Prompt,
  facts: { readonly entries: readonly Entry[]; readonly inputTokens: number },
) {
  const { entries, inputTokens } = facts;
  const messages = entries.filter((entry) => entry.type === 'message');
  checkShape(prompt.messages);
  expect(prompt.tokens).toBeLessThanOrEqual(inputTokens);
  checkVerdicts(prompt, { messages, ranges: coveredRanges(entries) });
  checkLastUserMessage(prompt, messages);
}

/** Pairs are closed, the user's side begins, and no message is empty. */
export function checkShape(messages: readonly Message[]): void {
  if (messages.length > 0) expect(messages[0]?.role, 'role of the first message').toBe('user');
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    expect(message.content.length, `content of a ${message.role} message`).toBeGreaterThan(0);
    if (message.role !== 'tool') expect(open, 'calls without a result').toEqual([]);
    if (message.role === 'assistant' && typeof message.content !== 'string') {
      open = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
      for (const id of open) expect(seen.has(id), `second call "${id}"`).toBe(false);
      for (const id of open) seen.add(id);
    }
    if (message.role !== 'tool') continue;
    for (const { toolCallId } of message.content) {
      expect(open, 'results and their calls').toContain(toolCallId);
      open = open.filter((id) => id !== toolCallId);
    }
  }
  expect(open, 'calls without a result').toEqual([]);
}

/** Nothing is lost: each message is in the prompt, covered by a compaction, or left out with a reason. */
function checkVerdicts(
  prompt: Prompt,
  facts: { readonly messages: readonly MessageEntry[]; readonly ranges: readonly CompactionRange[] },
): void {
  const { messages, ranges } = facts;
  const verdicts = new Map(prompt.manifest.entries.map((entry) => [entry.seq, entry]));
  expect(verdicts.size, 'one verdict an entry').toBe(prompt.manifest.entries.length);
  for (const { seq } of messages) {
    const verdict = verdicts.get(seq);
    // Of a message with several results, one may be left out and another stay.
    if (verdict !== undefined && verdict.role !== 'tool') {
      expect(verdict.kind === 'dropped', `#${seq} is dropped`).toBe(verdict.tokens === 0);
    } else if (verdict?.tokens === 0) expect(verdict.kind, `#${seq}`).toBe('dropped');
    else if (verdict === undefined) {
      const isCovered = ranges.some(({ from, to }) => from.seq <= seq && seq <= to.seq);
      expect(isCovered, `#${seq} is covered`).toBe(true);
    }
  }
  const { manifest } = prompt;
  const layers = manifest.layers.reduce((sum, layer) => sum + layer.tokens, 0);
  const entries = manifest.entries.reduce((sum, entry) => sum + entry.tokens, 0);
  expect(layers + entries + manifest.madeUpTokens, 'tokens of the manifest').toBe(prompt.tokens);
}

function checkLastUserMessage(prompt: Prompt, messages: readonly MessageEntry[]): void {
  const users = messages.filter(({ message }) => message.role === 'user' && message.content.length > 0);
  const last = users.findLast(hasWords) ?? users.at(-1);
  if (last === undefined) return;
  const verdict = prompt.manifest.entries.find((entry) => entry.seq === last.seq);
  if (verdict?.rule === 'park-held' || verdict?.rule === 'park-user') return;
  expect(
    prompt.messages.filter((message) => JSON.stringify(message) === JSON.stringify(last.message)).length,
  ).toBeGreaterThan(0);
}

/** What the compaction in force covers, and those that it builds on. */
function coveredRanges(entries: readonly Entry[]): readonly CompactionRange[] {
  const compactions = new Map(entries.flatMap((entry) => (entry.type === 'compaction' ? [[entry.id, entry]] : [])));
  const revoked = new Set(entries.flatMap((entry) => (entry.type === 'revoke' ? [entry.targetId] : [])));
  const ranges: CompactionRange[] = [];
  let current = [...compactions.values()].findLast((entry) => !revoked.has(entry.id));
  while (current !== undefined) {
    ranges.push(current.range);
    current = compactions.get(current.previousId ?? '');
  }
  return ranges;
}

/** What core holds through a compaction: what a person said, not a blank line behind it. */
function hasWords({ message, provenance }: MessageEntry): boolean {
  const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  return provenance.kind === 'user' && parts.some((part) => !('text' in part) || part.text.trim() !== '');
}
