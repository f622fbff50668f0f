import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readTranscript } from '@varve/adapters/transcripts';
import { VarveError } from '@varve/core';
import { codeOf } from '../../terminal/make-folder.ts';
import { type ImportParts, importMessages } from './import-messages.ts';
import { firstMoment } from './import-transcript.ts';
import type { ImportLine, ImportTarget } from './imported.ts';
import { countLines, createLineCounter } from './line-account.ts';
import { readDatabase } from './openclaw-database.ts';
import {
  derivedSessionId,
  keyOf,
  namesOf,
  type OpenClawEntry,
  readEntry,
  sessionIdOf,
  settingsOf,
} from './openclaw-entry.ts';
import type { OpenClawSource } from './openclaw-sources.ts';
import { noteArchived } from './place-session.ts';

/** Larger indexes are not read at once. */
const mostIndexBytes = 100 * 1024 * 1024;

/** What the user says of a store. */
interface Asked {
  readonly agentId: string | undefined;
  readonly isDryRun: boolean;
}

/**
 * Imports stores of OpenClaw: each conversation under its key, with its settings. Their files are only read, and each is
 * told of, with the reason where nothing was made of it.
 */
export async function importOpenClaw(
  parts: ImportParts,
  sources: readonly OpenClawSource[],
  { agentId, isDryRun }: Asked,
): Promise<readonly ImportLine[]> {
  const lines: ImportLine[] = [];
  for (const source of sources) {
    const one = { source, agentId: agentId ?? source.agentId, isDryRun };
    const found = source.kind === 'index' ? importIndex(parts, one) : importDatabase(parts, one);
    for await (const line of found) lines.push(line);
  }
  return lines;
}

interface Store {
  readonly source: OpenClawSource;
  readonly agentId: string;
  readonly isDryRun: boolean;
}

async function* importIndex(parts: ImportParts, { source, agentId, isDryRun }: Store): AsyncGenerator<ImportLine> {
  const index = source.file;
  const keyOfSession = new Map<string, string>();
  const seen = new Set<string>([basename(index)]);
  for (const [name, value] of Object.entries(await readIndex(index))) {
    const entry = readEntry(value);
    const from = `${index} ${name}`;
    const first = entry === undefined ? undefined : keyOfSession.get(entry.sessionId);
    if (entry === undefined) yield skipped(from, { key: name, why: 'its entry names no session' });
    else if (first !== undefined) yield skipped(from, { key: name, why: `its session is that of ${first}` });
    else {
      keyOfSession.set(entry.sessionId, name);
      // Beside the index, whatever the entry says: a path may lead anywhere.
      const file = join(dirname(index), basename(entry.sessionFile ?? `${entry.sessionId}.jsonl`));
      seen.add(basename(file));
      const { sessionId: id } = entry;
      yield await importOne(parts, { from, name, entry, agentId, isDryRun, transcript: { id, file, isCurrent: true } });
    }
  }
  for (const file of (await readdir(dirname(index))).sort()) {
    if (!seen.has(file)) yield skipped(join(dirname(index), file), { key: null, why: whyLeft(file) });
  }
}

async function* importDatabase(parts: ImportParts, { source, agentId, isDryRun }: Store): AsyncGenerator<ImportLine> {
  for await (const { name, entry: value, generations } of readDatabase(source.file)) {
    const entry = readEntry(value);
    for (const transcript of entry === undefined ? [] : generations) {
      const from = `${source.file} ${name}${transcript.isCurrent ? '' : ` (${transcript.id})`}`;
      if (entry !== undefined) yield await importOne(parts, { from, name, entry, agentId, isDryRun, transcript });
    }
  }
}

interface One {
  readonly from: string;
  readonly name: string;
  readonly entry: OpenClawEntry;
  readonly agentId: string;
  readonly isDryRun: boolean;
  readonly transcript: {
    readonly id: string;
    readonly file: string;
    /** False for what was said before a reset. */
    readonly isCurrent: boolean;
  };
}

