import type { ErrorFixture } from './error-fixture.ts';

const github = (thread: string) => `https://github.com/${thread}`;
const requested = (limit: number, parts: string) =>
  `This model's maximum context length is ${limit} tokens. However, you requested ${parts}. Please reduce the length of the messages or completion.`;

/** Inputs that are too long for smaller providers and for servers of one's own. */
export const smallerProviders: readonly ErrorFixture[] = [
  {
    provider: 'cerebras',
    kind: 'input',
    status: 400,
    given: 42328,
    limit: 40000,
    source: github('cline/cline/issues/5140'),
    quote: '400 Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
  },
  {
    provider: 'together',
    kind: 'input',
    given: 3997,
    limit: 4096,
    source: github('stanford-crfm/helm/issues/2080'),
    quote:
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3997 `inputs` tokens and 100 `max_new_tokens`',
  },
  {
    provider: 'hugging-face',
    kind: 'input',
    given: 6204,
    limit: 8192,
    source: github('huggingface/chat-ui/issues/1149'),
    quote:
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6204 `inputs` tokens and 2047 `max_new_tokens`',
  },
  {
    provider: 'hugging-face',
    kind: 'input',
    given: 2222,
    limit: 2048,
    source: github('h2oai/h2ogpt/issues/373'),
    quote: 'Input validation error: `inputs` must have less than 2048 tokens. Given: 2222',
  },
  {
    provider: 'ollama',
    kind: 'input',
    status: 400,
    source: github('nano-step/nano-brain/issues/208'),
    quote: 'ollama: unexpected status 400: {\\"error\\":\\"the input length exceeds the context length\\"}',
  },
  {
    provider: 'vllm',
    kind: 'input',
    given: 112946,
    limit: 16384,
    source: github('vllm-project/vllm/issues/20409'),
    quote: requested(16384, '122946 tokens (112946 in the messages, 10000 in the completion)'),
  },
  {
    provider: 'vllm',
    kind: 'input',
    given: 25938,
    limit: 4096,
    source: github('vllm-project/vllm/issues/12165'),
    quote:
      'ValueError: The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
  },
  {
    provider: 'vllm',
    kind: 'input',
    status: 400,
    source: github('vllm-project/vllm/issues/4667'),
    quote:
      "Error code: 400 - {'object': 'error', 'message': 'max_tokens must be at least 1, got -186.', 'type': 'BadRequestError', 'param': None, 'code': 400}",
  },
  {
    provider: 'llama.cpp',
    kind: 'input',
    status: 500,
    given: 1407,
    limit: 256,
    source: github('ggml-org/llama.cpp/pull/15780'),
    quote:
      '{ "error": { "code": 500, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error", "n_prompt_tokens": 1407, "n_ctx": 256 } }',
  },
  {
    provider: 'llama.cpp',
    kind: 'input',
    status: 400,
    source: github('continuedev/continue/issues/9797'),
    quote: '400 the request exceeds the available context size, try increasing it',
  },
  {
    provider: 'llama-cpp-python',
    kind: 'input',
    given: 516,
    limit: 512,
    source: github('rllm-team/rllm/issues/55'),
    quote: 'ValueError: Requested tokens (516) exceed context window of 512',
  },
  {
    provider: 'lm-studio',
    kind: 'input',
    source: github('anomalyco/opencode/issues/2259'),
    quote:
      'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
  },
  {
    provider: 'lm-studio',
    kind: 'input',
    status: 400,
    given: 13055,
    limit: 4096,
    source: github('Gitlawb/openclaude/issues/353'),
    quote:
      '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}',
  },
  {
    provider: 'lm-studio',
    kind: 'input',
    given: 111490,
    limit: 32768,
    source: github('lmstudio-ai/lmstudio-bug-tracker/issues/546'),
    quote:
      'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.',
  },
  {
    provider: 'lm-studio',
    kind: 'input',
    given: 1581,
    limit: 1500,
    source: github('lmstudio-ai/model-catalog/issues/38'),
    quote: 'Input length 1581 exceeds context length 1500',
  },
  {
    provider: 'github-copilot',
    kind: 'input',
    status: 400,
    given: 138898,
    limit: 64000,
    source: github('microsoft/copilot-intellij-feedback/issues/94'),
    quote:
      '{"error":{"message":"prompt token count of 138898 exceeds the limit of 64000","code":"model_max_prompt_tokens_exceeded"}}',
  },
  {
    provider: 'github-copilot',
    kind: 'input',
    status: 400,
    given: 65446,
    limit: 64000,
    source: github('microsoft/vscode-copilot-release/issues/6700'),
    quote:
      '{"error":{"message":"prompt token count of 65446 exceeds the limit of 64000","param":"","code":"","type":""}}',
  },
  {
    provider: 'github-models',
    kind: 'input',
    status: 413,
    limit: 8000,
    source: github('cline/cline/issues/995'),
    quote: '413 Request body too large for meta-llama-3-70b-instruct model. Max size: 8000 tokens.',
  },
  {
    provider: 'moonshot',
    kind: 'input',
    status: 400,
    limit: 262144,
    source: github('MoonshotAI/kimi-cli/issues/2011'),
    quote:
      "Error code: 400 - {'error': {'message': 'Invalid request: Your request exceeded model token limit: 262144 (re quested: 269030)'",
  },
  {
    provider: 'dashscope',
    kind: 'input',
    status: 400,
    limit: 204800,
    source: github('QwenLM/qwen-code/issues/98'),
    quote:
      'OpenAI API error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]',
  },
  {
    provider: 'zhipu',
    kind: 'input',
    status: 400,
    source: github('zeroclaw-labs/zeroclaw/issues/4124'),
    quote: '{"error":{"code":"1261","message":"Prompt exceeds max length"}}',
  },
  {
    provider: 'fireworks',
    kind: 'input',
    given: 40177,
    limit: 32767,
    source: github('fw-ai/cookbook/issues/134'),
    quote: 'The prompt is too long: 40177, model maximum context length: 32767',
  },
  {
    provider: 'minimax',
    kind: 'input',
    source: github('MiniMax-AI/MiniMax-M2/issues/119'),
    quote: 'invalid params, context window exceeds limit (2013)',
  },
  {
    provider: 'volcengine',
    kind: 'input',
    given: 203743,
    limit: 202752,
    source: github('langgenius/dify/issues/32221'),
    quote: 'Input length 203743 exceeds the maximum length 202752',
  },
  {
    provider: 'cohere',
    kind: 'input',
    given: 6354,
    limit: 2048,
    source: github('cohere-ai/sandbox-topically/issues/4'),
    quote:
      'CohereError: too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
  },
  {
    provider: 'mistral',
    kind: 'input',
    status: 400,
    given: 17555,
    limit: 16384,
    source: github('aurelio-labs/semantic-router/issues/297'),
    quote:
      '{"object":"error","message":"Too many tokens in batch. Max is 16384 got 17555","type":"invalid_request_error","param":null,"code":null}',
  },
  {
    provider: 'omlx',
    kind: 'input',
    status: 400,
    given: 41911,
    limit: 32768,
    source: github('ValueCell-ai/ClawX/issues/658'),
    quote: '400 Prompt too long: 41911 tokens exceeds max context window of 32768 tokens',
  },
];
