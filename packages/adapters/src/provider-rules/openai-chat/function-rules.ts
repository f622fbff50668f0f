import { fieldsOf, isObject, listOf, pathOfBadUnicode, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule } from '../provider-rule.ts';
import { chatFunctionsOf, chatMessagesOf } from './chat-body.ts';

const provider = 'openai-chat';
const base = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };
const parameters = { type: 'object', properties: {} };
const reference = 'https://platform.openai.com/docs/api-reference/chat/create';

function offered(name: string, schema: unknown = parameters): unknown {
  return { type: 'function', function: { name, parameters: schema } };
}

/** Rules for the functions that are offered, and the choice among them. */
export const functionRules: readonly ProviderRule[] = [
  {
    id: 'function-name',
    provider,
    text: 'A name of a function has 1 to 64 letters, digits, "_" and "-".',
    source: 'https://github.com/coinbase/agentkit/pull/217',
    failing: { ...base, tools: [offered('fs.read')] },
    find(body) {
      const calls = chatMessagesOf(body).flatMap((message) =>
        message.calls.map(({ called, path }) => ({ called, path: `${path}.function` })),
      );
      return [...chatFunctionsOf(body), ...calls]
        .map(({ called: { name }, path }) => ({ name: stringOf(name), path: `${path}.name` }))
        .filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
        .map(({ name, path }) => ({ path, text: `"${name}" is no such name` }));
    },
  },
  {
    id: 'own-function-name',
    provider,
    text: 'No two functions have one name.',
    source: 'https://github.com/GCWing/OpenBitFun/pull/1610',
    failing: { ...base, tools: [offered('read'), offered('read')] },
    find(body) {
      const named = chatFunctionsOf(body).map(({ called: { name }, path }) => ({ name: stringOf(name), path }));
      return repeatedNames(named).map(({ name, path }) => ({ path, text: `the name "${name}" is taken` }));
    },
  },
  {
    id: 'tools-filled',
    provider,
    text: 'A list of tools is not empty.',
    source: 'https://github.com/QwenLM/qwen-code/issues/2054',
    failing: { ...base, tools: [] },
    find(body) {
      const { tools } = fieldsOf(body);
      return Array.isArray(tools) && tools.length === 0 ? [{ path: 'tools', text: 'it is empty' }] : [];
    },
  },
  {
    id: 'tools-at-most-128',
    provider,
    text: 'There are at most 128 tools.',
    source: 'https://github.com/vishalmysore/Tools4AI/issues/16',
    get failing() {
      return { ...base, tools: Array.from({ length: 129 }, (_, index) => offered(`read-${index}`)) };
    },
    find(body) {
      const { tools } = fieldsOf(body);
      const { length } = listOf(tools);
      return length > 128 ? [{ path: 'tools', text: `there are ${length}` }] : [];
    },
  },
  {
    id: 'parameters-of-object',
    provider,
    text: 'The parameters of a function are a schema of an object.',
    source: 'https://github.com/ComposioHQ/composio/issues/1829',
    failing: { ...base, tools: [offered('read', { properties: {} })] },
    find(body) {
      return chatFunctionsOf(body).flatMap(({ called: { parameters: schema }, path }) => {
        const { type } = fieldsOf(schema);
        if (schema === undefined || type === 'object') return [];
        return [{ path: `${path}.parameters`, text: 'its type is not "object"' }];
      });
    },
  },
  {
    id: 'parameters-with-properties',
    provider,
    text: 'A schema of an object names its properties, be they none.',
    source: 'https://github.com/spring-projects/spring-ai/issues/4776',
    failing: { ...base, tools: [offered('read', { type: 'object' })] },
    find(body) {
      return chatFunctionsOf(body).flatMap(({ called: { parameters: schema }, path }) => {
        const { type, properties } = fieldsOf(schema);
        if (type !== 'object' || isObject(properties)) return [];
        return [{ path: `${path}.parameters`, text: 'there are no properties' }];
      });
    },
  },
  {
    id: 'choice-needs-tools',
    provider,
    text: 'A choice among tools needs tools.',
    source: reference,
    failing: { ...base, tool_choice: 'auto' },
    find(body) {
      const { tools, tool_choice } = fieldsOf(body);
      const isAlone = tool_choice !== undefined && tool_choice !== 'none' && listOf(tools).length === 0;
      return isAlone ? [{ path: 'tool_choice', text: 'there are no tools' }] : [];
    },
  },
  {
    id: 'choice-known',
    provider,
    text: 'The choice is auto, required, none, or one of the functions.',
    source: reference,
    failing: { ...base, tools: [offered('read')], tool_choice: 'any' },
    find(body) {
      const { tools, tool_choice } = fieldsOf(body);
      if (tool_choice === undefined || listOf(tools).length === 0) return [];
      if (typeof tool_choice === 'string' && ['auto', 'required', 'none'].includes(tool_choice)) return [];
      const { type, function: chosen } = fieldsOf(tool_choice);
      const { name } = fieldsOf(chosen);
      if (type !== 'function' && isObject(tool_choice)) return [];
      const isOffered = chatFunctionsOf(body).some(({ called: { name: own } }) => own === name);
      return isOffered && isObject(tool_choice) ? [] : [{ path: 'tool_choice', text: 'there is no such choice' }];
    },
  },
  {
    id: 'valid-unicode',
    provider,
    text: 'No string holds half of a surrogate pair.',
    source: 'https://github.com/JohnnyZ93/oai-compatible-copilot/issues/206',
    failing: { model: 'm', messages: [{ role: 'user', content: 'a\uD800' }] },
    find(body) {
      const path = pathOfBadUnicode(body);
      return path === null ? [] : [{ path, text: 'it holds half of a surrogate pair' }];
    },
  },
];
