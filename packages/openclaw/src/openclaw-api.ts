import type { PiMessage } from '@varve/adapters/pi';

/** What the plugin uses of the API that OpenClaw registers plugins with. */
export interface OpenClawApi {
  /** What stands under `plugins.entries.varve.config`. */
  readonly pluginConfig?: unknown;
  readonly logger?: OpenClawLogger | undefined;
  registerContextEngine?(id: string, factory: (context?: EngineContext) => OpenClawEngine): void;
}

/** Where OpenClaw lets plugins say something. */
export interface OpenClawLogger {
  warn?(text: string): void;
}

/** What a factory is told; versions before 2026.4 tell nothing. */
export interface EngineContext {
  readonly agentDir?: string | undefined;
  readonly workspaceDir?: string | undefined;
}

/** What all calls of an engine are told. */
export interface EngineCall {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly sessionTarget?: { readonly agentId?: string | undefined } | undefined;
  readonly runtimeSettings?: RuntimeSettings | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What is known of the run, in versions since 2026.6. */
export interface RuntimeSettings {
  readonly schemaVersion?: number | undefined;
  readonly model?: { readonly provider?: string | null; readonly resolved?: string | null } | undefined;
}

/** A call with messages, and whether they belong to a run that no user has begun. */
export interface MessagesCall extends EngineCall {
  readonly messages: readonly PiMessage[];
  readonly isHeartbeat?: boolean | undefined;
}

/** One message. */
export interface IngestCall extends EngineCall {
  readonly message: PiMessage;
  readonly isHeartbeat?: boolean | undefined;
}

/** A turn that was accepted, from the user's message to the last answer. */
export interface CommitTurnCall extends MessagesCall {
  /** The same for every attempt to commit one turn. */
  readonly advancementKey: string;
}

/** Asks for the messages of a prompt: those given, without the turn that is under way. */
export interface AssembleCall extends MessagesCall {
  readonly tokenBudget?: number | undefined;
  readonly model?: string | undefined;
  /** What the user has said now. */
  readonly prompt?: string | undefined;
}

/** The messages of a prompt. */
export interface AssembleResult {
  readonly messages: readonly PiMessage[];
  readonly estimatedTokens: number;
  readonly systemPromptAddition?: string | undefined;
}

/** Asks for a compaction. */
export interface CompactCall extends EngineCall {
  readonly tokenBudget?: number | undefined;
  /** Whether it is to be made at once. */
  readonly force?: boolean | undefined;
  /** How many tokens the model has seen, or refused. */
  readonly currentTokenCount?: number | undefined;
  readonly customInstructions?: string | undefined;
}

/** What a compaction came to. */
export interface CompactResult {
  readonly ok: boolean;
  readonly compacted: boolean;
  readonly reason?: string | undefined;
  readonly result?: {
    readonly summary?: string | undefined;
    readonly tokensBefore: number;
    readonly tokensAfter?: number | undefined;
    readonly details?: object | undefined;
  };
}

/** A context engine, as OpenClaw calls it from 2026.3 to 2026.9. */
export interface OpenClawEngine {
  readonly info: {
    readonly id: string;
    readonly name: string;
    readonly version: string;
    readonly ownsCompaction: boolean;
    readonly acceptedHostParams: readonly string[];
    readonly transcriptSemantics: {
      readonly currentTurnFence: 'before-current-turn-entry-v1';
      readonly turnAdvancementIdempotency: 'atomic-idempotent-v1';
    };
  };
  bootstrap(call: EngineCall): Promise<{ readonly bootstrapped: boolean; readonly reason?: string }>;
  maintain(call: EngineCall): Promise<{
    readonly changed: false;
    readonly bytesFreed: 0;
    readonly rewrittenEntries: 0;
    readonly reason: string;
  }>;
  ingest(call: IngestCall): Promise<{ readonly ingested: boolean }>;
  ingestBatch(call: MessagesCall): Promise<{ readonly ingestedCount: number }>;
  afterTurn(call: MessagesCall): Promise<void>;
  commitTurn(call: CommitTurnCall): Promise<{ readonly status: 'committed' | 'duplicate' }>;
  assemble(call: AssembleCall): Promise<AssembleResult>;
  compact(call: CompactCall): Promise<CompactResult>;
  dispose(): Promise<void>;
}
