import { describeAdapter } from '@varve/testkit/vitest';
import { anthropicAdapter, openaiChatAdapter, openaiResponsesAdapter } from './subjects/shipped-adapters.ts';

describeAdapter("the adapter of Anthropic's Messages API", anthropicAdapter);
describeAdapter("the adapter of OpenAI's Chat Completions API", openaiChatAdapter);
describeAdapter("the adapter of OpenAI's Responses API", openaiResponsesAdapter);
