import type { ProviderRule } from '../provider-rule.ts';
import { callRules } from './call-rules.ts';
import { functionRules } from './function-rules.ts';
import { itemRules } from './item-rules.ts';

/** What OpenAI's Responses API, or servers that speak it, refuse. */
export const openaiResponsesRules: readonly ProviderRule[] = [...itemRules, ...callRules, ...functionRules];
