import { VarveError } from './errors.ts';
import type { ModelFacts } from './model-registry.ts';
import type { Tokens } from './units.ts';

/** How large prompts may be. All sizes in tokens of the session's counter. */
export interface BudgetOptions {
  /** The model's context window, in place of what the registry of models says. @default what the registry says */
  readonly windowTokens?: Tokens | undefined;
  /**
   * Most of a window that is used, for all models. Where nobody knows the window, this is it.
   *
   * @default the whole window; where nobody knows it, `inputTokens` if that is given, else 200 000
   */
  readonly contextTokens?: Tokens | undefined;
  /** The prompt's budget itself, instead of what the window leaves, within a window that is known; `null` = no limit. */
  readonly inputTokens?: Tokens | null | undefined;
  /** Share of the window that is left for the answer. @default 0.2 */
  readonly outputReserveRatio?: number | undefined;
  /** Tokens of system prompt and tools that the host sends besides what is in the prompt. @default 0 */
  readonly reservedTokens?: Tokens | undefined;
  /** Further distance to keep; of a small window, at most a quarter. @default 0 */
  readonly safetyTokens?: Tokens | undefined;
  /**
   * Most bytes of a prompt, as UTF-8, images and files in base64 included; `null` = no limit.
   *
   * @default what the registry of models says of a request's size, else no limit
   */
  readonly inputBytes?: number | null | undefined;
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
  /** Most bytes of layers and messages: those of the tools are taken off. */
  readonly inputBytes: number;
  /** How many of the model's tokens one counted token has proved to be; `input` is that much smaller, or larger. */
  readonly factor: number;
}

/** How full a prompt is: within `soft`, within `hard`, within `input`, or over it. */
export type PressureLevel = 'none' | 'soft' | 'hard' | 'overflow';

/** Window of a model that nobody described: the smallest that today's large models have. */
const defaultContextTokens = 200_000;
/** Share of a window that is left for the answer where the options say nothing. */
export const defaultOutputReserve = 0.2;
const hardShare = 0.95;
const softShare = 0.8;
/** A distance that is meant for large windows must not fill a small one. */
const mostSafetyShare = 0.25;
/** A prompt that was rebuilt at this share of what is above the fixed part can grow for a while before the next time. */
const targetShare = 0.7;

/** What is known of the prompt that a budget is for, and of the model that is asked. */
export interface BudgetUse {
  /** Tokens and bytes of the tools. @default 0 */
  readonly toolTokens?: Tokens | undefined;
  readonly toolBytes?: number | undefined;
  /** Tokens of the system layers, and of the other layers. @default 0 */
  readonly systemTokens?: Tokens | undefined;
  readonly layerTokens?: Tokens | undefined;
  /** What the model has shown to take at most, in counted tokens, whatever the options say. @default no limit */
  readonly ceilingTokens?: Tokens | undefined;
  /** What the registry says of the model. @default nothing */
  readonly facts?: Pick<ModelFacts, 'contextTokens' | 'maxInputTokens' | 'requestBytes'> | undefined;
  /** See {@link Budget.factor}. @default 1 */
  readonly factor?: number | undefined;
}

/**
 * Works out the budget of one prompt, for one model.
 *
 * @param options  What the host allows.
 * @throws VARVE_BUDGET_INVALID  for a number that makes no sense, or an option that does not exist.
 * @throws VARVE_BUDGET_IMPOSSIBLE  when the fixed part alone does not fit.
 */
export function resolveBudget(options: BudgetOptions, use: BudgetUse = {}): Budget {
  checkBudget(options);
  const { reservedTokens = 0, inputBytes = use.facts?.requestBytes ?? null } = options;
  const { toolTokens = 0, systemTokens = 0, layerTokens = 0, ceilingTokens = Infinity, factor = 1 } = use;
  const window = windowFor(options, use.facts);
  const allowed = allowedInput(options, { window, facts: use.facts });
  const input = Math.min(Math.floor(allowed / factor), ceilingTokens);
  const reserved = reservedTokens + toolTokens;
  const fixed = reserved + systemTokens;
  if (!(input >= 1) || fixed >= input) throw impossible({ input, reservedTokens, toolTokens, systemTokens });
  const hard = hardShare * input;
  return {
    window: allowed === Infinity ? window : Math.max(window, allowed),
    input,
    hard,
    soft: softShare * input,
    target: targetAbove(fixed, hard),
    fixed,
    reserved,
    history: Math.max(0, input - fixed - layerTokens),
    inputBytes: inputBytes === null ? Infinity : Math.max(0, inputBytes - (use.toolBytes ?? 0)),
    factor,
  };
}

