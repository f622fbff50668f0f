import { fieldsOf, isFilled, isPositive, listOf, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { allBlocks, messagesOf } from './anthropic-body.ts';

const provider = 'anthropic';
const reference = 'https://docs.anthropic.com/en/api/messages';
const base = { model: 'm', max_tokens: 9 };
const hello = { role: 'user', content: 'hello' };

/** Which blocks who may send; blocks of other types are the provider's own. */
const userBlocks = ['tool_result', 'image', 'document', 'search_result'];
const assistantBlocks = ['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use'];

/** Rules for the shape of a conversation: who speaks when, and that something is said. */
export const conversationRules: readonly ProviderRule[] = [
  {
    id: 'model-named',
    provider,
    text: 'The body names a model.',
    source: reference,
    failing: { max_tokens: 9, messages: [hello] },
    find(body) {
      const { model } = fieldsOf(body);
      return isFilled(model) ? [] : [{ path: 'model', text: 'there is no name' }];
    },
  },
  {
    id: 'max-tokens-positive',
    provider,
    text: 'The bound of the answer is a whole number from 1.',
    source: reference,
    failing: { model: 'm', max_tokens: 0, messages: [hello] },
    find(body) {
      const { max_tokens } = fieldsOf(body);
      return isPositive(max_tokens) ? [] : [{ path: 'max_tokens', text: `it is ${JSON.stringify(max_tokens)}` }];
    },
  },
  {
    id: 'messages-present',
    provider,
    text: 'There is at least one message.',
    source: reference,
    failing: { ...base, messages: [] },
    find(body) {
      return messagesOf(body).length > 0 ? [] : [{ path: 'messages', text: 'there is none' }];
    },
  },
  {
    id: 'known-roles',
    provider,
    text: 'A message is of the user or of the assistant; the system prompt stands apart.',
    source: 'https://github.com/elie222/inbox-zero/pull/1642',
    failing: { ...base, messages: [hello, { role: 'system', content: 'Be brief.' }] },
    find(body) {
      return messagesOf(body).flatMap(({ role, path }) =>
        role === 'user' || role === 'assistant' ? [] : [{ path: `${path}.role`, text: `there is no role "${role}"` }],
      );
    },
  },
  {
    id: 'first-user',
    provider,
    text: 'The first message is of the user.',
    source: 'https://github.com/lobehub/lobehub/issues/1601',
    failing: { ...base, messages: [{ role: 'assistant', content: 'hi' }, hello] },
    find(body) {
      const isOfAssistant = messagesOf(body)[0]?.role === 'assistant';
      return isOfAssistant ? [{ path: 'messages[0].role', text: 'it is of the assistant' }] : [];
    },
  },
  {
    id: 'alternating-roles',
    provider,
    text: 'User and assistant take turns. (The newest API joins neighbours; older ones and Bedrock refuse them.)',
    source: 'https://github.com/FlowiseAI/Flowise/issues/2006',
    failing: { ...base, messages: [hello, hello] },
    find(body) {
      return messagesOf(body).flatMap(({ role, path }, index, all) =>
        role !== '' && role === all[index - 1]?.role ? [{ path, text: `"${role}" speaks twice in a row` }] : [],
      );
    },
  },
  {
    id: 'content-present',
    provider,
    text: 'No message is empty, except one of the assistant that ends the body.',
    source: 'https://github.com/anthropics/claude-code/issues/6774',
    failing: { ...base, messages: [hello, { role: 'assistant', content: [] }, hello] },
    find(body) {
      return messagesOf(body).flatMap(({ role, blocks, path }, index, { length }): RuleFinding[] => {
        if (blocks.length > 0 || (index === length - 1 && role === 'assistant')) return [];
        return [{ path: `${path}.content`, text: 'it is empty' }];
      });
    },
  },
  {
    id: 'blank-text',
    provider,
    text: 'A text has a character that is not white space.',
    source: 'https://github.com/anthropics/claude-code/issues/23369',
    failing: { ...base, messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] },
    find(body) {
      return allBlocks(body).flatMap(({ type, fields: { text, cache_control }, path }) => {
        const isBlank = type === 'text' && cache_control === undefined && stringOf(text).trim() === '';
        return isBlank ? [{ path, text: 'the text is blank' }] : [];
      });
    },
  },
  {
    id: 'trailing-white-space',
    provider,
    text: 'A body that ends with words of the assistant does not end in white space.',
    source: 'https://github.com/tailcallhq/forgecode/issues/1872',
    failing: { ...base, messages: [hello, { role: 'assistant', content: 'I will ' }] },
    find(body) {
      const { role, blocks = [] } = messagesOf(body).at(-1) ?? {};
      const last = blocks.at(-1);
      if (role !== 'assistant' || last?.type !== 'text') return [];
      const { text } = last.fields;
      const spoken = stringOf(text);
      return spoken.trim() !== '' && spoken !== spoken.trimEnd()
        ? [{ path: last.path, text: 'it ends in white space' }]
        : [];
    },
  },
  {
    id: 'block-of-role',
    provider,
    text: 'Results, images and documents are of the user, calls and reasoning of the assistant.',
    source: reference,
    failing: {
      ...base,
      messages: [
        hello,
        { role: 'assistant', content: [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }] },
      ],
    },
    find(body) {
      return messagesOf(body).flatMap(({ role, blocks }) => {
        const foreign = role === 'user' ? assistantBlocks : role === 'assistant' ? userBlocks : [];
        return blocks
          .filter(({ type }) => foreign.includes(type))
          .map(({ type, path }) => ({ path, text: `"${role}" sends no block "${type}"` }));
      });
    },
  },
  {
    id: 'block-typed',
    provider,
    text: 'Content is a string or a list of blocks, each with its type.',
    source: reference,
    failing: { ...base, messages: [{ role: 'user', content: [{ text: 'hello' }] }] },
    find(body) {
      const { messages } = fieldsOf(body);
      const shapeless = listOf(messages).flatMap((message, index): RuleFinding[] => {
        const { content } = fieldsOf(message);
        if (typeof content === 'string' || Array.isArray(content)) return [];
        return [{ path: `messages[${index}].content`, text: 'it is neither a string nor a list' }];
      });
      const untyped = allBlocks(body).filter(({ type }) => type === '');
      return [...shapeless, ...untyped.map(({ path }) => ({ path, text: 'the block has no type' }))];
    },
  },
];
