import { type Draft, mostLeadTokens, type Tokens } from '@varve/core';

/** How large a prompt may be, and how much of that is left. */
export interface SizeLimits {
  /** What shares are taken of: the budget, or the model's window where there is no limit. */
  readonly most: Tokens;
  /** Tokens that the draft may take, and how many more it can. */
  readonly limit: Tokens;
  readonly left: Tokens;
}

/** Works out what there is room for below the hard limit of a draft. */
export function sizeLimits(draft: Draft): SizeLimits {
  const { budget, tokens } = draft;
  const most = budget.input === Infinity ? budget.window : budget.input;
  const hard = budget.hard === Infinity ? most : budget.hard;
  const limit = Math.max(0, Math.floor(hard - budget.reserved - mostLeadTokens(draft)));
  return { most, limit, left: limit - tokens };
}
