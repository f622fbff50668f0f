import { VarveError } from './errors.ts';
import type { Tokens } from './units.ts';

/** How large prompts may be. All sizes in tokens of the session's counter. */
export interface BudgetOptions {
  /** The model's context window. @default `inputTokens` if that is given, else 200 000 */
  readonly contextTokens?: Tokens | undefined;
  /** The prompt's budget itself, instead of what the window leaves; `null` = no limit. */
  readonly inputTokens?: Tokens | null | undefined;
  /** Share of the window that is left for the answer. @default 0.2 */
  readonly outputReserveRatio?: number | undefined;
  /** Tokens of system prompt and tools that the host sends besides what is in the prompt. @default 0 */
  readonly reservedTokens?: Tokens | undefined;
  /** Further distance to keep. @default 0 */
  readonly safetyTokens?: Tokens | undefined;
}

/** The numbers that one assembly or compaction works with. `Infinity` where there is no limit. */
export interface Budget {
  /** The model's context window. */
  readonly window: Tokens;
  /** What the whole prompt may take, reserved tokens included. */
  readonly input: Tokens;
  /** Above it a compaction is due. */
  readonly hard: Tokens;
  /** Above it a background compaction may begin. */
  readonly soft: Tokens;
  /** Size that a compaction brings the prompt down to. */
  readonly target: Tokens;
  /** Tokens of the system layers and of what the host sends besides; no compaction makes them fewer. */
  readonly fixed: Tokens;
  /** The part of `fixed` that is not in the prompt. */
  readonly reserved: Tokens;
  /** What is left for history and the running turn. */
  readonly history: Tokens;
}

/** How full a prompt is: within `soft`, within `hard`, within `input`, or over it. */
export type PressureLevel = 'none' | 'soft' | 'hard' | 'overflow';

/** Window of a model that nobody described: the smallest that today's large models have. */
const defaultContextTokens = 200_000;
const defaultOutputReserve = 0.2;
const hardShare = 0.95;
const softShare = 0.8;
/** A prompt that was rebuilt at this share of what is above the fixed part can grow for a while before the next time. */
const targetShare = 0.7;

/**
 * Works out the budget of one prompt.
 *
 * @param options  What the host allows.
 * @param use  Tokens of the tools, of the system layers, and of the other layers of this prompt.
 * @throws VARVE_BUDGET_INVALID  for a number that makes no sense.
 * @throws VARVE_BUDGET_IMPOSSIBLE  when the fixed part alone does not fit.
 */
export function resolveBudget(
  options: BudgetOptions,
  use: { readonly toolTokens?: Tokens; readonly systemTokens?: Tokens; readonly layerTokens?: Tokens } = {},
): Budget {
  const { contextTokens = windowFor(options), outputReserveRatio = defaultOutputReserve } = options;
  const { reservedTokens = 0, safetyTokens = 0 } = options;
  const { toolTokens = 0, systemTokens = 0, layerTokens = 0 } = use;
  checkNumber('contextTokens', contextTokens, { least: 1 });
  checkNumber('outputReserveRatio', outputReserveRatio, { least: 0, most: 0.99 });
  checkNumber('reservedTokens', reservedTokens, { least: 0 });
  checkNumber('safetyTokens', safetyTokens, { least: 0 });
  const fromWindow = Math.floor(contextTokens * (1 - outputReserveRatio)) - toolTokens - safetyTokens;
  const input = options.inputTokens === null ? Infinity : (options.inputTokens ?? fromWindow);
  if (options.inputTokens !== null) checkNumber('inputTokens', input, { least: -Infinity });
  const fixed = reservedTokens + systemTokens;
  if (input < 1 || fixed >= input) throw impossible({ input, reservedTokens, systemTokens });
  const hard = hardShare * input;
  return {
    window: contextTokens,
    input,
    hard,
    soft: softShare * input,
    target: input === Infinity ? Infinity : Math.min(hard, fixed + targetShare * Math.max(0, hard - fixed)),
    fixed,
    reserved: reservedTokens,
    history: Math.max(0, input - fixed - layerTokens),
  };
}

/** Without a window of its own, a model is taken to be as large as its prompt may be. */
function windowFor({ inputTokens }: BudgetOptions): Tokens {
  return typeof inputTokens === 'number' && inputTokens > 0 ? inputTokens : defaultContextTokens;
}

function checkNumber(name: string, value: number, range: { readonly least: number; readonly most?: number }): void {
  const { least, most = Number.MAX_SAFE_INTEGER } = range;
  if (typeof value === 'number' && value >= least && value <= most) return;
  throw new VarveError('VARVE_BUDGET_INVALID', `Budget option "${name}" is ${value}.`, {
    fix: `Give a number from ${least} to ${most}.`,
    details: { name, value },
  });
}

function impossible(parts: { input: Tokens; reservedTokens: Tokens; systemTokens: Tokens }): VarveError {
  const { input, reservedTokens, systemTokens } = parts;
  const fixed = `${reservedTokens} reserved and ${systemTokens} in system layers`;
  return new VarveError('VARVE_BUDGET_IMPOSSIBLE', `A budget of ${input} tokens cannot hold ${fixed}.`, {
    fix: 'Raise the budget, or shorten the system prompt, the tools or the system layers.',
    details: parts,
  });
}
