import { homedir } from 'node:os';
import { join } from 'node:path';
import { modelRegistry } from '@varve/adapters/model-registry';
import {
  type BudgetOptions,
  createHost,
  type Host,
  memoryStore,
  nameOfModel,
  type PluginList,
  type Session,
} from '@varve/core';
import { strata } from '@varve/preset-strata';
import { jsonlStore } from '@varve/stores/jsonl';
import { messagesOfBranch } from './messages-of-branch.ts';
import type { PiContext, PiModel } from './pi-api.ts';

/** How conversations are kept. */
export interface ConversationOptions {
  /**
   * The folder of the journals. What pi does not keep is not kept here either.
   *
   * @default the folder `varve` beside pi's own sessions: `~/.pi/agent/varve`
   */
  readonly root?: string | undefined;
  /** @default the set `strata()` of `@varve/preset-strata` */
  readonly plugins?: PluginList | undefined;
  /** What prompts may be, beyond what pi says of its model. @default 80 % of the model's window */
  readonly budget?: BudgetOptions | undefined;
}

/** The conversation that pi has open. */
export interface Conversation {
  readonly session: Session;
  /** Text that the extension has put behind pi's system prompt. */
  addedSystem: string;
}

/** The conversations of one instance of pi: one at a time. */
export interface Conversations {
  /** That of the session that pi has open now; the one before is closed. */
  of(context: PiContext): Promise<Conversation>;
  close(): Promise<void>;
}

/** What is open, and how it is let go of. */
interface Opened extends Conversation {
  readonly close: () => Promise<void>;
}

/** Opens conversations as pi opens its sessions. */
export function createConversations(options: ConversationOptions): Conversations {
  const windows = new Map<string, number>();
  let current: { readonly id: string; readonly opened: Promise<Opened> } | null = null;
  const close = async (): Promise<void> => {
    const before = current;
    current = null;
    // What could not be opened has nothing to close.
    const opened = await before?.opened.catch(() => null);
    await opened?.close();
  };
  return {
    of: async (context) => {
      noteWindow(windows, context.model);
      const id = context.sessionManager.getSessionId();
      if (current !== null && current.id !== id) await close();
      current ??= { id, opened: open(context, { ...options, windows }) };
      const { opened } = current;
      try {
        return await opened;
      } catch (error) {
        // The next call tries again: whoever holds the lock may have gone.
        if (current?.opened === opened) current = null;
        throw error;
      }
    },
    close,
  };
}

function noteWindow(windows: Map<string, number>, model: PiModel | undefined): void {
  const window = model?.contextWindow;
  if (model === undefined || window === undefined || !(window > 0)) return;
  windows.set(nameOfModel({ provider: model.provider, model: model.id }), window);
}

interface Opening extends ConversationOptions {
  readonly windows: ReadonlyMap<string, number>;
}

async function open(context: PiContext, { root, plugins = strata(), budget, windows }: Opening): Promise<Opened> {
  const { sessionManager } = context;
  const isKept = sessionManager.getSessionFile() !== undefined;
  const store = isKept ? jsonlStore({ root: root ?? defaultRoot() }) : memoryStore();
  const host = await createHost({
    store,
    plugins,
    models: modelRegistry(),
    budget: (model) => {
      const windowTokens = windows.get(nameOfModel(model));
      return { ...(windowTokens === undefined ? {} : { windowTokens }), ...budget };
    },
  });
  const close = async (): Promise<void> => {
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const id = sessionManager.getSessionId();
    const session = (await fork(host, context)) ?? (await host.open(id, { agentId }));
    return { session, addedSystem: '', close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Under this agent journals of pi's sessions are found. */
const agentId = 'pi';

function defaultRoot(): string {
  const { PI_CODING_AGENT_DIR: folder = join(homedir(), '.pi', 'agent') } = process.env;
  return join(folder, 'varve');
}

/** For a session that pi has begun with what another one holds: with its journal, and so with its compactions. */
async function fork(host: Host, { sessionManager }: PiContext): Promise<Session | null> {
  const { parentSession } = sessionManager.getHeader?.() ?? {};
  const parentId = /_([^_/\\]+)\.jsonl$/.exec(parentSession ?? '')?.[1];
  const newSessionId = sessionManager.getSessionId();
  if (parentId === undefined || messagesOfBranch(sessionManager, { asCompacted: false }).length === 0) return null;
  const [known, parent] = await Promise.all([host.sessions.get(newSessionId), host.sessions.get(parentId)]);
  if (known !== null || parent === null) return null;
  // What it lacks then, it gets from pi's own list.
  return host.fork(parentId, { newSessionId, agentId }).catch(() => null);
}
