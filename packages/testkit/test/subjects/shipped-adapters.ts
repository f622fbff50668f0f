import { fromAnthropic, toAnthropic } from '@varve/adapters/anthropic';
import { fromOpenAIChat, fromOpenAIResponses, toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import {
  checkAnthropicRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
  type RuleViolation,
} from '@varve/adapters/provider-rules';
import type { AdapterSubject, Said, SaidPart } from '@varve/testkit';

type Fields = { readonly [field: string]: unknown };

const model = 'test-1';

function textsOf(violations: readonly RuleViolation[]): readonly string[] {
  return violations.map(({ rule, path, text }) => `${rule} at ${path}: ${text}`);
}

/** The adapter of Anthropic's Messages API. */
export const anthropicAdapter: AdapterSubject = {
  adapter: 'anthropic',
  to: (prompt, { tools }) => toAnthropic(prompt, { model, tools }),
  from: (answer, { tools }) => fromAnthropic(answer as never, { tools }),
  judge: (body) => textsOf(checkAnthropicRequest(body)),
  toolNames: (body) => ((body as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name),
  answer: ({ parts, stop, usage }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: parts.map(anthropicBlock),
    stop_reason: {
      end: 'end_turn',
      length: 'max_tokens',
      'tool-calls': 'tool_use',
      refusal: 'refusal',
      unknown: 'brand_new',
    }[stop],
    ...(usage === null
      ? {}
      : {
          usage: {
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            cache_read_input_tokens: usage.cacheReadTokens,
          },
        }),
  }),
  cacheMarks: (body) => {
    const { system = [], messages } = body as { system?: Fields[]; messages: { content: Fields[] }[] };
    const blocks = [...system, ...messages.flatMap(({ content }) => content)];
    return blocks.filter((block) => 'cache_control' in block).map(({ text }) => String(text));
  },
  takesThinking: true,
  takesUnknown: true,
};

function anthropicBlock(part: SaidPart): Fields {
  if (part.type === 'thinking') return { type: 'thinking', thinking: part.text, signature: part.proof };
  if (part.type === 'unknown') return { type: 'brand_new_block', id: 'new_1', held: { text: part.text } };
  if (part.type === 'text') return { type: 'text', text: part.text, citations: null };
  return { type: 'tool_use', id: part.id, name: part.name, input: parsed(part.arguments) };
}

/** Clients leave a streamed input that is no JSON a string. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The adapter of OpenAI's Chat Completions API. */
export const openaiChatAdapter: AdapterSubject = {
  adapter: 'openai-chat',
  to: (prompt, { tools }) => toOpenAIChat(prompt, { model, tools }),
  from: (answer, { tools }) => fromOpenAIChat(answer as never, { tools }),
  judge: (body) => textsOf(checkOpenAIChatRequest(body)),
  toolNames: (body) =>
    ((body as { tools?: { function: { name: string } }[] }).tools ?? []).map(({ function: { name } }) => name),
  answer: ({ parts, stop, usage }) => {
    const calls = parts.filter((part) => part.type === 'tool-call');
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const reasons = {
      end: 'stop',
      length: 'length',
      'tool-calls': 'tool_calls',
      refusal: 'content_filter',
      unknown: 'brand_new',
    };
    const message = {
      role: 'assistant',
      content: texts.length === 0 ? null : texts.join(''),
      refusal: null,
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, arguments: text }) => ({
              id,
              type: 'function',
              function: { name, arguments: text },
            })),
          }),
    };
    const counted = usage === null ? {} : { usage: openaiUsage(usage, ['prompt_tokens', 'completion_tokens']) };
    return { id: 'chatcmpl-1', choices: [{ index: 0, finish_reason: reasons[stop], message }], ...counted };
  },
};

/** What came from the cache is within what was read. */
function openaiUsage(
  { inputTokens, outputTokens, cacheReadTokens }: NonNullable<Said['usage']>,
  [input, output]: readonly [string, string],
): Fields {
  return {
    [input]: inputTokens + cacheReadTokens,
    [output]: outputTokens,
    [`${input}_details`]: { cached_tokens: cacheReadTokens },
  };
}

/** The adapter of OpenAI's Responses API. */
export const openaiResponsesAdapter: AdapterSubject = {
  adapter: 'openai-responses',
  to: (prompt, { tools }) => toOpenAIResponses(prompt, { model, tools }),
  from: (answer, { tools }) => fromOpenAIResponses(answer as never, { tools }),
  judge: (body) => textsOf(checkOpenAIResponsesRequest(body)),
  toolNames: (body) => ((body as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name),
  answer: ({ parts, stop, usage }) => {
    const cut = { length: 'max_output_tokens', refusal: 'content_filter' }[stop as string];
    return {
      id: 'resp_1',
      status: cut !== undefined ? 'incomplete' : stop === 'unknown' ? 'brand_new' : 'completed',
      incomplete_details: cut === undefined ? null : { reason: cut },
      error: null,
      output: parts.map(responsesItem),
      ...(usage === null ? {} : { usage: openaiUsage(usage, ['input_tokens', 'output_tokens']) }),
    };
  },
  takesThinking: true,
  takesUnknown: true,
};

function responsesItem(part: SaidPart, index: number): Fields {
  if (part.type === 'unknown') return { type: 'brand_new_item', id: `new_${index}`, held: { text: part.text } };
  if (part.type === 'thinking') {
    const summary = [{ type: 'summary_text', text: part.text }];
    return { type: 'reasoning', id: `rs_${index}`, summary, encrypted_content: part.proof };
  }
  if (part.type === 'tool-call') {
    const { id, name, arguments: text } = part;
    return { type: 'function_call', id: `fc_${index}`, call_id: id, name, arguments: text, status: 'completed' };
  }
  const content = [{ type: 'output_text', text: part.text, annotations: [] }];
  return { type: 'message', id: `msg_${index}`, role: 'assistant', status: 'completed', content };
}
