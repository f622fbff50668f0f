import { VarveError } from './errors.ts';
import type { Tokens } from './units.ts';

/** How large prompts may be. All sizes in tokens of the session's counter. */
export interface BudgetOptions {
  /** The model's context window; taken to be at least `inputTokens`. @default `inputTokens` if that is given, else 200 000 */
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
  /** What the whole prompt may take, tools and reserved tokens included. */
  readonly input: Tokens;
  /** Above it a compaction is due. */
  readonly hard: Tokens;
  /** Above it a background compaction may begin. */
  readonly soft: Tokens;
  /** Size that a compaction brings the prompt down to. */
  readonly target: Tokens;
  /** Tokens of the system layers, of the tools and of what the host sends besides; no compaction makes them fewer. */
  readonly fixed: Tokens;
  /** The part of `fixed` that is not in the prompt: `reservedTokens` and the tools. */
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
  if (!isLimit(options.inputTokens)) {
    throw invalid('inputTokens', options.inputTokens, 'a positive number of tokens, or null for no limit');
  }
  checkNumber('contextTokens', contextTokens, { least: 1 });
  checkNumber('outputReserveRatio', outputReserveRatio, { least: 0, most: 0.99 });
  checkNumber('reservedTokens', reservedTokens, { least: 0 });
  checkNumber('safetyTokens', safetyTokens, { least: 0 });
  const fromWindow = Math.floor(contextTokens * (1 - outputReserveRatio)) - safetyTokens;
  const input = options.inputTokens === null ? Infinity : (options.inputTokens ?? fromWindow);
  const reserved = reservedTokens + toolTokens;
  const fixed = reserved + systemTokens;
  if (input < 1 || fixed >= input) throw impossible({ input, reservedTokens, toolTokens, systemTokens });
  const hard = hardShare * input;
  return {
    window: input === Infinity ? contextTokens : Math.max(contextTokens, input),
    input,
    hard,
    soft: softShare * input,
    target: input === Infinity ? Infinity : Math.min(hard, fixed + targetShare * Math.max(0, hard - fixed)),
    fixed,
    reserved,
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
  throw invalid(name, value, `a number from ${least} to ${most}`);
}

/** Numbers below 1 are for {@link impossible}: a host that works its limit out gets there when nothing is left. */
function isLimit(inputTokens: BudgetOptions['inputTokens']): boolean {
  if (inputTokens === undefined || inputTokens === null) return true;
  return typeof inputTokens === 'number' && inputTokens <= Number.MAX_SAFE_INTEGER;
}

function invalid(name: string, value: unknown, expected: string): VarveError {
  return new VarveError('VARVE_BUDGET_INVALID', `Budget option "${name}" is ${String(value)}.`, {
    fix: `Give ${expected}.`,
    details: { name, value },
  });
}

function impossible(parts: {
  readonly input: Tokens;
  readonly reservedTokens: Tokens;
  readonly toolTokens: Tokens;
  readonly systemTokens: Tokens;
}): VarveError {
  const { input, reservedTokens, toolTokens, systemTokens } = parts;
  const fixed = `${reservedTokens} reserved, ${toolTokens} of tools and ${systemTokens} in system layers`;
  return new VarveError('VARVE_BUDGET_IMPOSSIBLE', `A budget of ${input} tokens cannot hold ${fixed}.`, {
    fix: 'Raise the budget, or shorten the system prompt, the tools or the system layers.',
    details: parts,
  });
}
