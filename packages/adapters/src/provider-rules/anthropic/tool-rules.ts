import { fieldsOf, isObject, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule } from '../provider-rule.ts';
import { blocksOf, ownTools, toolsOf } from './anthropic-body.ts';

const provider = 'anthropic';
const base = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] };
const schema = { type: 'object', properties: {} };
const read = { name: 'read', input_schema: schema };
const reference = 'https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use';

/** Rules for the tools that are offered, and the choice among them. */
export const toolRules: readonly ProviderRule[] = [
  {
    id: 'tool-name',
    provider,
    text: 'A name of a tool has 1 to 128 letters, digits, "_" and "-".',
    source: 'https://github.com/CherryHQ/cherry-studio/pull/2895',
    failing: { ...base, tools: [{ name: 'fs.read', input_schema: schema }] },
    find(body) {
      const calls = blocksOf(body).filter(({ type }) => type === 'tool_use');
      return [...toolsOf(body), ...calls]
        .map(({ fields: { name }, path }) => ({ name: stringOf(name), path: `${path}.name` }))
        .filter(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
        .map(({ name, path }) => ({ path, text: `"${name}" is no such name` }));
    },
  },
  {
    id: 'own-tool-name',
    provider,
    text: 'No two tools have one name.',
    source: 'https://github.com/tailcallhq/forgecode/issues/892',
    failing: { ...base, tools: [read, read] },
    find(body) {
      const named = toolsOf(body).map(({ fields: { name }, path }) => ({ name: stringOf(name), path }));
      return repeatedNames(named).map(({ path, name }) => ({ path, text: `the name "${name}" is taken` }));
    },
  },
  {
    id: 'tool-schema-object',
    provider,
    text: 'The schema of a tool is of an object.',
    source: reference,
    failing: { ...base, tools: [{ name: 'read', input_schema: { properties: {} } }] },
    find(body) {
      return ownTools(body).flatMap(({ fields: { input_schema }, path }) => {
        const { type } = fieldsOf(input_schema);
        return type === 'object' ? [] : [{ path: `${path}.input_schema`, text: 'its type is not "object"' }];
      });
    },
  },
  {
    id: 'choice-needs-tools',
    provider,
    text: 'A choice among tools needs tools.',
    source: reference,
    failing: { ...base, tool_choice: { type: 'auto' } },
    find(body) {
      const { tool_choice } = fieldsOf(body);
      const isAlone = tool_choice !== undefined && toolsOf(body).length === 0;
      return isAlone ? [{ path: 'tool_choice', text: 'there are no tools' }] : [];
    },
  },
  {
    id: 'choice-known',
    provider,
    text: 'The choice is auto, any, none, or one of the tools.',
    source: reference,
    failing: { ...base, tools: [read], tool_choice: { type: 'tool', name: 'write' } },
    find(body) {
      const { tool_choice } = fieldsOf(body);
      const tools = toolsOf(body);
      if (tool_choice === undefined || tools.length === 0) return [];
      const { type, name } = fieldsOf(tool_choice);
      if (isObject(tool_choice) && ['auto', 'any', 'none'].includes(stringOf(type))) return [];
      const isKnown = type === 'tool' && tools.some(({ fields: { name: offered } }) => offered === name);
      return isKnown ? [] : [{ path: 'tool_choice', text: 'there is no such choice' }];
    },
  },
];
