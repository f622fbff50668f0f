import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type MessageRecord,
  type ReadTranscriptOptions,
  readTranscript,
  type TranscriptRecord,
} from '@varve/adapters/transcripts';
import { onTestFinished } from 'vitest';

/** Writes a file that lives as long as the test. */
export async function inFile(content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-transcripts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'transcript');
  await writeFile(path, content);
  return path;
}

/** Values as JSON Lines. */
export function linesOf(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** Everything that a file says, without the record that begins its only conversation. */
export async function recordsIn(
  content: string | Uint8Array,
  options: ReadTranscriptOptions = {},
): Promise<TranscriptRecord[]> {
  const transcript = await readTranscript(await inFile(content), options);
  const records = await allOf(transcript.records());
  return transcript.items === 1 ? records.slice(1) : records;
}

/** Takes everything that is given, until the end. */
export async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The messages among records. */
export function messagesOf(records: readonly TranscriptRecord[]): MessageRecord[] {
  return records.filter((record) => record.kind === 'message');
}

/** What kinds of records there are, in order; unknown ones with their type. */
export function kindsOf(records: readonly TranscriptRecord[]): string[] {
  return records.map((record) => {
    if (record.kind === 'message') return record.message.role;
    return record.kind === 'unknown' ? `unknown ${record.type}` : record.kind;
  });
}
