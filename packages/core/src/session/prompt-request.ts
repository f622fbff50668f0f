import type { Layer } from '../draft/layer.ts';
import type { JsonValue } from '../json-value.ts';
import type { ModelRef } from '../model-ref.ts';
import type { Tokens } from '../units.ts';
import type { CollectedShelf } from './collected.ts';
import type { RunFacts } from './session-runtime.ts';

/** What a prompt is asked for. */
export interface AssembleOptions {
  readonly model: ModelRef;
  /** Definitions of the tools that the host sends along; they count against the budget. */
  readonly tools?: readonly JsonValue[] | undefined;
  /** What the prompt is to answer, for plugins that look things up. @default none */
  readonly query?: string | undefined;
  /** Stores nothing: no edits, no request. The bytes are the same. @default false */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the first draft of a prompt is made for. */
export interface DraftRequest extends Pick<AssembleOptions, 'model' | 'tools'> {
  /** Most counted tokens of the prompt with its tools, for this request alone. @default what the model has shown */
  readonly ceilingTokens?: Tokens | undefined;
  /** Layers of plugins that it has beside core's own, with the room that they were given. @default none */
  readonly layers?: readonly Layer[] | undefined;
}

/** What core itself asks of a prompt or a compaction. */
export interface PromptRequest extends AssembleOptions, Pick<DraftRequest, 'ceilingTokens'> {
  /** Where a compaction leaves what it had collected, for the prompt behind it. @default each collects for itself */
  readonly shelf?: CollectedShelf | undefined;
  /** The turn that it belongs to, for one that goes on when that turn may have ended. @default the turn that runs */
  readonly turn?: RunFacts['turn'];
}
