import type { ProviderRule } from '../provider-rule.ts';
import { callRules } from './call-rules.ts';
import { turnRules } from './turn-rules.ts';

/** What Gemini's generateContent refuses. The model, which is in the address, may be named in the body. */
export const geminiRules: readonly ProviderRule[] = [...turnRules, ...callRules];
