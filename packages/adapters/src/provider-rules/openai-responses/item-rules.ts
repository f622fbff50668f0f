import { fieldsOf, isFilled, listOf, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { contentOf, goesOn, itemsOf, itemsOfType } from './responses-body.ts';

const provider = 'openai-responses';
const reference = 'https://platform.openai.com/docs/api-reference/responses/create';
const hello = { role: 'user', content: 'hello' };
const roles = ['user', 'system', 'developer', 'assistant'];
const given = ['input_text', 'input_image', 'input_file', 'input_audio'];
const spoken = ['output_text', 'refusal'];

/** Rules for messages: that there are some, their roles and their content. */
export const itemRules: readonly ProviderRule[] = [
  {
    id: 'model-named',
    provider,
    text: 'The body names a model.',
    source: reference,
    failing: { input: 'hello' },
    find(body) {
      const { model, prompt } = fieldsOf(body);
      return isFilled(model) || prompt !== undefined ? [] : [{ path: 'model', text: 'there is no name' }];
    },
  },
  {
    id: 'input-present',
    provider,
    text: 'There is input, unless a kept conversation goes on.',
    source: reference,
    failing: { model: 'm', input: [] },
    find(body) {
      const { prompt } = fieldsOf(body);
      const isPresent = itemsOf(body).length > 0 || goesOn(body) || prompt !== undefined;
      return isPresent ? [] : [{ path: 'input', text: 'there is none' }];
    },
  },
  {
    id: 'item-typed',
    provider,
    text: 'An item has a type, or is a message with a role.',
    source: reference,
    failing: { model: 'm', input: [hello, { content: 'hello' }] },
    find(body) {
      return itemsOf(body).flatMap(({ type, path }) => (type === '' ? [{ path, text: 'it has no type' }] : []));
    },
  },
  {
    id: 'known-roles',
    provider,
    text: 'A message is of the user, the system, the developer or the assistant; results are items of their own.',
    source: reference,
    failing: { model: 'm', input: [hello, { role: 'tool', content: 'ok' }] },
    find(body) {
      return itemsOfType(body, 'message')
        .map(({ fields: { role }, path }) => ({ role: stringOf(role), path: `${path}.role` }))
        .filter(({ role }) => !roles.includes(role))
        .map(({ role, path }) => ({ path, text: `there is no role "${role}"` }));
    },
  },
  {
    id: 'content-present',
    provider,
    text: 'A message has content.',
    source: 'https://github.com/vllm-project/vllm/pull/49130',
    failing: { model: 'm', input: [{ role: 'user', content: [] }] },
    find(body) {
      return itemsOfType(body, 'message').flatMap(({ fields: { content }, path }): RuleFinding[] => {
        const isPresent = typeof content === 'string' || listOf(content).length > 0;
        return isPresent ? [] : [{ path: `${path}.content`, text: 'there is none' }];
      });
    },
  },
  {
    id: 'content-of-role',
    provider,
    text: 'The assistant says output_text and refusal; all others put in input_text, images, files and sounds.',
    source: 'https://github.com/jeremychone/rust-genai/pull/119',
    failing: {
      model: 'm',
      input: [hello, { role: 'assistant', content: [{ type: 'input_text', text: 'hi' }] }],
    },
    find(body) {
      return [...itemsOfType(body, 'message'), ...itemsOfType(body, 'function_call_output')].flatMap((item) => {
        const { role } = item.fields;
        const known = role === 'assistant' ? spoken : given;
        const foreign = contentOf(item).filter(({ type }) => !known.includes(type));
        return foreign.map(({ type, path }) => ({ path, text: `there is no content "${type}" here` }));
      });
    },
  },
  {
    id: 'image-kind',
    provider,
    text: 'An image is a URL, a kept file, or a data URL of a PNG, JPEG, GIF or WebP.',
    source: 'https://github.com/STranslate/STranslate/issues/277',
    failing: {
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/bmp;base64,AAAA' }] }],
    },
    find(body) {
      return itemsOf(body)
        .flatMap(contentOf)
        .flatMap(({ type, fields: { image_url, file_id }, path }) => {
          const isKnown = /^(https?:\/\/.|data:image\/(png|jpe?g|gif|webp);base64,.)/i.test(stringOf(image_url));
          if (type !== 'input_image' || isKnown || isFilled(file_id)) return [];
          return [{ path: `${path}.image_url`, text: 'it is no such image' }];
        });
    },
  },
  {
    id: 'text-length',
    provider,
    text: 'A text has at most 10 485 760 characters.',
    source: 'https://github.com/VectorlyApp/bluebox/issues/31',
    get failing() {
      return { model: 'm', input: [{ role: 'user', content: 'a'.repeat(10_485_761) }] };
    },
    find(body) {
      const items = itemsOf(body);
      return [...items, ...items.flatMap(contentOf)].flatMap(({ fields: { content, output, text }, path }) =>
        Object.entries({ content, output, text })
          .filter(([, value]) => stringOf(value).length > 10_485_760)
          .map(([field, value]) => ({
            path: `${path}.${field}`,
            text: `it has ${stringOf(value).length} characters`,
          })),
      );
    },
  },
  {
    id: 'bound-of-16',
    provider,
    text: 'The bound of the answer is a whole number from 16.',
    source: 'https://github.com/earendil-works/pi/issues/6265',
    failing: { model: 'm', input: 'hello', max_output_tokens: 15 },
    find(body) {
      const { max_output_tokens: bound } = fieldsOf(body);
      const isFine = bound === undefined || bound === null || (Number.isInteger(bound) && Number(bound) >= 16);
      return isFine ? [] : [{ path: 'max_output_tokens', text: `it is ${JSON.stringify(bound)}` }];
    },
  },
];
