import type { RuleViolation } from '@varve/adapters/provider-rules';
import { type Fields, fieldsOf, recordsOf, stringOf, valueAt } from '../json-fields.ts';
import type { WireError } from '../wire.ts';

/** What a refusal is made of. */
interface Found {
  readonly path: string;
  readonly at: unknown;
  /** The name within the finding. */
  readonly name: string;
  readonly body: Fields;
}

interface Refusal {
  readonly text: (found: Found) => string;
  readonly code?: string;
  readonly status?: number;
}

const emptyArray = (name: string): Refusal => ({
  text: ({ path }) =>
    `Invalid '${path || name}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  code: 'empty_array',
});
const longId = (most: number): Refusal => ({
  text: ({ path, at }) =>
    stringOf(at) === ''
      ? `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`
      : `Invalid '${path}': string too long. Expected a string with maximum length ${most}, but got a string with length ${stringOf(at).length} instead.`,
  code: 'string_above_max_length',
});
const longText: Refusal = {
  text: ({ path, at }) =>
    `Invalid '${path}': string too long. Expected a string with maximum length 10485760, but got a string with length ${stringOf(at).length} instead.`,
  code: 'string_above_max_length',
};

/** The provider's words for rules of both APIs. */
const ofBoth: Readonly<Record<string, Refusal>> = {
  'function-name': {
    text: ({ path }) =>
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    code: 'invalid_value',
  },
  'tools-at-most-128': {
    text: ({ body: { tools } }) =>
      `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${recordsOf(tools).length} instead.`,
    code: 'array_above_max_length',
  },
  'parameters-of-object': {
    text: ({ path, body }) =>
      `Invalid schema for function '${functionName(path, body)}': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
    code: 'invalid_function_parameters',
  },
  'parameters-with-properties': {
    text: ({ path, body }) =>
      `Invalid schema for function '${functionName(path, body)}': In context=(), object schema missing properties.`,
    code: 'invalid_function_parameters',
  },
  'valid-unicode': {
    text: () => 'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.',
  },
  'image-kind': {
    text: () =>
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    code: 'invalid_image_format',
  },
};

const ofChat: Readonly<Record<string, Refusal>> = {
  ...ofBoth,
  'model-named': { text: () => 'you must provide a model parameter' },
  'messages-present': emptyArray('messages'),
  'content-present': {
    text: ({ path }) => `Invalid value for '${path}': expected a string, got null.`,
  },
  'call-answered-next': {
    text: ({ name }) =>
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${name}`,
  },
  'result-needs-call': {
    text: () =>
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  'one-result': { text: ({ name }) => `Duplicate value for 'tool_call_id' of ${name}` },
  'own-call-id': { text: ({ name }) => `Duplicate value for 'tool_call_id' of ${name}` },
  'call-id-length': longId(40),
  'calls-filled': emptyArray('tool_calls'),
  'tools-filled': emptyArray('tools'),
  'text-length': longText,
  'one-bound': {
    text: () => "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    code: 'invalid_parameter_combination',
  },
  'choice-needs-tools': {
    text: () => "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  },
};

const ofResponses: Readonly<Record<string, Refusal>> = {
  ...ofBoth,
  'model-named': { text: () => "Missing required parameter: 'model'.", code: 'missing_required_parameter' },
  'input-present': { text: () => "Missing required parameter: 'input'.", code: 'missing_required_parameter' },
  'call-answered': { text: ({ name }) => `No tool output found for function call ${name}.` },
  'output-needs-call': { text: ({ name }) => `No tool call found for function call output with call_id ${name}.` },
  'own-item-id': {
    text: ({ name }) => `Duplicate item found with id ${name}. Remove duplicate items from your input and try again.`,
  },
  'call-id-length': longId(64),
  'item-id-beginning': {
    text: ({ path, at, body }) => {
      const { type } = fieldsOf(valueAt(body, path.replace(/\.id$/, '')));
      const beginning = { function_call: 'fc', reasoning: 'rs' }[stringOf(type)] ?? 'msg';
      return `Invalid '${path}': '${stringOf(at)}'. Expected an ID that begins with '${beginning}'.`;
    },
    code: 'invalid_value',
  },
  'reasoning-followed': {
    text: ({ at }) => `Item '${idOf(at)}' of type 'reasoning' was provided without its required following item.`,
  },
  'reasoning-readable': {
    text: ({ at }) =>
      `Item with id '${idOf(at)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    status: 404,
  },
  'reasoning-true': {
    text: ({ at }) => `The encrypted content for item ${idOf(at)} could not be verified.`,
    code: 'invalid_encrypted_content',
  },
  'text-length': longText,
  'bound-of-16': {
    text: ({ at }) =>
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${String(at)} instead.`,
    code: 'integer_below_min_value',
  },
};

/** How an API of OpenAI's refuses a body that breaks a rule. */
export function openaiRefusal(
  { rule, path, text }: RuleViolation,
  { body, api }: { readonly body: Fields; readonly api: 'openai-chat' | 'openai-responses' },
): WireError {
  const refusal = (api === 'openai-chat' ? ofChat : ofResponses)[rule];
  const name = /"([^"]*)"/.exec(text)?.[1] ?? '';
  const found = { path, at: valueAt(body, path), name, body };
  const plain = path === '' ? text : `Invalid value for '${path}': ${text}.`;
  const message = refusal?.text(found) ?? plain;
  const param = path === '' ? null : path;
  const error = { message, type: 'invalid_request_error', param, code: refusal?.code ?? null };
  return { status: refusal?.status ?? 400, body: { error } };
}

function idOf(item: unknown): string {
  const { id } = fieldsOf(item);
  return stringOf(id);
}

function functionName(path: string, body: Fields): string {
  const tool = fieldsOf(valueAt(body, /^tools\[\d+\]/.exec(path)?.[0] ?? ''));
  const { name, function: offered } = tool;
  const { name: inner } = fieldsOf(offered);
  return stringOf(name) || stringOf(inner);
}
