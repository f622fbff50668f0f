import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessageRecord, readTranscript } from '@varve/adapters/transcripts';

/** Tokens by what a provider's cache did with them. */
export interface RecordedUsage {
  readonly read: number;
  readonly total: number;
}

/** A session that took place, with the times of its messages. */
export interface Trace {
  readonly name: string;
  readonly messages: readonly MessageRecord[];
  /** How long what was written to the cache was kept, as far as the session says; 5 minutes otherwise. */
  readonly cacheLife: '5m' | '1h';
  /** Messages before the session's own tool compacted; all of them when it never did. */
  readonly uncompacted: number;
  /** What the provider reported up to there; `null` for nothing. */
  readonly recorded: RecordedUsage | null;
}

/** Folders of a data directory that hold sessions with times. */
const folders = ['claude-code-spotter', 'pi-mono'];
/** Shorter sessions have nothing to prune. */
const leastCalls = 20;

/** The session that is shipped as an example and, with a data directory, the recorded sessions in it. */
export async function readTraces(data: string | null): Promise<readonly Trace[]> {
  const example = fileURLToPath(new URL('../../examples/transcripts/varve-session.jsonl', import.meta.url));
  const recorded = data === null ? [] : folders.flatMap((folder) => filesIn(join(data, folder)));
  const traces = await Promise.all([example, ...recorded].map(readTrace));
  return traces.filter(({ messages }) => messages.filter(({ call }) => call !== undefined).length >= leastCalls);
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.sort().map((name) => join(folder, name));
}

async function readTrace(file: string): Promise<Trace> {
  const transcript = await readTranscript(file);
  const messages: MessageRecord[] = [];
  let uncompacted = Infinity;
  for await (const record of transcript.records()) {
    if (record.kind === 'message') messages.push(record);
    if (record.kind === 'compaction') uncompacted = Math.min(uncompacted, messages.length);
  }
  const end = Math.min(uncompacted, messages.length);
  const lives = messages.map(({ call }) => call?.cacheWriteTtl);
  return {
    name: basename(file, '.jsonl')
      .replace(/^([0-9a-f]{8})[0-9a-f-]{28}/, '$1')
      .replace('__subagents__', '/'),
    messages,
    cacheLife: lives.includes('1h') ? '1h' : '5m',
    uncompacted: end,
    recorded: usageOf(messages.slice(0, end)),
  };
}

function usageOf(messages: readonly MessageRecord[]): RecordedUsage | null {
  const usages = messages.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const read = usages.reduce((sum, usage) => sum + (usage.cacheReadTokens ?? 0), 0);
  const rest = usages.reduce((sum, usage) => sum + usage.inputTokens + (usage.cacheWriteTokens ?? 0), 0);
  return read === 0 ? null : { read, total: read + rest };
}
