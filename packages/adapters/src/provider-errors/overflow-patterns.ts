/**
 * How providers say that input and output together are too long for the window. Which of the two is to blame is told
 * by the numbers: `limit`, and two of `input`, `output` and `total`.
 */
export const sumPatterns: readonly RegExp[] = [
  // Anthropic
  /exceed context limit: (?<input>[\d,]+) \+ (?<output>[\d,]+) > (?<limit>[\d,]+)/i,
  // OpenAI, Azure, DeepSeek, older vLLM; OpenRouter says "about", and "of text input"
  /context length is (?<limit>[\d,]+) tokens.{0,40}?requested (?:about )?(?<total>[\d,]+) tokens \([^)]*?(?<output>[\d,]+) (?:in|for) the (?:completion|output)\)/i,
  // text-generation-inference: Hugging Face, Together
  /must be <= (?<limit>[\d,]+)\. Given: (?<input>[\d,]+) `?inputs`? tokens and (?<output>[\d,]+) `?max_new_tokens/i,
  // vLLM, three generations
  /is too large: (?<output>[\d,]+)\. This model's maximum context length is (?<limit>[\d,]+) tokens and your request has (?<input>[\d,]+) input tokens/i,
  /context length is (?<limit>[\d,]+) tokens.{0,40}?requested (?<output>[\d,]+) output tokens and your prompt contains (?:at least )?(?<input>[\d,]+) input tokens/i,
  /context length is (?<limit>[\d,]+) tokens.{0,40}?request has (?<input>[\d,]+) input tokens plus (?<output>[\d,]+)/i,
];

/** Codes that providers keep for this alone. */
export const inputCodes: RegExp =
  /context_length_exceeded|model_max_prompt_tokens_exceeded|exceed_context_size_error|model_context_window_exceeded/i;

/** How providers say that the input is too long, with `given` and `limit` where they tell. */
export const inputPatterns: readonly RegExp[] = [
  // Anthropic, also behind Vertex and Bedrock
  /prompt is too long: (?<given>[\d,]+) tokens > (?<limit>[\d,]+) maximum/i,
  // Fireworks
  /prompt is too long: (?<given>[\d,]+), model maximum context length: (?<limit>[\d,]+)/i,
  // oMLX
  /prompt too long: (?<given>[\d,]+) tokens exceeds max context window of (?<limit>[\d,]+)/i,
  // Ollama
  /prompt too long; exceeded (?:max )?context length/i,
  /prompt is too long/i,
  // OpenAI, Azure
  /context length is (?<limit>[\d,]+) tokens.{0,40}?(?:resulted in|requested(?: about)?|request has) (?<given>[\d,]+) (?:input )?tokens/i,
  /exceeds the context window/i,
  // Gemini, Vertex
  /input token count \((?<given>[\d,]+)\) exceeds the maximum number of tokens allowed \((?<limit>[\d,]+)\)/i,
  /input token count exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i,
  // Bedrock; the second counts characters
  /input is too long for requested model/i,
  /malformed input request: expected maxLength: [\d,]+, actual: [\d,]+/i,
  // Cerebras, Groq
  /reduce the length of the messages or completion\. Current length is (?<given>[\d,]+) while limit is (?<limit>[\d,]+)/i,
  /reduce the length of the (?:input )?messages/i,
  // xAI
  /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<given>[\d,]+) tokens/i,
  // GitHub Copilot, GitHub Models
  /prompt token count of (?<given>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i,
  /request body too large for [^ ]+ model\. Max size: (?<limit>[\d,]+) tokens/i,
  // llama.cpp, llama-cpp-python
  /exceeds the available context size/i,
  /requested tokens \((?<given>[\d,]+)\) exceed context window of (?<limit>[\d,]+)/i,
  // LM Studio
  /greater than the context length \(n_keep: (?<given>[\d,]+) ?>= n_ctx: (?<limit>[\d,]+)\)/i,
  /initial prompt is greater than the context length/i,
  /trying to keep the first (?<given>[\d,]+) tokens .{0,100}context length of only (?<limit>[\d,]+) tokens/i,
  // Ollama, LM Studio, Volcengine
  /input length (?<given>[\d,]+) exceeds (?:the )?(?:maximum|context) length (?<limit>[\d,]+)/i,
  /input length (?:exceeds|is longer than) the context length/i,
  // Moonshot
  /exceeded model token limit: (?<limit>[\d,]+)(?: \(requested: (?<given>[\d,]+)\))?/i,
  // DashScope
  /range of input length should be \[1, (?<limit>[\d,]+)\]/i,
  // Zhipu
  /prompt exceeds max(?:imum)? (?:context )?length/i,
  // MiniMax; the number behind it is an error code
  /context window exceeds limit/i,
  // Mistral
  /prompt contains (?<given>[\d,]+) tokens.{0,60}too large for model with (?<limit>[\d,]+) maximum context length/i,
  /too large for model with (?<limit>[\d,]+) maximum context length/i,
  /too many tokens in batch\. Max is (?<limit>[\d,]+) got (?<given>[\d,]+)/i,
  // Together
  /input \((?<given>[\d,]+) tokens\) is longer than the model's context length \((?<limit>[\d,]+) tokens\)/i,
  // text-generation-inference
  /inputs`? must have less than (?<limit>[\d,]+) tokens\. Given: (?<given>[\d,]+)/i,
  // Cohere
  /number of tokens .{0,40}cannot exceed (?<limit>[\d,]+) - received (?<given>[\d,]+)/i,
  // vLLM: what is left for the answer is below nothing
  /max_tokens must be at least 1, got -\d+/i,
  /prompt \(total length (?<given>[\d,]+)\) is too long to fit into the model \(context length (?<limit>[\d,]+)\)/i,
  /maximum context length/i,
];
