import { type PiApi, type PiCommand, type PiContext, type PiEntry, type PiTool, varveInPi } from '@varve/pi';

type Handler = (event: never, context: PiContext) => unknown;
type Said = { readonly role: string; readonly [field: string]: unknown };

/** A session of pi: a tree of entries, and where in it the conversation stands. */
export interface FakeSession {
  readonly id: string;
  readonly entries: PiEntry[];
  leafId: string | null;
  readonly parentSession?: string;
}

/** A session that has nothing yet. */
export function emptySession(id: string): FakeSession {
  return { id, entries: [], leafId: null };
}

/** What a test does with pi. */
export interface FakePi {
  /** Calls handlers as pi does: what they throw is thrown here. */
  emit<Result>(name: string, event?: object, options?: { readonly signal?: AbortSignal }): Promise<Result>;
  /** The user says something; gives what pi would send. */
  say(text: string): Promise<readonly Said[]>;
  /** The model says something, and the run ends. */
  reply(text: string): Promise<void>;
  /** Puts a message into the session, without telling anybody. */
  put(message: Said): string;
  /** Puts a compaction into the session, as pi does. */
  compacted(compaction: { readonly summary: string; readonly firstKeptEntryId: string }): void;
  /** Runs the command of the extension; gives what the user is shown. */
  command(words: string): Promise<string>;
  /** The messages of the branch, as pi hands them over. */
  list(): readonly Said[];
  readonly tools: PiTool[];
  readonly session: FakeSession;
}

/** Models that are asked; a window of 4 000 tokens makes compactions come early. */
const model = { id: 'small', provider: 'fake', api: 'openai-completions', contextWindow: 4_000 };

let entries = 0;

/** Starts an instance of pi with the extension, which opens a session. */
export function fakePi(session: FakeSession, options: Parameters<typeof varveInPi>[0]): FakePi {
  const handlers = new Map<string, Handler>();
  const commands = new Map<string, PiCommand>();
  const shown: string[] = [];
  const tools: PiTool[] = [];
  const api: PiApi = {
    on: (name, handler) => void handlers.set(name, handler),
    registerCommand: (name, command) => void commands.set(name, command),
    registerTool: (tool) => void tools.push(tool),
    getActiveTools: () => ['read'],
    getAllTools: () => [{ name: 'read', description: 'Reads a file', parameters: { type: 'object' } }],
  };
  varveInPi(options)(api);
  const context: PiContext = {
    model,
    sessionManager: {
      getSessionId: () => session.id,
      getSessionFile: () => `/sessions/2026_${session.id}.jsonl`,
      getBranch: () => branchOf(session),
      getHeader: () => ({ parentSession: session.parentSession }),
    },
    ui: { notify: (text) => void shown.push(text) },
    getSystemPrompt: () => 'You are pi.',
  };
  const emit = async <Result>(name: string, event: object = {}, { signal }: { signal?: AbortSignal } = {}) =>
    (await handlers.get(name)?.({ type: name, ...event } as never, { ...context, signal })) as Result;
  const append = (entry: Omit<PiEntry, 'id'> & { readonly type: string }): string => {
    entries += 1;
    const id = `e${entries}`;
    session.entries.push({ ...entry, id, parentId: session.leafId });
    session.leafId = id;
    return id;
  };
  const put = (message: Said): string => append({ type: 'message', message });
  const list = (): readonly Said[] => {
    const branch = branchOf(session);
    const at = branch.findLastIndex(({ type }) => type === 'compaction');
    const kept = branch.findIndex(({ id }) => id === branch[at]?.['firstKeptEntryId']);
    const shown =
      at === -1 ? branch : [...branch.slice(at, at + 1), ...branch.slice(kept, at), ...branch.slice(at + 1)];
    return structuredClone(shown.flatMap(messageOf));
  };
  return {
    emit,
    put,
    compacted: (compaction) => void append({ type: 'compaction', ...compaction }),
    list,
    tools,
    session,
    say: async (text) => {
      put(user(text));
      const made = await emit<{ readonly messages: readonly Said[] } | undefined>('context', { messages: list() });
      return made?.messages ?? list();
    },
    reply: async (text) => {
      put(assistant(text));
      await emit('agent_end');
    },
    command: async (words) => {
      await commands.get('varve')?.handler(words, context);
      return shown.at(-1) ?? '';
    },
  };
}

/** What the user says. */
export function user(text: string): Said {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: 1 };
}

/** What the model says. */
export function assistant(text: string, more: object = {}): Said {
  const content = [{ type: 'text', text }];
  return {
    role: 'assistant',
    content,
    api: 'openai-completions',
    provider: 'fake',
    model: 'small',
    stopReason: 'stop',
    ...more,
  };
}

/** The texts of a list. */
export function textsOf(list: readonly Said[]): readonly string[] {
  return list.map(({ content, summary }) => {
    if (typeof summary === 'string') return summary;
    const blocks = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
    return blocks.map(({ text = '' }) => text).join('');
  });
}

function branchOf({ entries: all, leafId }: FakeSession): PiEntry[] {
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const branch: PiEntry[] = [];
  for (let entry = byId.get(leafId ?? ''); entry !== undefined; entry = byId.get(String(entry['parentId']))) {
    branch.unshift(entry);
  }
  return branch;
}

function messageOf(entry: PiEntry): readonly Said[] {
  if (entry.type === 'compaction') return [{ role: 'compactionSummary', summary: entry['summary'] }];
  return entry.message === undefined ? [] : [entry.message];
}