/** Size that a compaction brings a prompt down to whose fixed part, and whose mark where one is due, are known. */
export function targetAbove(fixed: Tokens, hard: Tokens): Tokens {
  return hard === Infinity ? Infinity : Math.min(hard, fixed + targetShare * Math.max(0, hard - fixed));
}

/**
 * The model's window, as far as anybody knows it; `null` where all that is known is how large prompts may be.
 */
export function knownWindow(options: BudgetOptions, facts: BudgetUse['facts']): Tokens | null {
  const known = options.windowTokens ?? facts?.contextTokens;
  if (known !== undefined) return Math.min(known, options.contextTokens ?? Infinity);
  return options.contextTokens ?? (options.inputTokens === undefined ? defaultContextTokens : null);
}

/** Without a window of its own, a model is taken to be as large as its prompt may be. */
function windowFor(options: BudgetOptions, facts: BudgetUse['facts']): Tokens {
  const { inputTokens } = options;
  const asInput = typeof inputTokens === 'number' && inputTokens > 0 ? inputTokens : defaultContextTokens;
  return knownWindow(options, facts) ?? asInput;
}

/** What the whole prompt may take, in the model's own tokens. */
function allowedInput(
  options: BudgetOptions,
  { window, facts }: { readonly window: Tokens; readonly facts: BudgetUse['facts'] },
): Tokens {
  const { inputTokens, outputReserveRatio = defaultOutputReserve, safetyTokens = 0 } = options;
  if (inputTokens === null) return Infinity;
  const safety = Math.min(safetyTokens, Math.floor(window * mostSafetyShare));
  const fromWindow = Math.floor(window * (1 - outputReserveRatio)) - safety;
  const isKnown = options.windowTokens !== undefined || facts !== undefined;
  return Math.min(inputTokens ?? fromWindow, isKnown ? window : Infinity, facts?.maxInputTokens ?? Infinity);
}

const optionNames: ReadonlySet<string> = new Set<keyof BudgetOptions>([
  'windowTokens',
  'contextTokens',
  'inputTokens',
  'outputReserveRatio',
  'reservedTokens',
  'safetyTokens',
  'inputBytes',
]);

/**
 * Checks the options themselves: whether anything fits is another question.
 *
 * @throws VARVE_BUDGET_INVALID  for a number that makes no sense, or an option that does not exist.
 */
export function checkBudget(options: BudgetOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new VarveError('VARVE_BUDGET_INVALID', 'The budget is not an object.', {
      fix: 'Give { inputTokens } or another option of the type BudgetOptions.',
    });
  }
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) {
    throw new VarveError('VARVE_BUDGET_INVALID', `There is no budget option "${unknown}".`, {
      fix: `Use one of: ${[...optionNames].join(', ')}.`,
      details: { path: unknown },
    });
  }
  if (!isLimit(options.inputTokens)) {
    throw invalid('inputTokens', options.inputTokens, 'a positive number of tokens, or null for no limit');
  }
  checkNumber('windowTokens', options.windowTokens, { least: 1 });
  checkNumber('contextTokens', options.contextTokens, { least: 1 });
  checkNumber('outputReserveRatio', options.outputReserveRatio, { least: 0, most: 0.99 });
  checkNumber('reservedTokens', options.reservedTokens, { least: 0 });
  checkNumber('safetyTokens', options.safetyTokens, { least: 0 });
  checkNumber('inputBytes', options.inputBytes ?? undefined, { least: 1 });
}

function checkNumber(
  name: string,
  value: number | undefined,
  range: { readonly least: number; readonly most?: number },
): void {
  const { least, most = Number.MAX_SAFE_INTEGER } = range;
  if (value === undefined || (typeof value === 'number' && value >= least && value <= most)) return;
  throw invalid(name, value, `a number from ${least} to ${most}`);
}

/** Numbers below 1 are for {@link impossible}: a host that works its limit out gets there when nothing is left. */
function isLimit(inputTokens: BudgetOptions['inputTokens']): boolean {
  if (inputTokens === undefined || inputTokens === null) return true;
  return typeof inputTokens === 'number' && inputTokens <= Number.MAX_SAFE_INTEGER;
}

function invalid(name: string, value: unknown, expected: string): VarveError {
  return new VarveError(
    'VARVE_BUDGET_INVALID',
    `Budget option "${name}" is ${typeof value === 'object' && value !== null ? 'an object' : String(value)}.`,
    {
      fix: `Give ${expected}.`,
      details: { path: name, value },
    },
  );
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
