import type { Budget } from '../budget.ts';
import type { CompactRequest, Plan, Refusal } from '../compaction/compaction.ts';
import type { Draft } from '../draft/draft.ts';
import { VarveError } from '../errors.ts';
import type { MessageEntry, TurnKind } from '../journal/entry.ts';
import type { SessionView } from './hook-context.ts';

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
  /** Turns the draft of the visible history into the draft of this prompt: at most `budget.history` tokens. */
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
  register(id: string, create: () => ContextEngine): void;
  /** A new engine; `null` for the reference path. @throws VARVE_ENGINE_UNKNOWN */
  create(id: string): ContextEngine | null;
}

/** Makes a registry that knows the reference path only. */
export function createEngineRegistry(): EngineRegistry {
  const factories = new Map<string, () => ContextEngine>();
  return {
    register: (id, create) => {
      factories.set(id, create);
    },
    create: (id) => {
      const factory = factories.get(id);
      if (factory !== undefined) return factory();
      if (id === referenceEngineId) return null;
      const known = [referenceEngineId, ...factories.keys()].join(', ');
      throw new VarveError('VARVE_ENGINE_UNKNOWN', `There is no context engine "${id}".`, {
        fix: `Install the plugin that registers it, or use one of: ${known}.`,
      });
    },
  };
}
