import type { RuleViolation } from '@varve/adapters/provider-rules';
import { type Fields, fieldsOf, recordsOf, stringOf, valueAt } from '../json-fields.ts';

/** What a refusal is made of: `path` as the provider writes it, what it is about, the name within the finding. */
interface Found {
  readonly path: string;
  readonly at: unknown;
  readonly name: string;
  readonly body: Fields;
}

const namePattern = '^[a-zA-Z0-9_-]{1,128}$';

/** The provider's words for each rule. */
const texts: Readonly<Record<string, (found: Found) => string>> = {
  'model-named': () => 'model: Field required',
  'max-tokens-positive': () => 'max_tokens: Input should be greater than or equal to 1',
  'messages-present': () => 'messages: at least one message is required',
  'known-roles': ({ name }) =>
    name === 'system'
      ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      : `messages: Unexpected role "${name}". Allowed roles are "user" or "assistant"`,
  'first-user': () => 'messages: first message must use the "user" role',
  'alternating-roles': ({ name }) =>
    `messages: roles must alternate between "user" and "assistant", but found multiple "${name}" roles in a row`,
  'content-present': ({ path }) =>
    `${path.replace(/\.content$/, '')}: all messages must have non-empty content except for the optional final assistant message`,
  'blank-text': ({ at }) => {
    const { text } = fieldsOf(at);
    return stringOf(text) === ''
      ? 'messages: text content blocks must be non-empty'
      : 'messages: text content blocks must contain non-whitespace text';
  },
  'trailing-white-space': () => 'messages: final assistant content cannot end with trailing whitespace',
  'call-answered-next': ({ path, name }) =>
    `${messagePath(path)}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${name}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  'result-needs-call': ({ path, name }) =>
    `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${name}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  'one-result': ({ path, name }) =>
    `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${name}`,
  'own-call-id': ({ path }) => `${path}: \`tool_use\` ids must be unique`,
  'call-id-characters': ({ path, at }) => {
    const { type } = fieldsOf(at);
    const field = type === 'tool_result' ? 'tool_result.tool_use_id' : 'tool_use.id';
    return `${path}.${field}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  },
  'call-input-object': ({ path }) =>
    `${path.replace(/\.input$/, '')}.tool_use.input: Input should be a valid dictionary`,
  'error-says-something': ({ path }) => `${path}.tool_result: content cannot be empty if \`is_error\` is true`,
  'tool-name': ({ path }) =>
    path.startsWith('tools')
      ? `${path.replace(/\.name$/, '.custom.name')}: String should match pattern '${namePattern}'`
      : `${path.replace(/\.name$/, '.tool_use.name')}: String should match pattern '${namePattern}'`,
  'own-tool-name': () => 'tools: Tool names must be unique.',
  'tool-schema-object': ({ path }) =>
    `${path.replace(/\.input_schema$/, '.custom.input_schema')}.type: Input should be 'object'`,
  'choice-needs-tools': () => 'tool_choice: tool_choice may only be specified while providing tools',
  'thinking-signed': ({ path }) => `${path}.thinking.signature: Field required`,
  'thinking-true': ({ path }) => `${path}: Invalid \`signature\` in \`thinking\` block`,
  'thinking-not-last': ({ path }) =>
    `${messagePath(path)}: The final block in an assistant message cannot be \`thinking\`.`,
  'thinking-opens-tool-run': ({ path, at }) => {
    const { type } = fieldsOf(at);
    return `${path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${stringOf(type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  },
  'thinking-budget': () => 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  'thinking-budget-in-answer': () => '`max_tokens` must be greater than `thinking.budget_tokens`.',
  'thinking-unforced': () => 'Thinking may not be enabled when tool_choice forces tool use.',
  'four-marks': ({ body }) => `A maximum of 4 blocks with cache_control may be provided. Found ${countMarks(body)}.`,
  'mark-not-on-thinking': ({ path }) => `${path}.thinking.cache_control: Extra inputs are not permitted`,
  'mark-not-on-blank-text': ({ path }) => `${path}: cache_control cannot be set for empty text blocks`,
  'image-size': ({ path, at }) =>
    `${path.replace(/\.source\.data$/, '')}.image.source.base64: image exceeds 5 MB maximum: ${stringOf(at).length} bytes > 5242880 bytes`,
  'longer-mark-first': ({ path }) =>
    `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  'image-kind': ({ path }) =>
    `${path.replace(/\.source\.media_type$/, '')}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
  'valid-unicode': () => 'The request body is not valid JSON: no low surrogate in string',
};

/** How the API says that a body breaks a rule. */
export function anthropicRefusalText({ rule, path, text }: RuleViolation, body: Fields): string {
  const dotted = path.replaceAll(/\[(\d+)\]/g, '.$1');
  const name = /"([^"]*)"/.exec(text)?.[1] ?? '';
  const words = texts[rule];
  if (words !== undefined) return words({ path: dotted, at: valueAt(body, path), name, body });
  return dotted === '' ? text : `${dotted}: ${text}`;
}

function messagePath(path: string): string {
  return path.split('.', 2).join('.');
}

function countMarks({ tools, system, messages }: Fields): number {
  const blocks = recordsOf(messages).flatMap(({ content }) => recordsOf(content));
  const inner = blocks.flatMap(({ content }) => recordsOf(content));
  const all = [...recordsOf(tools), ...recordsOf(system), ...blocks, ...inner];
  return all.filter(({ cache_control }) => cache_control !== undefined && cache_control !== null).length;
}
