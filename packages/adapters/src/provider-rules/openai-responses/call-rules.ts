import { fieldsOf, isJsonObject, repeatedNames, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { callIdOf, goesOn, itemsOf, itemsOfType } from './responses-body.ts';

const provider = 'openai-responses';
const hello = { role: 'user', content: 'hello' };
const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'ok' };
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };

/** How ids of the provider's items begin. */
const idBeginnings: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' };

/** Rules for calls, their outputs, and reasoning. */
export const callRules: readonly ProviderRule[] = [
  {
    id: 'call-answered',
    provider,
    text: 'A call has an output behind it.',
    source: 'https://github.com/bytedance/trae-agent/issues/245',
    failing: { model: 'm', input: [hello, call, hello] },
    find(body) {
      return itemsOf(body).flatMap((item, index, all): RuleFinding[] => {
        if (item.type !== 'function_call') return [];
        const id = callIdOf(item);
        const behind = all.slice(index).some((one) => one.type === 'function_call_output' && callIdOf(one) === id);
        return behind ? [] : [{ path: item.path, text: `nothing behind it answers "${id}"` }];
      });
    },
  },
  {
    id: 'output-needs-call',
    provider,
    text: 'An output has its call before it, unless a kept conversation goes on.',
    source: 'https://github.com/microsoft/vscode/issues/320060',
    failing: { model: 'm', input: [hello, output] },
    find(body) {
      if (goesOn(body)) return [];
      return itemsOf(body).flatMap((item, index, all): RuleFinding[] => {
        if (item.type !== 'function_call_output') return [];
        const id = callIdOf(item);
        const before = all.slice(0, index).some((one) => one.type === 'function_call' && callIdOf(one) === id);
        return before ? [] : [{ path: item.path, text: `nothing before it calls "${id}"` }];
      });
    },
  },
  {
    id: 'own-item-id',
    provider,
    text: 'No two items have one id.',
    source: 'https://github.com/vercel/ai/issues/7883',
    failing: { model: 'm', input: [hello, { ...said, id: 'msg_1' }, hello, { ...said, id: 'msg_1' }] },
    find(body) {
      const named = itemsOf(body).map(({ fields: { id }, path }) => ({ name: stringOf(id), path: `${path}.id` }));
      const again = repeatedNames(named.filter(({ name }) => name !== ''));
      return again.map(({ name, path }) => ({ path, text: `the id "${name}" is taken` }));
    },
  },
  {
    id: 'own-call-id',
    provider,
    text: 'No two calls have one id, and no two outputs.',
    source: 'https://github.com/alvesvaren/zod-to-openai-tool/issues/263',
    failing: { model: 'm', input: [hello, call, call, output] },
    find(body) {
      return ['function_call', 'function_call_output'].flatMap((type) => {
        const named = itemsOfType(body, type).map((item) => ({ name: callIdOf(item), path: `${item.path}.call_id` }));
        return repeatedNames(named).map(({ name, path }) => ({ path, text: `the id "${name}" is taken` }));
      });
    },
  },
  {
    id: 'call-id-length',
    provider,
    text: 'An id of a call has 1 to 64 characters.',
    source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
    failing: { model: 'm', input: [hello, { ...call, call_id: '' }, { ...output, call_id: '' }] },
    find(body) {
      return [...itemsOfType(body, 'function_call'), ...itemsOfType(body, 'function_call_output')]
        .map((item) => ({ path: `${item.path}.call_id`, length: callIdOf(item).length }))
        .filter(({ length }) => length === 0 || length > 64)
        .map(({ path, length }) => ({ path, text: `it has ${length}` }));
    },
  },
  {
    id: 'item-id-beginning',
    provider,
    text: 'Ids begin with what their items are: msg, fc, rs.',
    source: 'https://github.com/openai/codex/issues/33176',
    failing: { model: 'm', input: [hello, { ...call, id: 'call_1' }, output] },
    find(body) {
      return itemsOf(body).flatMap(({ type, fields: { id }, path }): RuleFinding[] => {
        const beginning = idBeginnings[type];
        if (beginning === undefined || id === undefined || id === null) return [];
        return stringOf(id).startsWith(beginning)
          ? []
          : [{ path: `${path}.id`, text: `it does not begin with ${beginning}` }];
      });
    },
  },
  {
    id: 'reasoning-followed',
    provider,
    text: 'Behind reasoning stands what came of it: a message of the assistant, a call, or more reasoning.',
    source: 'https://platform.openai.com/docs/guides/reasoning',
    failing: { model: 'm', input: [hello, thought, hello] },
    find(body) {
      return itemsOf(body).flatMap(({ type, path }, index, all): RuleFinding[] => {
        if (type !== 'reasoning') return [];
        const next = all[index + 1];
        const { role } = next?.fields ?? {};
        const isOthers = next?.type.endsWith('_output') || (next?.type === 'message' && role !== 'assistant');
        return next === undefined || isOthers ? [{ path, text: 'nothing of the model follows it' }] : [];
      });
    },
  },
  {
    id: 'reasoning-readable',
    provider,
    text: 'When nothing is stored, reasoning comes with its encrypted content.',
    source: 'https://github.com/vercel/ai/issues/7543',
    failing: { model: 'm', store: false, input: [hello, { type: 'reasoning', id: 'rs_1', summary: [] }, said] },
    find(body) {
      const { store } = fieldsOf(body);
      if (store !== false) return [];
      return itemsOfType(body, 'reasoning').flatMap(({ fields: { encrypted_content }, path }) =>
        stringOf(encrypted_content) === '' ? [{ path, text: 'there is no encrypted content' }] : [],
      );
    },
  },
  {
    id: 'call-arguments-text',
    provider,
    text: 'The arguments of a call are a string.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    failing: { model: 'm', input: [hello, { ...call, arguments: {} }, output] },
    find(body) {
      return itemsOfType(body, 'function_call').flatMap(({ fields: { arguments: text }, path }) =>
        typeof text === 'string' ? [] : [{ path: `${path}.arguments`, text: 'it is no string' }],
      );
    },
  },
  {
    id: 'call-arguments-object',
    provider,
    text: 'The arguments of a call are JSON of an object: servers with chat templates read them.',
    source: 'https://github.com/local-inference-lab/vllm/issues/684',
    failing: { model: 'm', input: [hello, { ...call, arguments: '{"a"' }, output] },
    find(body) {
      return itemsOfType(body, 'function_call').flatMap(({ fields: { arguments: text }, path }) =>
        typeof text !== 'string' || isJsonObject(text)
          ? []
          : [{ path: `${path}.arguments`, text: 'it is no JSON of an object' }],
      );
    },
  },
  {
    id: 'output-given',
    provider,
    text: 'What a function gave back is a string or a list of content.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    failing: { model: 'm', input: [hello, call, { ...output, output: { ok: true } }] },
    find(body) {
      return itemsOfType(body, 'function_call_output').flatMap(({ fields: { output: given }, path }) =>
        typeof given === 'string' || Array.isArray(given)
          ? []
          : [{ path: `${path}.output`, text: 'it is neither a string nor a list' }],
      );
    },
  },
];
