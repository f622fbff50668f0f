import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One line of a journal, as far as it matters here. */
export interface JournalLine {
  readonly seq: number;
  readonly type: string;
  readonly role: string | null;
  readonly text: string | null;
  readonly setting: { readonly name: string; readonly value: unknown } | null;
}

/** A journal as its file says it is. */
export interface JournalText {
  readonly sessionId: string;
  readonly key: string | null;
  readonly previousSessionId: string | null;
  readonly lines: readonly JournalLine[];
  /** Lines that are no JSON. */
  readonly broken: number;
}

/** What the index says of a session. */
interface RecordText {
  readonly sessionId: string;
  readonly key: string | null;
  readonly state: string;
  readonly currentSince: number | null;
}

/** What is left of a lock. */
interface LockText {
  readonly name: string;
  readonly sessionId: string;
  /** The process that took it; `null` where its name does not stand there. */
  readonly pid: number | null;
}

/** What a line of a journal or an index says, by field. */
interface Fields {
  readonly [field: string]: unknown;
}

/** All that lies in the folder of a store. Read by nothing but a parser of JSON. */
export interface RootText {
  readonly journals: readonly JournalText[];
  readonly records: readonly RecordText[];
  /** Files and folders that are left of locks. */
  readonly locks: readonly LockText[];
}

/** Reads the folder of a store. */
export function readRoot(root: string): RootText {
  const journals: JournalText[] = [];
  const records = new Map<string, RecordText & { readonly rev: number }>();
  const locks: LockText[] = [];
  const agents = join(root, 'agents');
  for (const agent of readdirSync(agents)) {
    const folder = join(agents, agent);
    locks.push(...readLocks(folder), ...readLocks(join(folder, 'sessions')));
    for (const record of readIndex(join(folder, 'sessions.jsonl'))) {
      if (record.rev > (records.get(record.sessionId)?.rev ?? 0)) records.set(record.sessionId, record);
    }
    for (const name of readdirSync(join(folder, 'sessions'))) {
      if (name.endsWith('.jsonl')) journals.push(readJournal(join(folder, 'sessions', name)));
    }
  }
  return { journals, records: [...records.values()], locks };
}

function readLocks(folder: string): readonly LockText[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /\.(?:lock|owner|claim)$/.test(name));
  return names.map((name) => {
    const file = name.replace(/\.(?:lock|owner|claim)$/, '');
    const owner = join(folder, `${file}.owner`);
    const { pid } = (existsSync(owner) ? parse(readFileSync(owner, 'utf8')) : null) ?? {};
    return { name, sessionId: file.replace('.jsonl', ''), pid: typeof pid === 'number' ? pid : null };
  });
}

function readIndex(file: string): (RecordText & { readonly rev: number })[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const { record } = parse(line) ?? {};
      const isRecord = typeof record === 'object' && record !== null && 'sessionId' in record && 'rev' in record;
      return isRecord ? [record as RecordText & { readonly rev: number }] : [];
    });
}

function readJournal(file: string): JournalText {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const [header, ...entries] = lines.map(parse);
  const { sessionId, key, previousSessionId } = header ?? {};
  return {
    sessionId: String(sessionId),
    key: textOrNull(key),
    previousSessionId: textOrNull(previousSessionId),
    lines: entries.flatMap((entry) => (entry === null ? [] : [lineOf(entry)])),
    broken: [header, ...entries].filter((entry) => entry === null).length,
  };
}

function lineOf({ seq, type, name, value, message }: Fields): JournalLine {
  const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  return {
    seq: Number(seq),
    type: String(type),
    role: textOrNull(role),
    text: textOrNull(content),
    setting: type === 'setting' ? { name: String(name), value } : null,
  };
}

function parse(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
