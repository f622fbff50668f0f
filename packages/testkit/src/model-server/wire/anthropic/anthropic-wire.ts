import { checkAnthropicRequest, type RuleViolation } from '@varve/adapters/provider-rules';
import type { FailureKind } from '../../exchange/model-outcome.ts';
import { type Fields, recordsOf, stringOf } from '../json-fields.ts';
import { fingerprint, isBrokenSeal } from '../seal.ts';
import type { FailureFacts, Wire, WireError } from '../wire.ts';
import { anthropicEvents, anthropicWhole, event } from './anthropic-events.ts';
import { anthropicRefusalText } from './anthropic-refusals.ts';
import { anthropicParts, blocksOf, readAnthropic } from './read-anthropic.ts';

interface Told {
  readonly status: number;
  readonly type: string;
  readonly text: (facts: FailureFacts) => string;
}

const told: Readonly<Record<FailureKind, Told>> = {
  overflow: {
    status: 400,
    type: 'invalid_request_error',
    text: ({ inputTokens, contextTokens }) => `prompt is too long: ${inputTokens} tokens > ${contextTokens} maximum`,
  },
  'bad-request': { status: 400, type: 'invalid_request_error', text: () => 'Invalid request' },
  unauthorized: { status: 401, type: 'authentication_error', text: () => 'invalid x-api-key' },
  quota: {
    status: 400,
    type: 'invalid_request_error',
    text: () =>
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  'too-large': { status: 413, type: 'request_too_large', text: () => 'Request exceeds the maximum size' },
  rate: {
    status: 429,
    type: 'rate_limit_error',
    text: () =>
      'This request would exceed the rate limit for your organization of 40,000 input tokens per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.',
  },
  server: { status: 500, type: 'api_error', text: () => 'Internal server error' },
  overloaded: { status: 529, type: 'overloaded_error', text: () => 'Overloaded' },
  filtered: { status: 400, type: 'invalid_request_error', text: () => 'Output blocked by content filtering policy' },
};

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  api: 'anthropic-messages',
  check: (body) => [...checkAnthropicRequest(body), ...brokenSeals(body)],
  read: readAnthropic,
  parts: anthropicParts,
  whole: anthropicWhole,
  events: anthropicEvents,
  error: (facts) => {
    const { status } = told[facts.kind];
    return { status, body: errorBody(facts) };
  },
  errorEvents: (facts) => [event(errorBody(facts))],
  refuse(violation, body): WireError {
    const isSize = violation.rule === 'body-size';
    const text = isSize ? undefined : anthropicRefusalText(violation, body);
    const facts = { kind: isSize ? 'too-large' : 'bad-request', text, inputTokens: 0, contextTokens: 0, body } as const;
    return { status: told[facts.kind].status, body: errorBody(facts) };
  },
  streamsFailure: () => false,
};

function errorBody(facts: FailureFacts): Fields & { readonly type: 'error' } {
  const { type, text } = told[facts.kind];
  const request_id = `req_${fingerprint(JSON.stringify(facts.body), 24)}`;
  return { type: 'error', error: { type, message: facts.text ?? text(facts) }, request_id };
}

function brokenSeals({ messages }: Fields): readonly RuleViolation[] {
  return recordsOf(messages).flatMap(({ content }, message) =>
    blocksOf(content).flatMap(({ type, thinking, signature }, index): RuleViolation[] => {
      const isBroken = type === 'thinking' && isBrokenSeal(stringOf(signature), stringOf(thinking));
      const path = `messages[${message}].content[${index}]`;
      return isBroken ? [{ rule: 'thinking-true', path, text: 'the signature is of another text' }] : [];
    }),
  );
}
