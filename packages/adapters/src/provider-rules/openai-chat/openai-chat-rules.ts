import type { ProviderRule } from '../provider-rule.ts';
import { callRules } from './call-rules.ts';
import { functionRules } from './function-rules.ts';
import { messageRules } from './message-rules.ts';

/** What the Chat Completions API, or servers that speak it, refuse. */
export const openaiChatRules: readonly ProviderRule[] = [...messageRules, ...callRules, ...functionRules];
