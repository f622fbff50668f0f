import type { JudgedPrompt } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';

/** A prompt that is asked for. */
export interface Ask {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What the prompt is to answer; strategies that look nothing up ignore it. */
  readonly query: string;
  /** Whether the conversation goes on as if nobody had asked. */
  readonly isTrial: boolean;
}

/** One conversation under one strategy. It knows nothing but the turns that it was given: there is no looking ahead. */
export interface StrategyRun {
  take(turn: Turn): Promise<void>;
  /** `null` when the strategy cannot make a prompt. */
  request(ask: Ask): Promise<JudgedPrompt | null>;
  close(): Promise<void>;
  /**
   * Looks an identifier up in the conversation as a model could with a tool: texts found, best first. Absent where a
   * strategy has no such tool.
   */
  readonly lookUp?: ((identifier: string) => Promise<readonly string[]>) | undefined;
}

/** A way of choosing what of a conversation is sent. */
export interface Strategy {
  readonly name: string;
  /** `product`: through Varve's host and session. `peer`: what others ship. `reference`: what both are held against. */
  readonly family: 'product' | 'peer' | 'reference';
  /** Where it comes from: a package with its version, or the rules that were followed. */
  readonly source: string;
  /** Begins a conversation. */
  open(budgetTokens: number): Promise<StrategyRun>;
}

/** A strategy that is not there, and why. */
export interface MissingStrategy {
  readonly name: string;
  readonly why: string;
}
