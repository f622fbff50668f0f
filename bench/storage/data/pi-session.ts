import { closeSync, openSync, writeSync } from 'node:fs';
import type { Entry, MessageEntry } from '@varve/core';

/** A message as pi stores it. */
export type PiMessage = Readonly<Record<string, unknown>>;

const model = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-20250514' } as const;
const cost = { input: 0.0036, output: 0.00225, cacheRead: 0.009, cacheWrite: 0.0034, total: 0.01825 } as const;

/** The same message in the form of pi. */
export function piMessageOf({ message, usage, at }: MessageEntry): PiMessage {
  const timestamp = at;
  if (message.role === 'tool') {
    const [result] = message.content;
    const text = result?.output.type === 'text' ? result.output.value : '';
    const { toolCallId, toolName } = result ?? {};
    return { role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text }], isError: false, timestamp };
  }
  if (message.role !== 'assistant') return { role: 'user', content: message.content, timestamp };
  const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const content = parts.map((part) =>
    'toolCallId' in part ? { type: 'toolCall', id: part.toolCallId, name: part.toolName, arguments: part.input } : part,
  );
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  const sums = { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
  const stopReason = message.stop === 'tool-calls' ? 'toolUse' : 'stop';
  return { role: 'assistant', content, ...model, usage: { ...sums, totalTokens, cost }, stopReason, timestamp };
}

/** A file of pi that is written line by line. */
export interface PiFile {
  add(entries: readonly Entry[]): void;
  close(): void;
}

/** Begins a session of pi that takes the same entries as a journal. */
export function createPiFile(path: string): PiFile {
  const file = openSync(path, 'w');
  const write = (lines: readonly object[]): void => {
    writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  const isoOf = (at: number): string => new Date(at).toISOString();
  write([{ type: 'session', version: 3, id: 'bench', timestamp: isoOf(1_750_000_000_000), cwd: '.' }]);
  return {
    add: (entries) =>
      write(
        entries.map((entry) => {
          const base = { id: piId(entry.seq), parentId: entry.seq === 1 ? null : piId(entry.seq - 1) };
          const timestamp = isoOf(entry.at);
          if (entry.type === 'message') return { type: 'message', ...base, timestamp, message: piMessageOf(entry) };
          if (entry.type !== 'compaction') throw new Error(`There is no ${entry.type} in sessions of pi.`);
          const firstKeptEntryId = piId(entry.range.firstKept?.seq ?? 1);
          const { prose: summary, tokensBefore } = entry;
          return { type: 'compaction', ...base, timestamp, summary, firstKeptEntryId, tokensBefore };
        }),
      ),
    close: () => closeSync(file),
  };
}

function piId(seq: number): string {
  return seq.toString(16).padStart(8, '0');
}
