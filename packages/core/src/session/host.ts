import { type BudgetOptions, checkBudget } from '../budget.ts';
import { type Clock, systemClock } from '../clock.ts';
import { VarveError } from '../errors.ts';
import { createEntryIds } from '../journal/entry-id.ts';
import { memoryStore } from '../journal/memory-store.ts';
import type { JournalArchives, Store } from '../journal/store.ts';
import type { ModelRef } from '../model-ref.ts';
import type { ModelRegistry } from '../model-registry.ts';
import { tellNotices } from '../plugins/deprecation.ts';
import { referenceEngineId } from '../plugins/engine.ts';
import { createEventBus, type Events } from '../plugins/events.ts';
import type { PluginList } from '../plugins/resolve-plugins.ts';
import { startPlugins } from '../plugins/start-plugins.ts';
import { stableHash } from '../stable-hash.ts';
import { type TokenCounter, tableCounter } from '../tokens/token-counter.ts';
import { checkEngineId, checkHostOptions, requireRegistry } from './host-option-checks.ts';
import { hostSessions } from './host-sessions.ts';
import { checkOptionNames, type OptionNames } from './known-options.ts';
import type { ForkOptions, OpenOptions } from './open-options.ts';
import { openSession } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import type { SessionRecords } from './record/live-records.ts';
import type { Session } from './session.ts';

/** How a host is made. Everything has a default: `createHost()` works. */
export interface HostOptions {
  /** Where journals are kept. The host closes their journals; the store itself stays its maker's. @default memoryStore() */
  readonly store?: Store | undefined;
  /** @default none */
  readonly plugins?: PluginList | undefined;
  /** Id of the context engine, or a function that chooses one for a session. @default 'legacy' */
  readonly engine?: string | ((sessionId: string) => string) | undefined;
  /**
   * How large prompts may be: for all models, or for the one that is asked, by a pure function.
   *
   * @default the model's window as `models` knows it, else 200 000 tokens; 20 % of it for the answer
   */
  readonly budget?: BudgetOptions | ((model: ModelRef) => BudgetOptions) | undefined;
  /** What is known of models, such as `modelRegistry()` of `@varve/adapters/model-registry`. @default nothing */
  readonly models?: ModelRegistry | undefined;
  /** @default tableCounter */
  readonly tokens?: TokenCounter | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Chance for entry ids. @default Math.random */
  readonly random?: (() => number) | undefined;
}

const hostOptionNames: OptionNames<HostOptions> = {
  store: true,
  plugins: true,
  engine: true,
  budget: true,
  models: true,
  tokens: true,
  clock: true,
  random: true,
};

/** Opens sessions that share a store and plugins. */
export interface Host extends AsyncDisposable {
  readonly events: Events;
  /** Its time, for what is built on it. */
  readonly clock: Clock;
  /** Names and versions of the plugins, in the order in which they run. */
  readonly plugins: readonly { readonly name: string; readonly version: string }[];
  /** The records of all sessions in the store; of those that are open here, as they are now. */
  readonly sessions: SessionRecords;
  /** What the store has to put journals away with; absent where it has nothing. */
  readonly archives?: JournalArchives | undefined;
  /** Deletes a session that is not open here, as the store does; absent where it deletes nothing. */
  readonly remove?: Store['remove'];
  /**
   * Opens the session with that id; begins it when there is none. An open session is given again; where another identity
   * or chat type is said of it now, it has none and is a group from then on, since others take part than was thought. One
   * that is being closed is opened anew when that is done. With `readOnly` it is another session each time, beside that
   * one and beside each other: none hinders another, and each is closed for itself.
   *
   * @throws VARVE_OPTION_INVALID, VARVE_PLUGIN_RECORD, VARVE_SESSION_CLOSED, VARVE_STORE_LOCKED; VARVE_STORE_MISSING with
   *   `readOnly`.
   */
  open(sessionId: string, options?: OpenOptions): Promise<Session>;
  /**
   * Begins a session with what leads to an entry of another one: the same entries, with the same ids and seqs, so that the
   * first prompts of both have the same messages. The other one may be open, closed, archived, or in the middle of a turn,
   * and stays as it is. From there on each goes its own way. What the fork's counters count includes what was copied.
   *
   * A process that ends in the middle leaves a journal that is refused by `open` (VARVE_FORK_TORN) until this is called
   * again with the same `newSessionId`.
   *
   * @throws VARVE_FORK_EXISTS, VARVE_FORK_TOO_LARGE, VARVE_FORK_TORN, VARVE_ENTRY_UNKNOWN, VARVE_OPTION_INVALID,
   *   VARVE_PLUGIN_RECORD, VARVE_STORE_MISSING, VARVE_STORE_DAMAGED, VARVE_STORE_LOCKED, VARVE_SESSION_CLOSED
   */
  fork(sessionId: string, options: ForkOptions): Promise<Session>;
  /** Closes all sessions and cleans up plugins. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes a host: checks and starts the plugins, and freezes the hooks.
 *
 * @throws VARVE_PLUGIN_INVALID, VARVE_PLUGIN_API, VARVE_PLUGIN_DUPLICATE, VARVE_PLUGIN_MISSING, VARVE_PLUGIN_CYCLE,
 *   VARVE_PLUGIN_OPTIONS, VARVE_OPTION_INVALID, VARVE_TOOL_INVALID, VARVE_TOOL_DUPLICATE, VARVE_BUDGET_INVALID
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  checkHostOptions(options);
  checkOptionNames(options, { what: 'The host', names: hostOptionNames });
  const { store = memoryStore(), clock = systemClock, tokens = tableCounter, budget = {}, random } = options;
  if (typeof budget !== 'function') checkBudget(budget);
  const models = requireRegistry(options.models);
  const events = createEventBus();
  const started = await startPlugins(options.plugins ?? [], { events, clock, tokens });
  const optionsHash = stableHash({ budget, plugins: started.plugins });
  const mintId = createEntryIds({ now: () => clock.now(), random });
  const { hooks, tools } = started;
  const shared = { store, clock, counter: tokens, budget, models, events, hooks, tools, optionsHash, mintId };
  const { engine = referenceEngineId } = options;
  const engineIdOf = (sessionId: string): string => (typeof engine === 'function' ? engine(sessionId) : engine);
  const sessions = createOpenSessions();
  const close = async (): Promise<void> => {
    const settled = [...(await sessions.closeAll()), ...(await started.cleanUp())];
    if (options.store === undefined) await store[Symbol.asyncDispose]();
    const failed = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'Some sessions or plugins could not be closed.');
  };
  let closing: Promise<void> | null = null;
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  const refuseClosed = (): void => {
    if (closing === null) return;
    throw new VarveError('VARVE_SESSION_CLOSED', 'The host has been closed.', { fix: 'Make a new host.' });
  };
  return {
    events,
    clock,
    plugins: started.plugins.map(({ name, version }) => ({ name, version })),
    archives: store.archives,
    remove: store.remove?.bind(store),
    ...hostSessions({
      ...shared,
      sessions,
      refuseClosed,
      begin: async (sessionId, how) => {
        refuseClosed();
        tellNotices(started.notices, events);
        const engineId = engineIdOf(sessionId);
        checkEngineId(engineId);
        return openSession(sessionId, { ...shared, ...how, engine: started.engines.create(engineId) });
      },
    }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
