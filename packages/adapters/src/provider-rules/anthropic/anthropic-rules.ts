import type { ProviderRule } from '../provider-rule.ts';
import { cacheRules } from './cache-rules.ts';
import { callRules } from './call-rules.ts';
import { conversationRules } from './conversation-rules.ts';
import { limitRules } from './limit-rules.ts';
import { thinkingRules } from './thinking-rules.ts';
import { toolRules } from './tool-rules.ts';

/** What Anthropic's Messages API refuses. */
export const anthropicRules: readonly ProviderRule[] = [
  ...conversationRules,
  ...callRules,
  ...toolRules,
  ...thinkingRules,
  ...cacheRules,
  ...limitRules,
];
