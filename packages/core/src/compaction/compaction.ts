import type { Budget, PressureLevel } from '../budget.ts';
import type { Draft } from '../draft/draft.ts';
import type { CompactionEntry, CompactionRange, CompactTrigger, Edit, MessageEntry } from '../journal/entry.ts';
import type { Seq, Tokens } from '../units.ts';

/** How full the next prompt would be, as `shouldCompact` is asked. */
export interface Pressure {
  readonly tokens: Tokens;
  readonly budget: Budget;
  readonly level: PressureLevel;
  readonly trigger: CompactTrigger;
  /** Number of visible messages. */
  readonly messages: number;
  /** The prompt as it would be now. */
  readonly draft: Draft;
}

/** Wishes about a plan; core holds the rest: legal cuts, whole groups, the running turn. */
export interface PlanOptions {
  /** Tokens of recent messages to keep, capped at their share of the target. @default the share */
  readonly keepTokens?: Tokens | undefined;
  /** Results older than this many assistant messages are masked in what is kept; `null` masks none. @default 2 */
  readonly maskAfterAssistants?: number | null | undefined;
  /** Share of what is above the fixed part that the digest's facts may take; recent messages get the less. @default 0.15 */
  readonly ledgerShare?: number | undefined;
  /** Share of the target to aim at. @default 1 */
  readonly scale?: number | undefined;
  /** Last resort: shorten even results that the model has not read, when nothing else makes the prompt fit. */
  readonly parkUnread?: boolean | undefined;
}

/** What `beforeCompact` and `compact` taps are given. */
export interface CompactRequest {
  readonly trigger: CompactTrigger;
  readonly instructions: string | null;
  readonly budget: Budget;
  /** The prompt as it would be now. */
  readonly draft: Draft;
  /** Core's plan for this request. Pure: asking costs nothing and changes nothing. */
  defaultPlan(options?: PlanOptions): Plan | Refusal;
}

/** One thing that a plan does. */
export type PlanAction =
  | { readonly op: 'summarise'; readonly groups: readonly string[]; readonly rule: string; readonly tokens: Tokens }
  | { readonly op: 'edit'; readonly edits: readonly Edit[]; readonly rule: string; readonly tokens: Tokens };

/** What a compaction would do: no summary text, no model, nothing done yet. Only `session.commit` carries it out. */
export interface Plan {
  /** The journal that the plan was made for, and its last entry then. Stale in another journal, or once the head has moved. */
  readonly base: { readonly sessionId: string; readonly seq: Seq };
  readonly trigger: CompactTrigger;
  readonly instructions: string | null;
  /** Whole groups. `held` is a forecast: core works it out again when it carries the plan out. */
  readonly range: CompactionRange;
  readonly actions: readonly PlanAction[];
  /** Tokens before, and about after. */
  readonly expect: { readonly tokensBefore: Tokens; readonly tokensAfter: Tokens };
  /** Sizes of the digest's parts, in tokens. */
  readonly shares: { readonly userLogTokens: Tokens; readonly ledgerTokens: Tokens; readonly proseTokens: Tokens };
  /** Who made the plan. */
  readonly by: { readonly plugin: string; readonly version: string };
}

/** Why there is no plan. */
export interface Refusal {
  readonly refused: 'nothing-to-do' | 'irreducible';
  readonly why: string;
}

/** What `summarize` taps are given: all entries that the prose stands for, as data. */
export interface SummarizeRequest {
  readonly trigger: CompactTrigger;
  /** The entries that are newly covered, oldest first. */
  readonly entries: readonly MessageEntry[];
  /**
   * The user's message whose turn goes on behind the entries, when they end inside a turn: the entries behind it are
   * the beginning of that turn. It stays in the prompt itself. `null` when they end with a turn.
   */
  readonly held: MessageEntry | null;
  /** Prose of the compaction before: what the new one stands for, too. */
  readonly previousProse: string | null;
  readonly instructions: string | null;
  /** Prose that is longer is not taken. */
  readonly maxTokens: Tokens;
}

/** Prose with what is to be known of it. */
export interface Prose {
  readonly text: string;
  /** What the plugin did to the prose, in a word: `completed` when it added what the model had left out. @default none */
  readonly quality?: string | undefined;
  /** The model that wrote it, as `provider/model`. @default none */
  readonly model?: string | undefined;
}

/** How a compaction ended. */
export interface CompactOutcome {
  readonly status:
    | 'compacted'
    | 'nothing-to-do'
    | 'below-threshold'
    | 'stale'
    | 'irreducible'
    | 'blocked'
    | 'aborted'
    | 'failed';
  readonly why: string;
  readonly trigger: CompactTrigger;
  /** The committed entry. */
  readonly entry: CompactionEntry | null;
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
}

/** True for a refusal. */
export function isRefusal(plan: Plan | Refusal): plan is Refusal {
  return 'refused' in plan;
}
