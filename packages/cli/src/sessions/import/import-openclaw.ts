import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readTranscript } from '@varve/adapters/transcripts';
import { canonicalKey, formatKey, type JsonValue, looksLikeSessionId, VarveError } from '@varve/core';
import { verboseLevels } from '@varve/sessions/config';
import { z } from 'zod';
import { codeOf } from '../../terminal/make-folder.ts';
import { type ImportParts, importMessages } from './import-messages.ts';
import { firstMoment } from './import-transcript.ts';
import type { ImportLine, ImportTarget } from './imported.ts';

/** Larger indexes are not read at once. */
const mostIndexBytes = 100 * 1024 * 1024;

const text = z.string().min(1).optional().catch(undefined);
const moment = z.number().nonnegative().optional().catch(undefined);

/** What is taken over of an entry; what has another form is as if it were not there. */
const entrySchema = z.object({
  sessionId: z.string().min(1),
  sessionFile: text,
  updatedAt: moment,
  sessionStartedAt: moment,
  chatType: z.enum(['direct', 'group', 'channel']).optional().catch(undefined),
  channel: text,
  label: text,
  displayName: text,
  spawnedBy: text,
  providerOverride: text,
  modelOverride: text,
  thinkingLevel: text,
  verboseLevel: text,
  sendPolicy: z.enum(['allow', 'deny']).optional().catch(undefined),
  incognito: z.boolean().optional().catch(undefined),
});

type IndexEntry = z.infer<typeof entrySchema>;

/** The index of a store of OpenClaw that a path names: the file itself, or a folder that holds it; `null` for none. */
export async function findOpenClawIndex(path: string): Promise<string | null> {
  if (basename(path) === 'sessions.json') return path;
  const facts = await stat(path).catch(() => null);
  if (facts?.isDirectory() !== true) return null;
  for (const place of ['sessions.json', join('sessions', 'sessions.json')]) {
    const found = await stat(join(path, place)).catch(() => null);
    if (found?.isFile() === true) return join(path, place);
  }
  throw new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `The folder "${path}" has no sessions.json.`, {
    fix: 'Give a transcript, or the folder of one agent’s sessions, such as ~/.openclaw/agents/main/sessions.',
  });
}

/** Imports a store of OpenClaw: each conversation under its key, with its settings. Its files are only read. */
export async function importOpenClaw(
  parts: ImportParts,
  index: string,
  { agentId, isDryRun }: { readonly agentId: string | undefined; readonly isDryRun: boolean },
): Promise<readonly ImportLine[]> {
  const entries = await readIndex(index);
  const lines: ImportLine[] = [];
  const keyOfSession = new Map<string, string>();
  for (const [name, value] of Object.entries(entries)) {
    const { data: entry } = entrySchema.safeParse(value);
    const line = { from: `${index} ${name}`, sessionId: null, key: name, messages: 0, refused: 0 };
    const first = entry === undefined ? undefined : keyOfSession.get(entry.sessionId);
    if (entry === undefined) lines.push({ ...line, outcome: 'skipped', why: 'its entry names no session' });
    else if (first !== undefined) lines.push({ ...line, outcome: 'skipped', why: `its session is that of ${first}` });
    else {
      keyOfSession.set(entry.sessionId, name);
      lines.push(await importOne(parts, { index, name, entry, agentId: agentId ?? agentIn(index), isDryRun }));
    }
  }
  return lines;
}

interface One {
  readonly index: string;
  readonly name: string;
  readonly entry: IndexEntry;
  readonly agentId: string;
  readonly isDryRun: boolean;
}

async function importOne(parts: ImportParts, { index, name, entry, agentId, isDryRun }: One): Promise<ImportLine> {
  const key = keyOf(name, agentId);
  const line = { from: `${index} ${name}`, sessionId: null, key, messages: 0, refused: 0 };
  try {
    // Beside the index, whatever the entry says: a path may lead anywhere.
    const file = join(dirname(index), basename(entry.sessionFile ?? `${entry.sessionId}.jsonl`));
    if (await leadsOut(file)) return { ...line, outcome: 'skipped', why: 'its file leads out of the folder' };
    const transcript = await readTranscript(file, { signal: parts.signal });
    if (isDryRun) {
      let messages = 0;
      for await (const { kind } of transcript.records()) if (kind === 'message') messages += 1;
      return { ...line, outcome: 'planned', messages, why: null };
    }
    const target: ImportTarget = {
      sessionId: sessionIdOf(entry.sessionId, key),
      key,
      names: namesOf(entry, agentId),
      settings: settingsOf(entry),
      at: (await firstMoment(file)) ?? Math.round(entry.sessionStartedAt ?? entry.updatedAt ?? 0),
    };
    return await importMessages(parts, target, { from: file, records: transcript.records() });
  } catch (error) {
    if (!VarveError.is(error) || error.code === 'VARVE_ABORTED') throw error;
    const { code, message: why } = error;
    const isNothing = code === 'VARVE_TRANSCRIPT_EMPTY' || code === 'VARVE_TRANSCRIPT_UNREADABLE';
    return { ...line, outcome: isNothing ? 'skipped' : 'failed', why };
  }
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

/** The same for the same conversation, each time it is imported. */
function sessionIdOf(id: string, key: string): string {
  if (looksLikeSessionId(id)) return id.toLowerCase();
  const hash = createHash('sha256')
    .update(JSON.stringify([key, id]))
    .digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
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
    const why = error instanceof SyntaxError ? 'it is no JSON' : isOwn ? messageOf(error) : codeOf(error);
    throw new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `"${index}" cannot be read: ${why}.`, {
      fix: 'Give a sessions.json of OpenClaw, or one transcript of the folder.',
      cause: error,
    });
  }
}

function messageOf({ message }: Error): string {
  return message;
}

/** The agent whose folder it is: `agents/<id>/sessions/sessions.json`. */
function agentIn(index: string): string {
  const folder = dirname(index);
  const isUsual = basename(folder) === 'sessions' && basename(dirname(dirname(folder))) === 'agents';
  return isUsual ? basename(dirname(folder)) : 'main';
}

/** The key as it is written here; one that is in no known form stays as it is. */
function keyOf(name: string, agentId: string): string {
  try {
    return formatKey(canonicalKey(name, { agentId }));
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return name;
    throw error;
  }
}

function namesOf(entry: IndexEntry, agentId: string): ImportTarget['names'] {
  const { chatType, channel, label, displayName, spawnedBy } = entry;
  return {
    agentId,
    ...(chatType !== undefined && { chatType }),
    ...(channel !== undefined && { channel }),
    ...(label !== undefined && { label }),
    ...(displayName !== undefined && { displayName }),
    ...(spawnedBy !== undefined && { parentSessionKey: keyOf(spawnedBy, agentId) }),
  };
}

function settingsOf(entry: IndexEntry): Readonly<Record<string, JsonValue>> {
  const { providerOverride, modelOverride, thinkingLevel, verboseLevel, sendPolicy, incognito } = entry;
  const model = providerOverride === undefined ? modelOverride : `${providerOverride}/${modelOverride ?? ''}`;
  return {
    ...(modelOverride !== undefined && model !== undefined && { model }),
    ...(thinkingLevel !== undefined && { thinking: thinkingLevel }),
    ...(verboseLevel !== undefined && { verbose: verboseLevels.find((level) => level === verboseLevel) ?? 'on' }),
    ...(sendPolicy !== undefined && { send: sendPolicy }),
    ...(incognito !== undefined && { incognito }),
  };
}
