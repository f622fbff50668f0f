import type { ErrorFixture } from './error-fixture.ts';

const github = (thread: string) => `https://github.com/${thread}`;
const messageOf = (limit: number, given: number) =>
  `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${given} tokens. Please reduce the length of the messages.`;
const requested = (limit: number, parts: string) =>
  `This model's maximum context length is ${limit} tokens. However, you requested ${parts}. Please reduce the length of the messages or completion.`;
const anthropic = (message: string) =>
  `{"type":"error","error":{"type":"invalid_request_error","message":"${message}"}}`;

/** Inputs that are too long for the large providers. */
export const largeProviders: readonly ErrorFixture[] = [
  {
    provider: 'anthropic',
    kind: 'input',
    status: 400,
    given: 208310,
    limit: 200000,
    source: github('anthropics/claude-code/issues/12186'),
    quote:
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"req_011CVQe1dLrGNMJyE1ghG1av"}',
  },
  {
    provider: 'anthropic',
    kind: 'input',
    status: 400,
    given: 208656,
    limit: 200000,
    source: github('sojohnnysaid/project-guide/issues/2'),
    quote:
      "Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 208656 tokens > 200000 maximum'}}",
  },
  {
    provider: 'anthropic',
    kind: 'input',
    status: 400,
    given: 178959,
    limit: 200000,
    source: github('docker/docker-agent/issues/569'),
    quote:
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
  },
  {
    provider: 'anthropic',
    kind: 'input',
    status: 400,
    given: 199759,
    limit: 200000,
    source: github('continuedev/continue/issues/6080'),
    quote: anthropic(
      'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    ),
  },
  {
    provider: 'openai-chat',
    kind: 'input',
    status: 400,
    given: 202868,
    limit: 128000,
    source: github('bytedance/deer-flow/issues/310'),
    quote:
      "This model\\'s maximum context length is 128000 tokens. However, your messages resulted in 202868 tokens (202767 in the messages, 101 in the functions). Please reduce the length of the messages or functions.",
  },
  {
    provider: 'openai-chat',
    kind: 'input',
    given: 4294,
    limit: 4097,
    source: github('chathub-dev/chathub/issues/126'),
    quote: `{"error":{"message":"${messageOf(4097, 4294)}","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
  },
  {
    provider: 'openai-chat',
    kind: 'input',
    given: 3703,
    limit: 4097,
    source: github('The-Vibe-Company/quivr/issues/505'),
    quote: requested(4097, '4203 tokens (3703 in the messages, 500 in the completion)'),
  },
  {
    provider: 'openai-completions',
    kind: 'input',
    given: 2049,
    limit: 2049,
    source: github('stanford-crfm/helm/issues/94'),
    quote:
      "This model's maximum context length is 2049 tokens, however you requested 2054 tokens (2049 in your prompt, 5 for the completion). Please reduce your prompt or completion length.",
  },
  {
    provider: 'openai-responses',
    kind: 'input',
    source: github('anomalyco/opencode/issues/6071'),
    quote:
      '{"type":"error","sequence_number":2,"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again.","param":"input"}}',
  },
  {
    provider: 'openai-responses',
    kind: 'input',
    source: github('onyx-dot-app/onyx/issues/6051'),
    quote: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  {
    provider: 'azure',
    kind: 'input',
    status: 400,
    given: 192041,
    limit: 128000,
    source: github('assafelovic/gpt-researcher/issues/680'),
    quote: messageOf(128000, 192041),
  },
  {
    provider: 'azure',
    kind: 'input',
    status: 400,
    given: 3177,
    limit: 4096,
    source: github('Azure-Samples/azure-search-openai-demo/issues/1199'),
    quote: requested(4096, '4201 tokens (3177 in the messages, 1024 in the completion)'),
  },
  {
    provider: 'gemini',
    kind: 'input',
    status: 400,
    given: 1200293,
    limit: 1048576,
    source: github('google-gemini/gemini-cli/issues/6678'),
    quote: 'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
  },
  {
    provider: 'gemini',
    kind: 'input',
    status: 400,
    given: 132478,
    limit: 131072,
    source: github('google-gemini/gemini-cli/issues/4118'),
    quote:
      '{"error":{"code":400,"message":"The input token count (132478) exceeds the maximum number of tokens allowed (131072).","status":"INVALID_ARGUMENT"}}',
  },
  {
    provider: 'gemini',
    kind: 'input',
    status: 400,
    given: 3475108,
    limit: 1048576,
    source: github('google-gemini/gemini-cli/issues/4231'),
    quote:
      '{"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 400,\\n    \\"message\\": \\"The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).\\",\\n    \\"status\\": \\"INVALID_ARGUMENT\\"\\n  }\\n}\\n","code":400,"status":"Bad Request"}}',
  },
  {
    provider: 'vertex',
    kind: 'input',
    status: 400,
    given: 25270,
    limit: 4000,
    source: github('googleapis/python-aiplatform/issues/6336'),
    quote:
      "{'error': {'code': 400, 'message': 'The input token count (25270) exceeds the maximum number of tokens allowed (4000).', 'status': 'INVALID_ARGUMENT'}}",
  },
  {
    provider: 'vertex',
    kind: 'input',
    limit: 1048576,
    source: github('warpdotdev/warp/issues/15662'),
    quote:
      'Vertex AI API error: Error 400, Message: The input token count exceeds the maximum number of tokens allowed 1048576., Status: INVALID_ARGUMENT, Details: []',
  },
  {
    provider: 'bedrock',
    kind: 'input',
    source: github('aws-samples/bedrock-chat/issues/95'),
    quote:
      'An error occurred (validationException) when calling the InvokeModelWithResponseStream operation: Input is too long for requested model.',
  },
  {
    provider: 'bedrock',
    kind: 'input',
    given: 200049,
    limit: 200000,
    source: github('daisuke-awaji/moca/issues/254'),
    quote: 'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum',
  },
  {
    provider: 'bedrock',
    kind: 'input',
    source: github('ryanadoty/Amazon-Bedrock-Amazon-RDS-POC/issues/9'),
    quote:
      'An error occurred (ValidationException) when calling the InvokeModel operation: Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try again.',
  },
  {
    provider: 'groq',
    kind: 'input',
    status: 400,
    source: github('thepersonalaicompany/amurex-backend/issues/51'),
    quote:
      "Error code: 400 - {'error': {'message': 'Please reduce the length of the messages or completion.', 'type': 'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}}",
  },
  {
    provider: 'openrouter',
    kind: 'input',
    status: 400,
    given: 42832,
    limit: 32768,
    source: github('refly-ai/refly/issues/1177'),
    quote:
      '400 This endpoint\'s maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  },
  {
    provider: 'deepseek',
    kind: 'input',
    status: 400,
    given: 62247,
    limit: 65536,
    source: github('FoundationAgents/OpenManus/issues/79'),
    quote: requested(65536, '66343 tokens (62247 in the messages, 4096 in the completion)'),
  },
  {
    provider: 'deepseek',
    kind: 'input',
    status: 400,
    given: 87731,
    limit: 65536,
    source: github('bytedance/deer-flow/issues/66'),
    quote: requested(65536, '87731 tokens (87731 in the messages, 0 in the completion)'),
  },
  {
    provider: 'xai',
    kind: 'input',
    status: 400,
    given: 136973,
    limit: 131072,
    source: github('cline/cline/issues/3120'),
    quote: `400 "This model's maximum prompt length is 131072 but the request contains 136973 tokens."`,
  },
];
