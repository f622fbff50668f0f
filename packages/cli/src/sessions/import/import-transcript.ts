import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readTranscript, type Transcript, type TranscriptRecord } from '@varve/adapters/transcripts';
import { type ImportParts, importMessages } from './import-messages.ts';
import type { ImportLine, ImportTarget } from './imported.ts';
import { countLines } from './line-account.ts';
import { derivedSessionId } from './openclaw-entry.ts';

/** What the user says of a transcript. */
export interface TranscriptNames {
  readonly key: string | null;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
  readonly item: number | undefined;
  readonly isDryRun: boolean;
}

/**
 * Imports each conversation of a file into a session of its own; under the key where there is one conversation. What was
 * imported before is skipped.
 */
export async function importTranscript(
  parts: ImportParts,
  file: string,
  names: TranscriptNames,
): Promise<readonly ImportLine[]> {
  const { key, agentId, sessionId, item: only, isDryRun } = names;
  const transcript = await readTranscript(file, { signal: parts.signal });
  const items = only === undefined ? await itemsOf(transcript) : [only];
  const at = (await stat(file)).mtimeMs;
  const content = await hashOf(file);
  const lines: ImportLine[] = [];
  for (const item of items) {
    const isOne = items.length === 1;
    const target: ImportTarget = {
      sessionId: (isOne ? sessionId : undefined) ?? derivedSessionId(`${content}#${item}`, isOne ? key : null),
      key: isOne ? key : null,
      names: agentId === undefined ? {} : { agentId },
      settings: {},
      at: (await firstMoment(file, item)) ?? Math.round(at),
    };
    const from = isOne ? file : `${file}#${item}`;
    if (isDryRun) lines.push({ ...(await counted(file, item)), from, key: target.key });
    else {
      const { records, format } = await readTranscript(file, { item, signal: parts.signal });
      const inFile = isOne && format === 'pi' ? await countLines(file) : undefined;
      lines.push(await importMessages(parts, target, { from, records: records(), lines: inFile }));
    }
  }
  return lines;
}

/** What is imported twice is the same conversation, under whatever name the file lies. */
async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function itemsOf(transcript: Transcript): Promise<readonly number[]> {
  let items = transcript.items ?? 0;
  if (transcript.items === null)
    for await (const record of transcript.records()) if (record.kind === 'item') items += 1;
  return Array.from({ length: items }, (_, index) => index + 1);
}

/** When a conversation begins, as the file says. */
export async function firstMoment(file: string, item?: number): Promise<number | undefined> {
  const { records } = await readTranscript(file, { item });
  for await (const record of records()) if ('at' in record && record.at !== undefined) return record.at;
  return undefined;
}

async function counted(file: string, item: number): Promise<ImportLine> {
  const { records } = await readTranscript(file, { item });
  return planned(records());
}

/** What importing would come to. */
async function planned(records: AsyncIterable<TranscriptRecord>): Promise<ImportLine> {
  let messages = 0;
  for await (const { kind } of records) if (kind === 'message') messages += 1;
  return { from: '', outcome: 'planned', sessionId: null, key: null, messages, refused: 0, why: null };
}
