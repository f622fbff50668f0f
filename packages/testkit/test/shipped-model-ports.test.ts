import { describeModelPort } from '@varve/testkit/vitest';
import { openAnthropicModel, openOpenAIChatModel, openOpenAIResponsesModel } from './subjects/shipped-model-ports.ts';

describeModelPort("the port of Anthropic's Messages API", openAnthropicModel);
describeModelPort("the port of OpenAI's Chat Completions API", openOpenAIChatModel);
describeModelPort("the port of OpenAI's Responses API", openOpenAIResponsesModel);
