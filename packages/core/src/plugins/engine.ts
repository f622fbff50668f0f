import type { Budget } from '../budget.ts';
import type { CompactRequest, Plan, Refusal } from '../compaction/compaction.ts';
import type { Draft } from '../draft/draft.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { MessageEntry, TurnKind } from '../journal/entry.ts';
import type { SessionView } from './hook-context.ts';
import { refuseReserved } from './resolve-plugins.ts';

/** Who an engine is. */
export interface EngineInfo {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/**
 * Decides how history becomes a draft, or how it is compacted. Most things are plugins; write an engine only to replace
 * one of these. One instance serves one session. What it returns is checked; where it throws, is late or returns
 * something else, the reference path is taken for that call and `engine-degraded` is emitted.
 */
export interface ContextEngine {
  readonly info: EngineInfo;
  /** Called for each message entry that was appended. The journal has it already. */
  ingest(options: {
    readonly session: SessionView;
    readonly entry: MessageEntry;
    readonly turn: TurnKind;
    readonly signal: AbortSignal;
  }): Promise<{ readonly ingested: boolean; readonly duplicate?: boolean }>;
  /**
   * Turns the draft of the visible history into the draft of this prompt, by operations of that draft. One that is
   * larger than what it was given is taken only if all before the running turn stays within `budget.history`.
   */
  assemble(options: {
    readonly session: SessionView;
    readonly draft: Draft;
    readonly budget: Budget;
    readonly query: string | null;
    readonly signal: AbortSignal;
  }): Promise<Draft>;
  /** Makes the plan of a compaction when no plugin did. */
  compact(options: {
    readonly session: SessionView;
    readonly request: CompactRequest;
    readonly signal: AbortSignal;
    /** Core's own plan. */
    defaultPlan(): Promise<Plan | Refusal>;
  }): Promise<Plan | Refusal>;
  dispose?(): Promise<void>;
}

/** How long a method of an engine may take. */
export const engineDeadlinesMs = { ingest: 1_000, assemble: 5_000, compact: 180_000 } as const;

/** The id of the reference engine: history as it is. Core takes its path itself when no plugin registered it. */
export const referenceEngineId = 'legacy';

/** The engines that a host knows. */
export interface EngineRegistry {
  /**
   * @throws VARVE_PLUGIN_INVALID  for an id that is no name or that core keeps, or what makes no engine;
   *   VARVE_PLUGIN_DUPLICATE for an id that is taken.
   */
  register(id: string, create: () => ContextEngine): void;
  /**
   * A new engine; `null` for the reference path. One that cannot be made fails in each of its methods, so that it is
   * seen where a failing engine is seen: in health, and as `engine-degraded`.
   *
   * @throws VARVE_ENGINE_UNKNOWN
   */
  create(id: string): ContextEngine | null;
}

/** Makes a registry that knows the reference path only. */
export function createEngineRegistry(): EngineRegistry {
  const factories = new Map<string, () => ContextEngine>();
  return {
    register: (id, create) => {
      checkRegistration(id, create);
      if (factories.has(id)) {
        throw new VarveError('VARVE_PLUGIN_DUPLICATE', `There are two context engines named "${id}".`, {
          fix: 'Remove one of the plugins that register it, or give one engine another id.',
        });
      }
      factories.set(id, create);
    },
    create: (id) => {
      const factory = factories.get(id);
      if (factory !== undefined) return createEngine(id, factory);
      if (id === referenceEngineId) return null;
      const known = [referenceEngineId, ...factories.keys()].join(', ');
      throw new VarveError('VARVE_ENGINE_UNKNOWN', `There is no context engine "${id}".`, {
        fix: `Install the plugin that registers it, or use one of: ${known}.`,
      });
    },
  };
}

function checkRegistration(id: unknown, create: unknown): void {
  if (typeof id !== 'string' || id.trim() === '' || typeof create !== 'function') {
    throw new VarveError('VARVE_PLUGIN_INVALID', 'registerEngine takes an id and a function that makes an engine.', {
      fix: 'Call registerEngine("acme/engine", () => createEngine()).',
    });
  }
  refuseReserved(id, 'A context engine');
}

/** The engine under the id that it was registered with, whatever it calls itself; see {@link EngineRegistry.create}. */
function createEngine(id: string, factory: () => ContextEngine): ContextEngine {
  try {
    const engine = factory();
    const { name, version } = engine.info;
    return {
      info: { id, name, version },
      ingest: async (options) => checkIngestAnswer(await engine.ingest(options)),
      assemble: async (options) => engine.assemble(options),
      compact: async (options) => engine.compact(options),
      dispose: async () => engine.dispose?.(),
    };
  } catch (cause) {
    const fail = async (): Promise<never> => {
      throw new VarveError('VARVE_PLUGIN_FAILED', `Engine "${id}" could not be made: ${messageOfError(cause)}`, {
        fix: `Fix the plugin that registers "${id}", or choose another engine.`,
        cause,
      });
    };
    return { info: { id, name: id, version: '' }, ingest: fail, assemble: fail, compact: fail };
  }
}

type IngestAnswer = Awaited<ReturnType<ContextEngine['ingest']>>;

function checkIngestAnswer(answer: unknown): IngestAnswer {
  const { ingested, duplicate } = (
    typeof answer === 'object' && answer !== null ? answer : {}
  ) as Partial<IngestAnswer>;
  const isWhole = typeof ingested === 'boolean' && (duplicate === undefined || typeof duplicate === 'boolean');
  if (isWhole) return duplicate === undefined ? { ingested } : { ingested, duplicate };
  throw new VarveError('VARVE_PLUGIN_FAILED', 'The engine did not say whether it ingested the entry.', {
    fix: 'Return { ingested: true }, or { ingested: false, duplicate: true }.',
  });
}
