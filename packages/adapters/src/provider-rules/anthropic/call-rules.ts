import { isObject, listOf, type Repeated, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { blocksOf, innerBlocks, messagesOf, type PlacedBlock, type PlacedMessage } from './anthropic-body.ts';

const provider = 'anthropic';
const base = { model: 'm', max_tokens: 9 };
const hello = { role: 'user', content: 'hello' };
const call = { type: 'tool_use', id: 'a', name: 'read', input: {} };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
const called = { role: 'assistant', content: [call] };
const answered = { role: 'user', content: [result] };

function callIds(message: PlacedMessage | undefined): readonly Repeated[] {
  return namedBlocks(message?.blocks ?? [], 'tool_use');
}

function resultIds(message: PlacedMessage | undefined): readonly Repeated[] {
  return namedBlocks(message?.blocks ?? [], 'tool_result');
}

function namedBlocks(blocks: readonly PlacedBlock[], type: 'tool_use' | 'tool_result'): readonly Repeated[] {
  return blocks
    .filter((block) => block.type === type)
    .map(({ fields: { id, tool_use_id }, path }) => ({ name: stringOf(type === 'tool_use' ? id : tool_use_id), path }));
}

function holds(ids: readonly Repeated[], name: string): boolean {
  return ids.some((one) => one.name === name);
}

/** Rules for calls of tools and their results. */
export const callRules: readonly ProviderRule[] = [
  {
    id: 'call-answered-next',
    provider,
    text: 'The message behind a call holds its result.',
    source: 'https://github.com/anthropics/claude-code/issues/1237',
    failing: { ...base, messages: [hello, called, hello] },
    find(body) {
      return messagesOf(body).flatMap((message, index, all): RuleFinding[] => {
        if (message.role !== 'assistant') return [];
        const results = resultIds(all[index + 1]);
        const open = callIds(message).filter(({ name }) => !holds(results, name));
        return open.map(({ path, name }) => ({ path, text: `the next message has no result for "${name}"` }));
      });
    },
  },
  {
    id: 'result-needs-call',
    provider,
    text: 'The message before a result holds its call.',
    source: 'https://github.com/anthropics/claude-code/issues/13460',
    failing: { ...base, messages: [hello, { role: 'assistant', content: 'hi' }, answered] },
    find(body) {
      return messagesOf(body).flatMap((message, index, all): RuleFinding[] => {
        if (message.role !== 'user') return [];
        const before = all[index - 1];
        const calls = before?.role === 'assistant' ? callIds(before) : [];
        const stray = resultIds(message).filter(({ name }) => !holds(calls, name));
        return stray.map(({ path, name }) => ({ path, text: `the message before does not call "${name}"` }));
      });
    },
  },
  {
    id: 'results-first',
    provider,
    text: 'Results stand before all else in their message.',
    source: 'https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use',
    failing: { ...base, messages: [hello, called, { role: 'user', content: [{ type: 'text', text: 'so' }, result] }] },
    find(body) {
      return messagesOf(body).flatMap(({ role, blocks }): RuleFinding[] => {
        const first = blocks.findIndex(({ type }) => type !== 'tool_result');
        if (role !== 'user' || first < 0) return [];
        const late = blocks.slice(first).filter(({ type }) => type === 'tool_result');
        return late.map(({ path }) => ({ path, text: 'something stands before it' }));
      });
    },
  },
  {
    id: 'one-result',
    provider,
    text: 'A call has one result.',
    source: 'https://github.com/anthropics/claude-code/issues/20901',
    failing: { ...base, messages: [hello, called, { role: 'user', content: [result, result] }] },
    find(body) {
      return messagesOf(body).flatMap((message) =>
        repeatedNames(resultIds(message)).map(({ path, name }) => ({ path, text: `"${name}" has a result already` })),
      );
    },
  },
  {
    id: 'own-call-id',
    provider,
    text: 'No two calls have one id.',
    source: 'https://github.com/anthropics/claude-code/issues/20901',
    failing: { ...base, messages: [hello, called, answered, called, answered] },
    find(body) {
      const calls = namedBlocks(blocksOf(body), 'tool_use');
      return repeatedNames(calls).map(({ path, name }) => ({ path, text: `the id "${name}" is taken` }));
    },
  },
  {
    id: 'call-id-characters',
    provider,
    text: 'An id of a call is made of letters, digits, "_" and "-".',
    source: 'https://github.com/BlockRunAI/ClawRouter/issues/17',
    failing: {
      ...base,
      messages: [
        hello,
        { role: 'assistant', content: [{ ...call, id: 'a.1' }] },
        { role: 'user', content: [{ ...result, tool_use_id: 'a.1' }] },
      ],
    },
    find(body) {
      const blocks = blocksOf(body);
      const ids = [...namedBlocks(blocks, 'tool_use'), ...namedBlocks(blocks, 'tool_result')];
      return ids
        .filter(({ name }) => !/^[a-zA-Z0-9_-]+$/.test(name))
        .map(({ path, name }) => ({ path, text: `the id "${name}" has other characters` }));
    },
  },
  {
    id: 'call-input-object',
    provider,
    text: 'The input of a call is an object.',
    source: 'https://docs.anthropic.com/en/api/messages',
    failing: { ...base, messages: [hello, { role: 'assistant', content: [{ ...call, input: '{' }] }, answered] },
    find(body) {
      return blocksOf(body).flatMap(({ type, fields: { input }, path }) =>
        type === 'tool_use' && !isObject(input) ? [{ path: `${path}.input`, text: 'it is not an object' }] : [],
      );
    },
  },
  {
    id: 'error-says-something',
    provider,
    text: 'A result that is an error is not empty.',
    source: 'https://github.com/jlevy/markform/issues/153',
    failing: {
      ...base,
      messages: [hello, called, { role: 'user', content: [{ ...result, content: '', is_error: true }] }],
    },
    find(body) {
      return blocksOf(body).flatMap(({ type, fields: { is_error, content }, path }) => {
        const isEmpty = stringOf(content) === '' && listOf(content).length === 0;
        return type === 'tool_result' && is_error === true && isEmpty ? [{ path, text: 'the error is empty' }] : [];
      });
    },
  },
  {
    id: 'result-content',
    provider,
    text: 'A result holds texts, images, documents and what searches find.',
    source: 'https://docs.anthropic.com/en/api/messages',
    failing: {
      ...base,
      messages: [hello, called, { role: 'user', content: [{ ...result, content: [{ type: 'audio' }] }] }],
    },
    find(body) {
      const known = ['text', 'image', 'document', 'search_result', 'tool_reference', ''];
      return blocksOf(body)
        .flatMap(innerBlocks)
        .filter(({ type }) => !known.includes(type))
        .map(({ type, path }) => ({ path, text: `a result holds no "${type}"` }));
    },
  },
];
