import type { ErrorFixture } from './error-fixture.ts';

const github = (thread: string) => `https://github.com/${thread}`;

/** Too much at once, or an account that may not: many of these speak of tokens. */
export const accountFixtures: readonly ErrorFixture[] = [
  {
    provider: 'anthropic',
    kind: 'rate',
    status: 429,
    source: github('bhouston/mycoder/issues/62'),
    quote:
      '{ "type": "error", "error": { "type": "rate_limit_error", "message": "This request would exceed the rate limit for your organization (d3f27ff7-9afe-4ee2-9645-76ecfc73c2b7) of 40,000 input tokens per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later." } }',
  },
  {
    provider: 'groq',
    kind: 'rate',
    given: 6294,
    limit: 6000,
    source: github('elizaOS/eliza/issues/4040'),
    quote:
      'Request too large for model `llama-3.1-8b-instant` in organization `xxxx` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 6294, please reduce your message size and try again. Visit https://console.groq.com/docs/rate-limits for more information.',
  },
  {
    provider: 'groq',
    kind: 'rate',
    given: 1443,
    limit: 6000,
    source: github('elizaOS/eliza/issues/4040'),
    quote:
      'Rate limit reached for model `llama-3.1-8b-instant` in organization `org_01j5b4pz9jff492fq686vypsx6` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.',
  },
  {
    provider: 'groq',
    kind: 'rate',
    status: 413,
    given: 14368,
    limit: 6000,
    source: github('assafelovic/gpt-researcher/issues/985'),
    quote:
      "Error code: 413 - {'error': {'message': 'Request too large for model `llama-3.1-70b-versatile` in organization `org_01hw8f0aa0ekmrn70ffm2zkdv1` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again. Visit https://console.groq.com/docs/rate-limits for more information.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
  },
  {
    provider: 'openai-chat',
    kind: 'rate',
    status: 429,
    given: 342389,
    limit: 30000,
    source: github('vanna-ai/vanna-flask/issues/11'),
    quote:
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.',
  },
  {
    provider: 'azure',
    kind: 'rate',
    status: 429,
    source: github('alex-wolf-ps/dbchatprov2/issues/2'),
    quote:
      'HTTP 429 (429) Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-05-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.',
  },
  {
    provider: 'gemini',
    kind: 'rate',
    status: 429,
    source: github('google-gemini/gemini-cli/issues/8437'),
    quote:
      "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.', 'status': 'RESOURCE_EXHAUSTED', 'details': [{'@type': 'type.googleapis.com/google.rpc.QuotaFailure', 'violations': [{'quotaMetric': 'generativelanguage.googleapis.com/generate_content_free_tier_input_token_count', 'quotaId': 'GenerateContentInputTokensPerModelPerMinute-FreeTier'",
  },
  {
    provider: 'bedrock',
    kind: 'rate',
    status: 429,
    source: github('RooCodeInc/Roo-Code/issues/5050'),
    quote: 'Too many tokens, please wait before trying again.',
  },
  {
    provider: 'bedrock',
    kind: 'rate',
    source: github('minorun365/agent-book/issues/29'),
    quote:
      'An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4): Too many tokens per day, please wait before trying again.',
  },
  {
    provider: 'openai-chat',
    kind: 'auth',
    status: 429,
    source: github('Pythagora-io/gpt-pilot/issues/340'),
    quote:
      '{ "error": { "message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "param": null, "code": "insufficient_quota" } }',
  },
  {
    provider: 'anthropic',
    kind: 'auth',
    status: 400,
    source: github('anthropics/claude-quickstarts/issues/229'),
    quote:
      "{'type': 'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.'}}",
  },
  {
    provider: 'openrouter',
    kind: 'auth',
    status: 402,
    source: github('babikov/doka-site/issues/7'),
    quote:
      '{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 10114. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account","code":402,"metadata":{"provider_name":null}},"user_id":"user_"}',
  },
  {
    provider: 'openrouter',
    kind: 'auth',
    source: github('anomalyco/opencode/issues/12219'),
    quote:
      'Prompt tokens limit exceeded: 230799 > 91442. To increase, visit https://openrouter.ai/settings/keys and create a key with a higher monthly limit',
  },
  {
    provider: 'anthropic',
    kind: 'auth',
    status: 401,
    source: github('eyaltoledano/claude-task-master/issues/222'),
    quote: '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
  },
  {
    provider: 'openai-chat',
    kind: 'auth',
    status: 401,
    source: github('dan1471/FREE-openai-api-keys/issues/48'),
    quote:
      "Error code: 401 - {'error': {'message': 'Incorrect API key provided: sk-uvwx5*******************************5678. You can find your API key at https://platform.openai.com/account/api-keys.', 'type': 'invalid_request_error', 'param': None, 'code': 'invalid_api_key'}}",
  },
];
