import { homedir } from 'node:os';
import { join } from 'node:path';
import { modelRegistry } from '@varve/adapters/model-registry';
import { type BudgetOptions, createHost, type ModelRef, type PluginList, type Session } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { jsonlStore } from '@varve/stores/jsonl';
import type { EngineCall } from './openclaw-api.ts';
import type { PluginConfig } from './plugin-config.ts';

/** What is known of a conversation beside its journal, for as long as somebody has it open. */
export interface Conversation {
  readonly session: Session;
  /** How large the window is taken to be; calls of one conversation run one after the other, each with its own. */
  windowTokens: number | undefined;
  /** The model that was asked last. */
  model: ModelRef | null;
  /** Turns that were committed; `null` until they were looked up. */
  committed: Set<string> | null;
  /** Tokens of what OpenClaw sends beside the messages, as the first turn has shown; `null` for not yet. */
  hostTokens: number | null;
  /** The largest budget that calls have named, for the model that is asked; `null` for none. */
  largest: LargestBudget | null;
  /** The last prompt; `null` for none. */
  asked: AskedPrompt | null;
}

/** A budget, and whose it is. A type, since it is stored. */
export type LargestBudget = { readonly model: string; readonly tokens: number };

/** What is remembered of a prompt. */
interface AskedPrompt {
  /** Tokens of its messages, and of what the user has said now. */
  readonly counted: number;
  /** Whether it was known what OpenClaw sends besides. */
  readonly isShareKnown: boolean;
  /** Its messages, each by a short name. */
  readonly names: readonly string[];
}

/** A conversation that some engines hold open. */
interface Held {
  readonly opened: Promise<{ readonly conversation: Conversation; readonly close: () => Promise<void> }>;
  users: number;
  /** The end of what is done with it. */
  last: Promise<unknown>;
}

/** Opens conversations for engines, which OpenClaw makes anew for each operation. */
export interface Conversations {
  /** Holds a conversation open until `release`. */
  hold(call: EngineCall): void;
  /** Does something with a conversation that is held, behind what is done with it already. */
  run<Result>(call: EngineCall, work: (conversation: Conversation) => Promise<Result>): Promise<Result>;
  /** Lets go of a conversation; the last one that does closes it. */
  release(sessionId: string): Promise<void>;
}

const registries = new Map<string, Conversations>();

/** The conversations below the folder that a configuration names: the same for all engines of a process. */
export function conversationsOf(config: PluginConfig): Conversations {
  const name = JSON.stringify([rootOf(config), config]);
  const known = registries.get(name) ?? createConversations(config);
  registries.set(name, known);
  return known;
}

function createConversations(config: PluginConfig): Conversations {
  const held = new Map<string, Held>();
  const closing = new Map<string, Promise<unknown>>();
  const heldFor = (call: EngineCall): Held => {
    const known = held.get(call.sessionId);
    if (known !== undefined) return known;
    const before = closing.get(call.sessionId) ?? Promise.resolve();
    const opened = before.then(() => open(call, config));
    const one: Held = { opened, users: 0, last: opened.catch(() => undefined) };
    held.set(call.sessionId, one);
    // What could not be opened is tried anew by the next call.
    opened.catch(() => {
      if (held.get(call.sessionId) === one) held.delete(call.sessionId);
    });
    return one;
  };
  return {
    hold: (call) => {
      heldFor(call).users += 1;
    },
    run: (call, work) => {
      const one = heldFor(call);
      const done = one.last.then(async () => work((await one.opened).conversation));
      one.last = done.catch(() => undefined);
      return done;
    },
    release: async (sessionId) => {
      const one = held.get(sessionId);
      if (one === undefined) return;
      one.users -= 1;
      if (one.users > 0) return;
      held.delete(sessionId);
      const closed = one.last.then(async () => (await one.opened.catch(() => null))?.close());
      closing.set(
        sessionId,
        closed.catch(() => undefined),
      );
      await closed;
    },
  };
}

function rootOf({ root }: PluginConfig): string {
  const { OPENCLAW_STATE_DIR: folder = join(homedir(), '.openclaw') } = process.env;
  return root ?? join(folder, 'varve');
}

async function open(call: EngineCall, config: PluginConfig): Promise<Awaited<Held['opened']>> {
  const store = jsonlStore({ root: rootOf(config) });
  let conversation: Conversation | null = null;
  const host = await createHost({
    store,
    plugins: pluginsOf(config),
    models: modelRegistry(),
    budget: () => budgetOf(conversation, config),
  });
  const close = async (): Promise<void> => {
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const session = await host.open(call.sessionId, namesOf(call));
    conversation = {
      session,
      windowTokens: undefined,
      model: null,
      committed: null,
      hostTokens: null,
      largest: null,
      asked: null,
    };
    return { conversation, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Most of a window that is left for what OpenClaw sends besides. */
const mostReserved = 0.4;

function budgetOf(conversation: Conversation | null, config: PluginConfig): BudgetOptions {
  const { windowTokens, hostTokens } = conversation ?? { hostTokens: null };
  const learnt = Math.min(hostTokens ?? 0, Math.floor((windowTokens ?? Infinity) * mostReserved));
  const reservedTokens = config.reservedTokens ?? learnt;
  return { reservedTokens, ...(windowTokens === undefined ? {} : { windowTokens }) };
}

/** Tools are not offered: OpenClaw asks for them before it knows of which conversation. */
function pluginsOf({ prices = 'anthropic-5m' }: PluginConfig): PluginList {
  return strata({ prices, recall: { tools: false } });
}

function namesOf({ sessionKey, sessionTarget }: EngineCall): { readonly key?: string; readonly agentId: string } {
  const named = /^agent:([^:]+):/.exec(sessionKey ?? '')?.[1];
  const agentId = sessionTarget?.agentId ?? named ?? 'main';
  return sessionKey === undefined || sessionKey === '' ? { agentId } : { key: sessionKey, agentId };
}
