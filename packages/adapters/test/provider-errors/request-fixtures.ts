import type { ErrorFixture } from './error-fixture.ts';

const github = (thread: string) => `https://github.com/${thread}`;

/** Output limits, bytes, refusals, trouble of the server, and requests that are wrong otherwise. */
export const requestFixtures: readonly ErrorFixture[] = [
  {
    provider: 'anthropic',
    kind: 'output-limit',
    given: 10000,
    limit: 4096,
    source: github('ChatGPTNextWeb/NextChat/issues/4964'),
    quote:
      '{ "type": "error", "error": { "type": "invalid_request_error", "message": "max_tokens: 10000 > 4096, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20240620" } }',
  },
  {
    provider: 'anthropic',
    kind: 'output-limit',
    given: 116650,
    limit: 204648,
    source: github('stackblitz/bolt.new/issues/7414'),
    quote:
      'input length and max_tokens exceed context limit: 90402 + 116650 > 204648, decrease input length or max_tokens and try again',
  },
  {
    provider: 'openai-chat',
    kind: 'output-limit',
    status: 400,
    given: 20480,
    limit: 16384,
    source: github('tailcallhq/forgecode/issues/1185'),
    quote:
      '{ "error": { "message": "max_tokens is too large: 20480. This model supports at most 16384 completion tokens, whereas you provided 20480.", "type": "invalid_request_error", "param": "max_tokens", "code": "invalid_value" } }',
  },
  {
    provider: 'openai-chat',
    kind: 'output-limit',
    given: 8192,
    limit: 8192,
    source: github('ChatGPTNextWeb/NextChat/issues/3195'),
    quote:
      '{ "error": { "message": "This model\'s maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded" } }',
  },
  {
    provider: 'azure',
    kind: 'output-limit',
    given: 1000000,
    limit: 128000,
    source: github('Azure/azure-sdk-for-python/issues/40986'),
    quote:
      "(context_length_exceeded) This model's maximum context length is 128000 tokens. However, you requested 1124171 tokens (124171 in the messages, 1000000 in the completion). Please reduce the length of the messages or completion.",
  },
  {
    provider: 'openrouter',
    kind: 'output-limit',
    given: 131072,
    limit: 131072,
    source: github('OpenHands/OpenHands/issues/9937'),
    quote:
      'this endpoint\'s maximum context length is 131072 tokens. however, you requested about 138956 tokens (7884 of text input, 131072 in the output). please reduce the length of either one, or use the \\"middle-out\\" transform to compress your prompt automatically.',
  },
  {
    provider: 'vllm',
    kind: 'output-limit',
    status: 400,
    given: 64000,
    limit: 64001,
    source: github('claude-code-best/claude-code/issues/272'),
    quote:
      "400 'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 64001 tokens and your request has 24235 input tokens (64000 > 64001 - 24235). None",
  },
  {
    provider: 'vllm',
    kind: 'output-limit',
    given: 2045,
    limit: 2048,
    source: github('vllm-project/vllm/pull/33425'),
    quote:
      '{"error":{"message":"This model\'s maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 \'max_tokens\'. Please reduce one or the other. (parameter=input_tokens, max_tokens, value=(8, 2045))","type":"BadRequestError","param":"input_tokens, max_tokens","code":400}}',
  },
  {
    provider: 'volcengine',
    kind: 'output-limit',
    status: 400,
    given: 32000,
    limit: 12288,
    source: github('Gitlawb/openclaude/issues/331'),
    quote:
      'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.',
  },
  {
    provider: 'anthropic',
    kind: 'bytes',
    status: 413,
    source: github('anthropics/claude-code/issues/14567'),
    quote: '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  },
  {
    provider: 'anthropic',
    kind: 'bytes',
    status: 400,
    source: github('gptme/gptme/issues/185'),
    quote:
      "Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'messages.58.content.2.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes'}}",
  },
  {
    provider: 'gemini-proxy',
    kind: 'bytes',
    status: 413,
    source: github('google-gemini/gemini-cli/issues/13776'),
    quote:
      '{"error":{"message":"Maximum request body size 1048576 exceeded, actual body size 1056562","code":413,"status":"Request Entity Too Large"}}',
  },
  {
    provider: 'openai-responses',
    kind: 'bytes',
    status: 400,
    source: github('VectorlyApp/bluebox/issues/31'),
    quote:
      "Error code: 400 - {'error': {'message': \"Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 62114761 instead.\", 'type': 'invalid_request_error', 'param': 'input[0].content', 'code': 'string_above_max_length'}}",
  },
  {
    provider: 'bedrock',
    kind: 'bytes',
    source: github('langchain-ai/langchain-aws/issues/419'),
    quote:
      "An error occurred (ValidationException) when calling the InvokeModel operation: 1 validation error detected: Value at 'body' failed to satisfy constraint: Member must have length less than or equal to 25000000",
  },
  {
    provider: 'anthropic',
    kind: 'server',
    status: 529,
    source: github('anthropics/claude-code/issues/5184'),
    quote: '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  },
  {
    provider: 'gemini',
    kind: 'server',
    status: 503,
    source: github('lobehub/lobehub/issues/9728'),
    quote:
      '{ "error": { "code": 503, "message": "The model is overloaded. Please try again later.", "status": "UNAVAILABLE" } }',
  },
  {
    provider: 'anthropic',
    kind: 'refused',
    status: 400,
    source: github('anthropics/claude-code/issues/58367'),
    quote:
      '{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}',
  },
  {
    provider: 'azure',
    kind: 'refused',
    status: 400,
    source: github('openai/openai-python/issues/331'),
    quote:
      '{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI’s content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766","type":null,"param":"prompt","code":"content_filter","status":400}}',
  },
  {
    provider: 'github-copilot',
    kind: 'other',
    status: 400,
    source: github('BerriAI/litellm/issues/17343'),
    quote:
      "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Github_copilotException - Invalid 'messages[11].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.",
  },
  {
    provider: 'openai-chat',
    kind: 'other',
    source: github('vishalmysore/Tools4AI/issues/16'),
    quote:
      '{ "error": { "message": "Invalid \'tools\': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.", "type": "invalid_request_error", "param": "tools", "code": "array_above_max_length" } }',
  },
  {
    provider: 'anthropic',
    kind: 'other',
    status: 400,
    source: github('anthropics/claude-code/issues/1237'),
    quote:
      '{"type":"error","error":{"type":"invalid_request_error","message":"messages.22: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01Gho1LhNQt7FjqEiiHkrVMK. Each `tool_use` block must have a corresponding `tool_result` block in the next message."}}',
  },
];
