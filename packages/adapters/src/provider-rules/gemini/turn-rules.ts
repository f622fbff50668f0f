import { fieldsOf, isPositive, jsonBytes } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { dataOf, partsOf, respondingParts, systemPartsOf, turnsOf } from './gemini-body.ts';

const provider = 'gemini';
const reference = 'https://ai.google.dev/api/generate-content';
const hello = { role: 'user', parts: [{ text: 'hello' }] };
const mega = 1024 * 1024;

/** Rules for turns and their parts. */
export const turnRules: readonly ProviderRule[] = [
  {
    id: 'contents-present',
    provider,
    text: 'There is at least one turn.',
    source: reference,
    failing: { contents: [] },
    find(body) {
      return turnsOf(body).length > 0 ? [] : [{ path: 'contents', text: 'there is none' }];
    },
  },
  {
    id: 'known-roles',
    provider,
    text: 'A turn is of the user or of the model.',
    source: 'https://github.com/the-open-agent/openagent/issues/1666',
    failing: { contents: [hello, { role: 'assistant', parts: [{ text: 'hi' }] }, hello] },
    find(body) {
      // Vertex and older versions also know a role for responses.
      return turnsOf(body).flatMap(({ role, path }) =>
        ['user', 'model', 'function'].includes(role)
          ? []
          : [{ path: `${path}.role`, text: `there is no role "${role}"` }],
      );
    },
  },
  {
    id: 'parts-present',
    provider,
    text: 'A turn has parts.',
    source: 'https://github.com/vercel/ai/issues/3775',
    failing: { contents: [hello, { role: 'model', parts: [] }, hello] },
    find(body) {
      return turnsOf(body).flatMap(({ parts, path }) =>
        parts.length > 0 ? [] : [{ path: `${path}.parts`, text: 'there is none' }],
      );
    },
  },
  {
    id: 'part-filled',
    provider,
    text: 'A part is one thing, such as a text, data, a call or a response.',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/1292',
    failing: { contents: [{ role: 'user', parts: [{ text: 'hello' }, {}] }] },
    find(body) {
      return [...systemPartsOf(body), ...partsOf(body)].flatMap((part): RuleFinding[] => {
        const { length } = dataOf(part);
        return length === 1 ? [] : [{ path: part.path, text: `it is ${length} things` }];
      });
    },
  },
  {
    id: 'system-filled',
    provider,
    text: 'The system instruction has a text that is not empty.',
    source: 'https://github.com/songquanpeng/one-api/issues/2243',
    failing: { contents: [hello], systemInstruction: { parts: [{ text: '' }] } },
    find(body) {
      const { systemInstruction, system_instruction } = fieldsOf(body);
      const given = systemInstruction ?? system_instruction;
      const empty = systemPartsOf(body).filter(({ fields: { text } }) => text === '');
      if (given !== undefined && systemPartsOf(body).length === 0)
        return [{ path: 'systemInstruction', text: 'there are no parts' }];
      return empty.map(({ path }) => ({ path, text: 'the text is empty' }));
    },
  },
  {
    id: 'last-of-user',
    provider,
    text: 'The last turn is of the user, or answers calls.',
    source: 'https://github.com/songquanpeng/one-api/issues/836',
    failing: { contents: [hello, { role: 'model', parts: [{ text: 'hi' }] }] },
    find(body) {
      const last = turnsOf(body).at(-1);
      return last?.role === 'model' ? [{ path: last.path, text: 'it is of the model' }] : [];
    },
  },
  {
    id: 'responses-of-user',
    provider,
    text: 'Responses of functions are of the user.',
    source: 'https://github.com/sashiko-dev/sashiko/pull/500',
    failing: {
      contents: [
        hello,
        { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
        { role: 'function', parts: [{ functionResponse: { name: 'read', response: {} } }] },
      ],
    },
    find(body) {
      return turnsOf(body).flatMap((turn) =>
        turn.role !== 'user' && respondingParts(turn).length > 0
          ? [{ path: `${turn.path}.role`, text: `it is "${turn.role}"` }]
          : [],
      );
    },
  },
  {
    id: 'bound-positive',
    provider,
    text: 'The bound of the answer is a whole number from 1.',
    source: reference,
    failing: { contents: [hello], generationConfig: { maxOutputTokens: 0 } },
    find(body) {
      const { generationConfig } = fieldsOf(body);
      const { maxOutputTokens: bound } = fieldsOf(generationConfig);
      if (bound === undefined || isPositive(bound)) return [];
      return [{ path: 'generationConfig.maxOutputTokens', text: `it is ${JSON.stringify(bound)}` }];
    },
  },
  {
    id: 'body-size',
    provider,
    text: 'A body has at most 20 MB, data within it included.',
    source: 'https://ai.google.dev/gemini-api/docs/image-understanding',
    get failing() {
      return { contents: [{ role: 'user', parts: [{ text: 'a'.repeat(20 * mega) }] }] };
    },
    find(body) {
      const bytes = jsonBytes(body);
      return bytes > 20 * mega ? [{ path: '', text: `it has ${bytes} bytes` }] : [];
    },
  },
];
