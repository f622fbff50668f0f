import { fieldsOf, isFilled, isPositive, listOf, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { chatMessagesOf } from './chat-body.ts';

const provider = 'openai-chat';
const reference = 'https://platform.openai.com/docs/api-reference/chat/create';
const hello = { role: 'user', content: 'hello' };
const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Which parts the messages of a role hold. */
const partsOfRole: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  tool: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

/** Rules for messages: their roles and their content. */
export const messageRules: readonly ProviderRule[] = [
  {
    id: 'model-named',
    provider,
    text: 'The body names a model.',
    source: reference,
    failing: { messages: [hello] },
    find(body) {
      const { model } = fieldsOf(body);
      return isFilled(model) ? [] : [{ path: 'model', text: 'there is no name' }];
    },
  },
  {
    id: 'messages-present',
    provider,
    text: 'There is at least one message.',
    source: reference,
    failing: { model: 'm', messages: [] },
    find(body) {
      return chatMessagesOf(body).length > 0 ? [] : [{ path: 'messages', text: 'there is none' }];
    },
  },
  {
    id: 'known-roles',
    provider,
    text: 'A message has one of the known roles.',
    source: reference,
    failing: { model: 'm', messages: [hello, { role: 'model', content: 'hi' }] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ role, path }) =>
        roles.includes(role) ? [] : [{ path: `${path}.role`, text: `there is no role "${role}"` }],
      );
    },
  },
  {
    id: 'content-present',
    provider,
    text: 'A message has content, except one of the assistant that calls.',
    source: 'https://github.com/docker/docker-agent/issues/63',
    failing: { model: 'm', messages: [hello, { role: 'assistant', content: null }, hello] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ role, fields, calls, path }): RuleFinding[] => {
        const { content, refusal, audio, function_call } = fields;
        const isPresent = typeof content === 'string' || listOf(content).length > 0;
        const others = [refusal, audio, function_call].some((other) => other !== undefined && other !== null);
        if (isPresent || (role === 'assistant' && (calls.length > 0 || others))) return [];
        return [{ path: `${path}.content`, text: 'there is none' }];
      });
    },
  },
  {
    id: 'parts-of-role',
    provider,
    text: 'Images, sounds and files are of the user; other roles send text.',
    source: 'https://github.com/openai/openai-node/issues/1030',
    failing: { model: 'm', messages: [hello, { role: 'assistant', content: [image] }, hello] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ role, parts }) => {
        const known = partsOfRole[role];
        const foreign = known === undefined ? [] : parts.filter(({ type }) => !known.includes(type));
        return foreign.map(({ type, path }) => ({ path, text: `"${role}" sends no part "${type}"` }));
      });
    },
  },
  {
    id: 'image-kind',
    provider,
    text: 'An image is a URL, or a data URL of a PNG, JPEG, GIF or WebP.',
    source: 'https://github.com/STranslate/STranslate/issues/277',
    failing: {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } }] }],
    },
    find(body) {
      return chatMessagesOf(body).flatMap(({ parts }) =>
        parts.flatMap(({ type, fields: { image_url }, path }) => {
          const { url } = fieldsOf(image_url);
          const isKnown = /^(https?:\/\/.|data:image\/(png|jpe?g|gif|webp);base64,.)/i.test(stringOf(url));
          return type !== 'image_url' || isKnown
            ? []
            : [{ path: `${path}.image_url.url`, text: 'it is no such image' }];
        }),
      );
    },
  },
  {
    id: 'text-length',
    provider,
    text: 'A text has at most 10 485 760 characters.',
    source: 'https://github.com/gptscript-ai/clio/issues/41',
    get failing() {
      return { model: 'm', messages: [{ role: 'user', content: 'a'.repeat(10_485_761) }] };
    },
    find(body) {
      return chatMessagesOf(body).flatMap(({ fields: { content }, parts, path }) => {
        const texts = [
          { text: stringOf(content), path: `${path}.content` },
          ...parts.map(({ fields: { text }, path: at }) => ({ text: stringOf(text), path: `${at}.text` })),
        ];
        const long = texts.filter(({ text }) => text.length > 10_485_760);
        return long.map(({ text, path: at }) => ({ path: at, text: `it has ${text.length} characters` }));
      });
    },
  },
  {
    id: 'one-bound',
    provider,
    text: 'The answer is bounded by one of max_completion_tokens and max_tokens.',
    source: 'https://github.com/langchain-ai/langgraph/issues/5943',
    failing: { model: 'm', messages: [hello], max_tokens: 9, max_completion_tokens: 9 },
    find(body) {
      const { max_tokens, max_completion_tokens } = fieldsOf(body);
      const isTwice = isFound(max_tokens) && isFound(max_completion_tokens);
      return isTwice ? [{ path: 'max_tokens', text: 'max_completion_tokens is there, too' }] : [];
    },
  },
  {
    id: 'bound-positive',
    provider,
    text: 'The bound of the answer is a whole number from 1.',
    source: reference,
    failing: { model: 'm', messages: [hello], max_completion_tokens: 0 },
    find(body) {
      const { max_tokens, max_completion_tokens } = fieldsOf(body);
      return Object.entries({ max_tokens, max_completion_tokens })
        .filter(([, bound]) => isFound(bound) && !isPositive(bound))
        .map(([path, bound]) => ({ path, text: `it is ${JSON.stringify(bound)}` }));
    },
  },
];

function isFound(value: unknown): boolean {
  return value !== undefined && value !== null;
}
