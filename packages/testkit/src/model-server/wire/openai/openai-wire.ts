import {
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
  type RuleViolation,
} from '@varve/adapters/provider-rules';
import type { FailureKind } from '../../exchange/model-outcome.ts';
import { type Fields, recordsOf, stringOf } from '../json-fields.ts';
import { fingerprint, isBrokenSeal } from '../seal.ts';
import type { FailureFacts, Wire } from '../wire.ts';
import { chatEvents, chatWhole } from './chat-events.ts';
import { openaiRefusal } from './openai-refusals.ts';
import { chatParts, readChat, textOf } from './read-chat.ts';
import { inputItems, readResponses, responsesParts } from './read-responses.ts';
import { emptyResponse, numbered, openingEvents, responsesEvents, responsesWhole } from './responses-events.ts';

interface Told {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly text: string;
}

const told: Readonly<Record<Exclude<FailureKind, 'overflow'>, Told>> = {
  'bad-request': { status: 400, type: 'invalid_request_error', code: null, text: 'Invalid request.' },
  unauthorized: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    text: 'Incorrect API key provided: none. You can find your API key at https://platform.openai.com/account/api-keys.',
  },
  quota: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    text: 'You exceeded your current quota, please check your plan and billing details.',
  },
  'too-large': { status: 413, type: 'invalid_request_error', code: null, text: 'Request entity too large.' },
  rate: {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    text: 'Rate limit reached for this model in organization org-varve on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1s.',
  },
  server: {
    status: 500,
    type: 'server_error',
    code: null,
    text: 'The server had an error while processing your request. Sorry about that!',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    code: null,
    text: 'The engine is currently overloaded, please try again later.',
  },
  filtered: {
    status: 400,
    type: 'invalid_request_error',
    code: 'content_filter',
    text: 'The response was filtered due to the prompt triggering the content management policy.',
  },
};

/** OpenAI's Chat Completions API. */
export const openaiChatWire: Wire = {
  api: 'openai-chat',
  check: checkOpenAIChatRequest,
  read: readChat,
  parts: chatParts,
  whole: chatWhole,
  events: chatEvents,
  error: (facts) => ({ status: statusOf(facts), body: { error: chatError(facts) } }),
  errorEvents: (facts) => [{ name: null, data: JSON.stringify({ error: chatError(facts) }) }],
  refuse: (violation, body) => openaiRefusal(violation, { body, api: 'openai-chat' }),
  streamsFailure: () => false,
};

/** OpenAI's Responses API. */
export const openaiResponsesWire: Wire = {
  api: 'openai-responses',
  check: (body) => [...checkOpenAIResponsesRequest(body), ...brokenSeals(body)],
  read: readResponses,
  parts: responsesParts,
  whole: responsesWhole,
  events: responsesEvents,
  error: (facts) => ({ status: statusOf(facts), body: { error: responsesError(facts) } }),
  errorEvents: responsesErrorEvents,
  refuse: (violation, body) => openaiRefusal(violation, { body, api: 'openai-responses' }),
  streamsFailure: ({ kind }) => kind === 'overflow',
};

function statusOf({ kind }: FailureFacts): number {
  return kind === 'overflow' ? 400 : told[kind].status;
}

function chatError(facts: FailureFacts): Fields {
  const { inputTokens: given, contextTokens: limit } = facts;
  const text = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${given} tokens. Please reduce the length of the messages.`;
  return errorOf(facts, { text, param: 'messages' });
}

function responsesError(facts: FailureFacts): Fields {
  const text = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return errorOf(facts, { text, param: 'input' });
}

function errorOf({ kind, text }: FailureFacts, overflow: { readonly text: string; readonly param: string }): Fields {
  if (kind === 'overflow') {
    const code = 'context_length_exceeded';
    return { message: text ?? overflow.text, type: 'invalid_request_error', param: overflow.param, code };
  }
  const { type, code, text: own } = told[kind];
  return { message: text ?? own, type, param: null, code };
}

/** The stream opens when nothing was said yet, reports the error, and says that the response failed. */
function responsesErrorEvents(facts: FailureFacts, position: number): ReturnType<Wire['errorEvents']> {
  const error = responsesError(facts);
  const { code, message, type } = error;
  const { body } = facts;
  const begun = { id: fingerprint(JSON.stringify(body), 24), createdSeconds: 0, body };
  const response = { ...emptyResponse(begun), status: 'failed', error: { code: code ?? type, message } };
  const events = [
    ...(position === 0 ? openingEvents(begun) : []),
    { type: 'error', error },
    { type: 'response.failed', response },
  ];
  return events.map((event, index) => numbered(event, position + index));
}

function brokenSeals(body: Fields): readonly RuleViolation[] {
  return inputItems(body).flatMap(({ type, summary, encrypted_content }, index): RuleViolation[] => {
    const text = recordsOf(summary).length === 0 ? '' : textOf(summary);
    const isBroken = type === 'reasoning' && isBrokenSeal(stringOf(encrypted_content), text);
    return isBroken
      ? [{ rule: 'reasoning-true', path: `input[${index}]`, text: 'its content was sealed for another text' }]
      : [];
  });
}
