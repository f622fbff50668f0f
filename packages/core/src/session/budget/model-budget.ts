import { type Budget, type BudgetOptions, checkBudget, knownWindow, resolveBudget } from '../../budget.ts';
import type { Draft } from '../../draft/draft.ts';
import { messageOfError, VarveError } from '../../errors.ts';
import type { CarriedState } from '../../journal/carried-state.ts';
import type { JsonValue } from '../../json-value.ts';
import { type ModelRef, nameOfModel } from '../../model-ref.ts';
import type { ModelFacts } from '../../model-registry.ts';
import { counterForImages } from '../../tokens/model-counter.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';
import type { Tokens } from '../../units.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { describeModel } from './describe-model.ts';
import { ceilingOf } from './learned-ceiling.ts';

/** What a budget for one model is worked out from. */
export interface ModelBudget {
  readonly options: BudgetOptions;
  readonly facts: ModelFacts | undefined;
  /** How many of its tokens one counted token has proved to be in this session. */
  readonly factor: number;
  /** What it has shown to take at most, in counted tokens. */
  readonly ceilingTokens: Tokens;
  /** The session's counter, counting images as the model bills them. */
  readonly counter: TokenCounter;
  /** The window, as far as anybody knows it; `null` for nobody. */
  readonly window: Tokens | null;
}

/**
 * What is known of the model that is asked. Worked out anew each time, so that nothing of one model is ever used for
 * another.
 */
export function budgetOptionsFor(runtime: SessionRuntime, model: ModelRef): ModelBudget {
  const { budget, models, counter, journal } = runtime;
  const options = typeof budget === 'function' ? givenBudget(budget, model) : budget;
  const facts = describeModel(models, model);
  const window = knownWindow(options, facts);
  return {
    options,
    facts,
    factor: calibrationFor(journal.state(), model).factor,
    ceilingTokens: ceilingOf(runtime, { model, window }),
    counter: counterForImages(counter, facts?.imageTokens),
    window,
  };
}

/** What a function of the host gave, which may be anything. @throws VARVE_BUDGET_INVALID */
function givenBudget(budget: (model: ModelRef) => BudgetOptions, model: ModelRef): BudgetOptions {
  const options = budgetFrom(budget, model);
  checkBudget(options);
  if (!('then' in options)) return options;
  throw new VarveError('VARVE_BUDGET_INVALID', 'The function that gives the budget is asynchronous.', {
    fix: 'Give the options at once; look them up before the host is made.',
  });
}

function budgetFrom(budget: (model: ModelRef) => BudgetOptions, model: ModelRef): BudgetOptions {
  try {
    return budget(model);
  } catch (cause) {
    if (VarveError.is(cause)) throw cause;
    const text = `The function that gives the budget threw for ${nameOfModel(model)}: ${messageOfError(cause)}`;
    throw new VarveError('VARVE_BUDGET_INVALID', text, { fix: 'Let it give a budget for each model.', cause });
  }
}

/** What reports of a model have shown counted tokens to be, and how many reports: none of one that is not in force. */
export function calibrationFor(
  { model: inForce, calibration }: Pick<CarriedState, 'model' | 'calibration'>,
  model: ModelRef,
): { readonly factor: number; readonly samples: number } {
  if (inForce !== nameOfModel(model)) return { factor: 1, samples: 0 };
  const { factor, samples } = calibration;
  return { factor, samples };
}

const encoder = new TextEncoder();

/** The budget of a prompt for a model that begins as this draft does. */
export function budgetOfDraft(
  { options, facts, factor, ceilingTokens, counter }: ModelBudget,
  { draft, tools = [] }: { readonly draft: Draft; readonly tools?: readonly JsonValue[] | undefined },
): Budget {
  const tokensOf = (place: 'system' | 'other'): Tokens =>
    draft.layers
      .filter((layer) => (layer.place === 'system') === (place === 'system'))
      .reduce((tokens, layer) => tokens + layer.tokens, 0);
  const toolText = tools.length === 0 ? '' : JSON.stringify(tools);
  const toolTokens = toolText === '' ? 0 : counter.count(toolText);
  const systemTokens = tokensOf('system');
  const fixed = (options.reservedTokens ?? 0) + toolTokens + systemTokens;
  return resolveBudget(options, {
    toolTokens,
    toolBytes: encoder.encode(toolText).length,
    systemTokens,
    layerTokens: tokensOf('other'),
    // One that nothing fits into any more would end the session: the model is asked, and refuses or not.
    ceilingTokens: ceilingTokens > fixed ? ceilingTokens : Infinity,
    facts,
    factor,
  });
}
