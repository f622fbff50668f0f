import { isJsonObject, repeatedNames } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { answeredId, chatMessagesOf, resultsBehind } from './chat-body.ts';

const provider = 'openai-chat';
const hello = { role: 'user', content: 'hello' };
const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
const called = { role: 'assistant', content: null, tool_calls: [call] };
const result = { role: 'tool', tool_call_id: 'a', content: 'ok' };

/** Rules for calls and their results. */
export const callRules: readonly ProviderRule[] = [
  {
    id: 'call-answered-next',
    provider,
    text: 'Right behind calls stand the results of all of them.',
    source: 'https://github.com/agno-agi/agno/issues/3105',
    failing: { model: 'm', messages: [hello, called, hello] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ calls }, index, all) => {
        const answered = resultsBehind(all, index).map(answeredId);
        const open = calls.filter(({ id }) => !answered.includes(id));
        return open.map(({ id, path }) => ({ path, text: `no result behind it answers "${id}"` }));
      });
    },
  },
  {
    id: 'result-needs-call',
    provider,
    text: 'A result stands behind the message with its call, with nothing but results between.',
    source: 'https://github.com/prism-php/prism/issues/175',
    failing: { model: 'm', messages: [hello, result] },
    find(body) {
      const all = chatMessagesOf(body);
      return all.flatMap((message, index): RuleFinding[] => {
        if (message.role !== 'tool') return [];
        const asking = all.slice(0, index).findLast(({ role }) => role !== 'tool');
        const id = answeredId(message);
        if (asking?.calls.some((one) => one.id === id) === true) return [];
        return [{ path: message.path, text: `nothing before it calls "${id}"` }];
      });
    },
  },
  {
    id: 'one-result',
    provider,
    text: 'A call has one result.',
    source: 'https://github.com/agno-agi/agno/issues/5116',
    failing: { model: 'm', messages: [hello, called, result, result] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ calls }, index, all) => {
        if (calls.length === 0) return [];
        const results = resultsBehind(all, index).map((one) => ({ name: answeredId(one), path: one.path }));
        return repeatedNames(results).map(({ name, path }) => ({ path, text: `"${name}" has a result already` }));
      });
    },
  },
  {
    id: 'own-call-id',
    provider,
    text: 'No two calls of a message have one id.',
    source: 'https://github.com/agno-agi/agno/issues/5116',
    failing: { model: 'm', messages: [hello, { ...called, tool_calls: [call, call] }, result] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ calls }) => {
        const again = repeatedNames(calls.map(({ id, path }) => ({ name: id, path })));
        return again.map(({ name, path }) => ({ path, text: `the id "${name}" is taken` }));
      });
    },
  },
  {
    id: 'call-id-length',
    provider,
    text: 'An id of a call has 1 to 40 characters.',
    source: 'https://github.com/agno-agi/agno/issues/5382',
    failing: {
      model: 'm',
      messages: [
        hello,
        { ...called, tool_calls: [{ ...call, id: 'a'.repeat(41) }] },
        { ...result, tool_call_id: 'a'.repeat(41) },
      ],
    },
    find(body) {
      return chatMessagesOf(body)
        .flatMap(({ calls }) => calls)
        .filter(({ id }) => id === '' || id.length > 40)
        .map(({ id, path }) => ({ path: `${path}.id`, text: `it has ${id.length}` }));
    },
  },
  {
    id: 'calls-filled',
    provider,
    text: 'A list of calls is not empty.',
    source: 'https://github.com/chatboxai/chatbox/issues/2079',
    failing: { model: 'm', messages: [hello, { role: 'assistant', content: 'hi', tool_calls: [] }] },
    find(body) {
      return chatMessagesOf(body).flatMap(({ fields: { tool_calls }, path }) =>
        Array.isArray(tool_calls) && tool_calls.length === 0
          ? [{ path: `${path}.tool_calls`, text: 'it is empty' }]
          : [],
      );
    },
  },
  {
    id: 'call-arguments-text',
    provider,
    text: 'The arguments of a call are a string.',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    failing: {
      model: 'm',
      messages: [hello, { ...called, tool_calls: [{ ...call, function: { name: 'read', arguments: {} } }] }, result],
    },
    find(body) {
      return chatMessagesOf(body).flatMap(({ calls }) =>
        calls.flatMap(({ called: { arguments: text }, path }) =>
          typeof text === 'string' ? [] : [{ path: `${path}.function.arguments`, text: 'it is no string' }],
        ),
      );
    },
  },
  {
    id: 'call-arguments-object',
    provider,
    text: 'The arguments of a call are JSON of an object: servers with chat templates read them.',
    source: 'https://github.com/vllm-project/vllm/issues/43995',
    failing: {
      model: 'm',
      messages: [
        hello,
        { ...called, tool_calls: [{ ...call, function: { name: 'read', arguments: '{"a"' } }] },
        result,
      ],
    },
    find(body) {
      return chatMessagesOf(body).flatMap(({ calls }) =>
        calls.flatMap(({ called: { arguments: text }, path }) =>
          typeof text !== 'string' || isJsonObject(text)
            ? []
            : [{ path: `${path}.function.arguments`, text: 'it is no JSON of an object' }],
        ),
      );
    },
  },
];
