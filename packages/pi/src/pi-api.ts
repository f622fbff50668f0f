import type { PiMessage } from '@varve/adapters/pi';

/**
 * What the extension uses of pi, and no more: versions from 0.73 on have it. Everything that a version may lack is
 * optional.
 */
export interface PiApi {
  on(event: string, handler: (event: never, context: PiContext) => unknown): void;
  registerCommand?(name: string, command: PiCommand): void;
  registerTool?(tool: PiTool): void;
  getActiveTools?(): readonly string[];
  getAllTools?(): readonly PiToolInfo[];
}

/** A command that users type as `/name`. */
export interface PiCommand {
  readonly description: string;
  handler(words: string, context: PiContext): Promise<void>;
}

/** A tool as extensions offer it to the model. */
export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  execute(
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
  ): Promise<{
    readonly content: readonly { readonly type: 'text'; readonly text: string }[];
    readonly details: object;
  }>;
}

/** A tool that the model is told of. */
export interface PiToolInfo {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: unknown;
}

/** The model that pi asks. */
export interface PiModel {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
  readonly contextWindow?: number | undefined;
}

/** What handlers are told besides their event. */
export interface PiContext {
  readonly model?: PiModel | undefined;
  readonly sessionManager: PiSessionManager;
  readonly signal?: AbortSignal | undefined;
  readonly ui?: { notify?(text: string, kind?: 'info' | 'warning' | 'error'): void } | undefined;
  getSystemPrompt?(): string;
}

/** The session of pi that is open: a tree of entries, and where in it the conversation stands. */
export interface PiSessionManager {
  getSessionId(): string;
  /** Absent for a session that is not kept. */
  getSessionFile(): string | undefined;
  /** From the root to where the conversation stands. */
  getBranch(): readonly PiEntry[];
  getHeader?(): { readonly parentSession?: string | undefined } | null | undefined;
}

/** An entry of pi's session. */
export interface PiEntry {
  readonly type: string;
  readonly id: string;
  readonly message?: PiMessage | undefined;
  readonly [field: string]: unknown;
}