async function importOne(parts: ImportParts, one: One): Promise<ImportLine> {
  const { from, name, entry, agentId, isDryRun } = one;
  const { id, file, isCurrent } = one.transcript;
  const key = keyOf(name, agentId);
  const line = { from, sessionId: null, key, messages: 0, refused: 0 };
  try {
    if (await leadsOut(file)) return skipped(from, { key, why: 'its file leads out of the folder' });
    const transcript = await readTranscript(file, { signal: parts.signal });
    if (isDryRun) {
      let messages = 0;
      const counter = createLineCounter();
      for await (const record of transcript.records()) {
        if (record.kind === 'message') messages += 1;
        counter.take(record, true);
      }
      return { ...line, outcome: 'planned', messages, why: null, lines: counter.account(await countLines(file)) };
    }
    const at = (await firstMoment(file)) ?? Math.round(entry.sessionStartedAt ?? entry.updatedAt ?? 0);
    const names = namesOf(entry, agentId);
    const sessionId = await freeIdOf(parts, { id, key });
    const target: ImportTarget = { sessionId, key, names, settings: settingsOf(entry), at };
    const lines = await countLines(file);
    const imported = await importMessages(parts, target, { from, records: transcript.records(), lines });
    // What a reset put away stays so, also where nothing was said since.
    if (!isCurrent) await parts.opened.host.sessions.patch(sessionId, { state: 'archived' });
    if (!isCurrent && imported.outcome === 'imported') await noteArchived(parts.opened, sessionId);
    return imported;
  } catch (error) {
    if (!VarveError.is(error) || error.code === 'VARVE_ABORTED') throw error;
    const { code, message: why } = error;
    const isNothing = code === 'VARVE_TRANSCRIPT_EMPTY' || code === 'VARVE_TRANSCRIPT_UNREADABLE';
    return { ...line, outcome: isNothing ? 'skipped' : 'failed', why };
  }
}

/** The id of a conversation, unless another one has it here: those of two agents may have the same. */
async function freeIdOf(
  { opened: { host } }: ImportParts,
  { id, key }: { readonly id: string; readonly key: string },
): Promise<string> {
  const sessionId = sessionIdOf(id, key);
  const record = await host.sessions.get(sessionId);
  return record === null || record.key === key ? sessionId : derivedSessionId(id, key);
}

function skipped(from: string, { key, why }: { readonly key: string | null; readonly why: string }): ImportLine {
  return { from, outcome: 'skipped', sessionId: null, key, messages: 0, refused: 0, why };
}

/** What a file is that no entry of the index names. */
function whyLeft(file: string): string {
  if (/\.jsonl\.(reset|deleted|bak)/.test(file)) {
    return 'it was put away, and nothing says of which conversation it was; import it by itself, with --key';
  }
  if (file.endsWith('.jsonl')) return 'no entry of the index names it; import it by itself, with --key';
  return 'it is no transcript';
}

/** True for a link to somewhere else: whoever can write into the folder would have files of others imported. */
async function leadsOut(file: string): Promise<boolean> {
  try {
    return dirname(await realpath(file)) !== (await realpath(dirname(file)));
  } catch {
    // What is not there is told by who reads it.
    return false;
  }
}

async function readIndex(index: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { size } = await stat(index);
    if (size > mostIndexBytes) throw new Error('it is too large');
    const value: unknown = JSON.parse(await readFile(index, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new Error('it holds no object');
  } catch (error) {
    const isOwn = error instanceof Error && !('code' in error) && !(error instanceof SyntaxError);
    const why = error instanceof SyntaxError ? 'it is no JSON' : isOwn ? error.message : codeOf(error);
    throw new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `"${index}" cannot be read: ${why}.`, {
      fix: 'Give a sessions.json of OpenClaw, or one transcript of the folder.',
      cause: error,
    });
  }
}
