import { type BudgetOptions, resolveBudget } from '../budget.ts';
import { type Clock, systemClock } from '../clock.ts';
import { VarveError } from '../errors.ts';
import { createEntryIds } from '../journal/entry-id.ts';
import { memoryStore } from '../journal/memory-store.ts';
import type { Store } from '../journal/store.ts';
import { referenceEngineId } from '../plugins/engine.ts';
import { createEventBus, type Events } from '../plugins/events.ts';
import type { PluginList } from '../plugins/resolve-plugins.ts';
import { startPlugins } from '../plugins/start-plugins.ts';
import { stableHash } from '../stable-hash.ts';
import { type TokenCounter, tableCounter } from '../tokens/token-counter.ts';
import { openSession } from './open-session.ts';
import type { Session } from './session.ts';

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
  const { store = memoryStore(), clock = systemClock, tokens = tableCounter, budget = {}, random } = options;
  resolveBudget({ ...budget, inputTokens: null, reservedTokens: 0 });
  const events = createEventBus();
  const started = await startPlugins(options.plugins ?? [], { events, clock, tokens });
  const optionsHash = stableHash({ budget, plugins: started.plugins });
  const mintId = createEntryIds({ now: () => clock.now(), random });
  const shared = { store, clock, counter: tokens, budget, events, hooks: started.hooks, optionsHash, mintId };
  const { engine = referenceEngineId } = options;
  const engineIdOf = (sessionId: string): string => (typeof engine === 'function' ? engine(sessionId) : engine);
  const sessions = new Map<string, Promise<Session>>();
  const close = async (): Promise<void> => {
    const open = await Promise.allSettled(sessions.values());
    const ends = open.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined));
    const settled = [...(await Promise.allSettled(ends)), ...(await started.cleanUp())];
    if (options.store === undefined) await store[Symbol.asyncDispose]();
    const failed = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'Some sessions or plugins could not be closed.');
  };
  let closing: Promise<void> | null = null;
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    events,
    plugins: started.plugins.map(({ name, version }) => ({ name, version })),
    open: async (sessionId, { key, agentId } = {}) => {
      if (closing !== null) {
        throw new VarveError('VARVE_SESSION_CLOSED', 'The host has been closed.', { fix: 'Make a new host.' });
      }
      const known = sessions.get(sessionId);
      if (known !== undefined) return known;
      const own = started.engines.create(engineIdOf(sessionId));
      const opening = openSession(sessionId, {
        ...shared,
        key,
        agentId,
        engine: own,
        forget: () => sessions.delete(sessionId),
      });
      sessions.set(sessionId, opening);
      opening.catch(() => sessions.delete(sessionId));
      return opening;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
