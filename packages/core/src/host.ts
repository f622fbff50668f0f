import type { BudgetOptions } from './budget.ts';
import { resolveBudget } from './budget.ts';
import { type Clock, systemClock } from './clock.ts';
import { createEngineRegistry, referenceEngineId } from './engine.ts';
import type { Entry } from './entry.ts';
import { createEntryIds } from './entry-id.ts';
import { VarveError } from './errors.ts';
import { createEventBus, type Events } from './events.ts';
import { guardTap } from './guard.ts';
import { createHealthRecord } from './health.ts';
import { createHooks } from './hooks.ts';
import { memoryStore } from './memory-store.ts';
import { type PluginList, parsePluginOptions, resolvePlugins } from './resolve-plugins.ts';
import { createSession, type Session } from './session.ts';
import { openSessionJournal } from './session-journal.ts';
import type { SessionRuntime } from './session-runtime.ts';
import { stableHash } from './stable-hash.ts';
import type { Journal, Store } from './store.ts';
import { type TokenCounter, tableCounter } from './token-counter.ts';

/** How a host is made. Everything has a default: `createHost()` works. */
export interface HostOptions {
  /** Where journals are kept. The host closes their journals; the store itself stays its maker's. @default memoryStore() */
  readonly store?: Store | undefined;
  /** @default none */
  readonly plugins?: PluginList | undefined;
  /** Id of the context engine, or a function that chooses one for a session. @default 'legacy' */
  readonly engine?: string | ((sessionId: string) => string) | undefined;
  /** How large prompts may be. @default a window of 200 000 tokens, 20 % of it for the answer */
  readonly budget?: BudgetOptions | undefined;
  /** @default tableCounter */
  readonly tokens?: TokenCounter | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Chance for entry ids. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** How a session is opened. */
export interface OpenOptions {
  /** The host's own name for the conversation. */
  readonly key?: string | undefined;
  readonly agentId?: string | undefined;
}

/** Opens sessions that share a store and plugins. */
export interface Host extends AsyncDisposable {
  readonly events: Events;
  /** Names and versions of the plugins, in the order in which they run. */
  readonly plugins: readonly { readonly name: string; readonly version: string }[];
  /** Opens the session with that id; begins it when there is none. An open session is given again. */
  open(sessionId: string, options?: OpenOptions): Promise<Session>;
  /** Closes all sessions and cleans up plugins. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes a host: checks and starts the plugins, and freezes the hooks.
 *
 * @throws VARVE_PLUGIN_INVALID, VARVE_PLUGIN_API, VARVE_PLUGIN_DUPLICATE, VARVE_PLUGIN_MISSING, VARVE_PLUGIN_CYCLE,
 *   VARVE_PLUGIN_OPTIONS, VARVE_BUDGET_INVALID
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const { store = memoryStore(), plugins: list = [], budget = {}, tokens = tableCounter } = options;
  const { clock = systemClock, engine = referenceEngineId, random } = options;
  resolveBudget({ ...budget, inputTokens: null, reservedTokens: 0 });
  const plugins = resolvePlugins(list);
  const events = createEventBus();
  const hooks = createHooks();
  const engines = createEngineRegistry();
  const cleanUps: (() => void | Promise<void>)[] = [];
  const parsed: unknown[] = [];
  for (const plugin of plugins) {
    const given = await parsePluginOptions(plugin);
    parsed.push(given);
    const tappable = hooks.forPlugin(plugin.name, (hook, name, tap) => guardTap(plugin.name, hook, { name, tap }));
    const context = { hooks: tappable, events, clock, tokens, registerEngine: engines.register };
    const cleanUp = plugin.apply(context, given);
    if (typeof cleanUp === 'function') cleanUps.push(cleanUp);
  }
  hooks.freeze();
  const mintId = createEntryIds({ now: () => clock.now(), random });
  const optionsHash = stableHash({
    budget,
    plugins: plugins.map(({ name, version }, i) => [name, version, parsed[i]]),
  });
  const sessions = new Map<string, Promise<Session>>();
  let closing: Promise<void> | null = null;

  const openSession = async (sessionId: string, { key, agentId }: OpenOptions): Promise<Session> => {
    const chosen = engines.create(typeof engine === 'function' ? engine(sessionId) : engine);
    const header = {
      v: 1,
      sessionId,
      createdAt: clock.now(),
      ...(agentId === undefined ? {} : { agentId }),
      ...(key === undefined ? {} : { key }),
    } as const;
    const journal: Journal = await store.open(sessionId, { create: header });
    const onAppend = (entry: Entry): void => events.emit('entry-appended', { sessionId, seq: entry.seq, entry });
    const opened = await openSessionJournal(journal, { clock, mintId, onAppend });
    if (opened.folded().lastSeq === 0) events.emit('session-created', { sessionId });
    const runtime: SessionRuntime = {
      sessionId,
      key: journal.header.key ?? key ?? null,
      clock,
      counter: tokens,
      events,
      hooks,
      health: createHealthRecord(),
      journal: opened,
      engine: chosen,
      budget,
      optionsHash,
      lastRequestAt: null,
      lastPrompt: null,
    };
    return closedFirst(createSession(runtime), () => sessions.delete(sessionId));
  };
  const close = async (): Promise<void> => {
    const open = await Promise.allSettled(sessions.values());
    const ends = open.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined));
    const settled = await Promise.allSettled([...ends, ...cleanUps.map(async (cleanUp) => cleanUp())]);
    if (options.store === undefined) await store[Symbol.asyncDispose]();
    const failed = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'Some sessions or plugins could not be closed.');
  };
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    events,
    plugins: plugins.map(({ name, version }) => ({ name, version })),
    open: async (sessionId, openOptions = {}) => {
      if (closing !== null) {
        throw new VarveError('VARVE_SESSION_CLOSED', 'The host has been closed.', { fix: 'Make a new host.' });
      }
      const known = sessions.get(sessionId);
      if (known !== undefined) return known;
      const opening = openSession(sessionId, openOptions);
      sessions.set(sessionId, opening);
      opening.catch(() => sessions.delete(sessionId));
      return opening;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** A session that is forgotten by its host once it is closed. */
function closedFirst(session: Session, forget: () => void): Session {
  const close = async (): Promise<void> => {
    await session.close();
    forget();
  };
  return { ...session, close, [Symbol.asyncDispose]: close };
}
