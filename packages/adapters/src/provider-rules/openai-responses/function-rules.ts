import { fieldsOf, isObject, listOf, pathOfBadUnicode, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule } from '../provider-rule.ts';
import { functionsOf, itemsOfType } from './responses-body.ts';

const provider = 'openai-responses';
const base = { model: 'm', input: 'hello' };
const reference = 'https://platform.openai.com/docs/api-reference/responses/create';

function offered(name: string, parameters: unknown = { type: 'object', properties: {} }): unknown {
  return { type: 'function', name, parameters };
}

/** Rules for the functions that are offered, and the choice among them. */
export const functionRules: readonly ProviderRule[] = [
  {
    id: 'function-name',
    provider,
    text: 'A name of a function has 1 to 64 letters, digits, "_" and "-".',
    source: 'https://github.com/brekkylab/ailoy/pull/109',
    failing: { ...base, tools: [offered('fs.read')] },
    find(body) {
      return [...functionsOf(body), ...itemsOfType(body, 'function_call')]
        .map(({ fields: { name }, path }) => ({ name: stringOf(name), path: `${path}.name` }))
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
      const named = functionsOf(body).map(({ fields: { name }, path }) => ({ name: stringOf(name), path }));
      return repeatedNames(named).map(({ name, path }) => ({ path, text: `the name "${name}" is taken` }));
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
      return functionsOf(body).flatMap(({ fields: { parameters }, path }) => {
        const { type } = fieldsOf(parameters);
        const isFine = parameters === undefined || parameters === null || type === 'object';
        return isFine ? [] : [{ path: `${path}.parameters`, text: 'its type is not "object"' }];
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
      return functionsOf(body).flatMap(({ fields: { parameters }, path }) => {
        const { type, properties } = fieldsOf(parameters);
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
    failing: { ...base, tool_choice: 'required' },
    find(body) {
      const { tools, tool_choice } = fieldsOf(body);
      const isForced = tool_choice === 'required' || isObject(tool_choice);
      return isForced && listOf(tools).length === 0 ? [{ path: 'tool_choice', text: 'there are no tools' }] : [];
    },
  },
  {
    id: 'choice-known',
    provider,
    text: 'The choice is auto, required, none, or one of the tools.',
    source: reference,
    failing: { ...base, tools: [offered('read')], tool_choice: { type: 'function', name: 'write' } },
    find(body) {
      const { tools, tool_choice } = fieldsOf(body);
      if (tool_choice === undefined || listOf(tools).length === 0) return [];
      const { type, name } = fieldsOf(tool_choice);
      const isNamed = functionsOf(body).some(({ fields: { name: own } }) => own === name);
      const isKnown = isObject(tool_choice)
        ? type !== 'function' || isNamed
        : ['auto', 'required', 'none'].includes(stringOf(tool_choice));
      return isKnown ? [] : [{ path: 'tool_choice', text: 'there is no such choice' }];
    },
  },
  {
    id: 'valid-unicode',
    provider,
    text: 'No string holds half of a surrogate pair.',
    source: 'https://github.com/JohnnyZ93/oai-compatible-copilot/issues/206',
    failing: { ...base, input: 'a\uD800' },
    find(body) {
      const path = pathOfBadUnicode(body);
      return path === null ? [] : [{ path, text: 'it holds half of a surrogate pair' }];
    },
  },
];
