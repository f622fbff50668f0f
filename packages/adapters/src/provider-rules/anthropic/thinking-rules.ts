import { fieldsOf, isFilled, stringOf } from '../json-fields.ts';
import type { ProviderRule, RuleFinding } from '../provider-rule.ts';
import { blocksOf, messagesOf, type PlacedBlock } from './anthropic-body.ts';

const provider = 'anthropic';
const hello = { role: 'user', content: 'hello' };
const base = { model: 'm', max_tokens: 4096, messages: [hello] };
const enabled = { type: 'enabled', budget_tokens: 2048 };
const thought = { type: 'thinking', thinking: 'hm', signature: 'signed' };
const call = { type: 'tool_use', id: 'a', name: 'read', input: {} };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };

function isThinking({ type }: PlacedBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The wish for thinking, with its budget when it has one; nothing when the body does not ask for it. */
function wish(body: unknown): { readonly budget: unknown; readonly adaptive: boolean } | null {
  const { thinking } = fieldsOf(body);
  const { type, budget_tokens: budget } = fieldsOf(thinking);
  return type === 'enabled' || type === 'adaptive' ? { budget, adaptive: type === 'adaptive' } : null;
}

/** Rules for reasoning: what is sent back, and what may be asked for. */
export const thinkingRules: readonly ProviderRule[] = [
  {
    id: 'thinking-signed',
    provider,
    text: 'Thinking comes with the signature that the provider gave it.',
    source: 'https://github.com/ding113/claude-code-hub/issues/518',
    failing: {
      ...base,
      messages: [
        hello,
        {
          role: 'assistant',
          content: [
            { ...thought, signature: '' },
            { type: 'text', text: 'so' },
          ],
        },
        hello,
      ],
    },
    find(body) {
      return blocksOf(body).flatMap(({ type, fields: { signature }, path }) =>
        type === 'thinking' && !isFilled(signature) ? [{ path, text: 'there is no signature' }] : [],
      );
    },
  },
  {
    id: 'thinking-sealed',
    provider,
    text: 'Redacted thinking comes with its data.',
    source: 'https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking',
    failing: {
      ...base,
      messages: [
        hello,
        {
          role: 'assistant',
          content: [
            { type: 'redacted_thinking', data: '' },
            { type: 'text', text: 'so' },
          ],
        },
        hello,
      ],
    },
    find(body) {
      return blocksOf(body).flatMap(({ type, fields: { data }, path }) =>
        type === 'redacted_thinking' && !isFilled(data) ? [{ path, text: 'there is no data' }] : [],
      );
    },
  },
  {
    id: 'thinking-not-last',
    provider,
    text: 'A message of the assistant does not end in thinking.',
    source: 'https://github.com/NousResearch/hermes-agent/pull/13010',
    failing: { ...base, messages: [hello, { role: 'assistant', content: [thought] }, hello] },
    find(body) {
      return messagesOf(body).flatMap(({ role, blocks }): RuleFinding[] => {
        const last = blocks.at(-1);
        const isLast = role === 'assistant' && last !== undefined && isThinking(last);
        return isLast ? [{ path: last.path, text: 'nothing follows it' }] : [];
      });
    },
  },
  {
    id: 'thinking-opens-tool-run',
    provider,
    text: 'With a budget for thinking, a run of tools that is still going began with thinking.',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2075',
    failing: {
      ...base,
      thinking: enabled,
      messages: [hello, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }],
    },
    find(body) {
      const wished = wish(body);
      if (wished === null || wished.adaptive) return [];
      const messages = messagesOf(body);
      const spoken = messages.findLastIndex(
        ({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'),
      );
      const first = messages.slice(spoken + 1).find(({ role }) => role === 'assistant');
      if (first === undefined || !first.blocks.some(({ type }) => type === 'tool_use')) return [];
      const [beginning] = first.blocks;
      return beginning === undefined || isThinking(beginning)
        ? []
        : [{ path: beginning.path, text: `the run begins with "${beginning.type}"` }];
    },
  },
  {
    id: 'thinking-budget',
    provider,
    text: 'The budget for thinking is a whole number from 1024.',
    source: 'https://github.com/themaximalist/llm.js/issues/30',
    failing: { ...base, thinking: { type: 'enabled', budget_tokens: 1000 } },
    find(body) {
      const wished = wish(body);
      if (wished === null || wished.adaptive) return [];
      const { budget } = wished;
      const isEnough = typeof budget === 'number' && Number.isInteger(budget) && budget >= 1024;
      return isEnough ? [] : [{ path: 'thinking.budget_tokens', text: `it is ${JSON.stringify(budget)}` }];
    },
  },
  {
    id: 'thinking-budget-in-answer',
    provider,
    text: 'The budget for thinking is below the bound of the answer.',
    source: 'https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking',
    failing: { ...base, max_tokens: 2048, thinking: enabled },
    find(body) {
      const { max_tokens } = fieldsOf(body);
      const budget = wish(body)?.budget;
      const isAbove = typeof budget === 'number' && typeof max_tokens === 'number' && budget >= max_tokens;
      return isAbove ? [{ path: 'thinking.budget_tokens', text: `${budget} is not below ${max_tokens}` }] : [];
    },
  },
  {
    id: 'thinking-unforced',
    provider,
    text: 'Whoever thinks is not forced to call a tool.',
    source: 'https://github.com/can1357/oh-my-pi/issues/341',
    failing: {
      ...base,
      thinking: enabled,
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    },
    find(body) {
      const { tool_choice } = fieldsOf(body);
      const { type } = fieldsOf(tool_choice);
      const isForced = wish(body) !== null && ['any', 'tool'].includes(stringOf(type));
      return isForced ? [{ path: 'tool_choice', text: `it is "${stringOf(type)}"` }] : [];
    },
  },
  {
    id: 'thinking-without-prefill',
    provider,
    text: 'Whoever thinks begins the answer: the last message is of the user.',
    source: 'https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking',
    failing: { ...base, thinking: enabled, messages: [hello, { role: 'assistant', content: 'I' }] },
    find(body) {
      const last = messagesOf(body).at(-1);
      const isBegun = wish(body) !== null && last?.role === 'assistant';
      return isBegun ? [{ path: last.path, text: 'the answer has begun' }] : [];
    },
  },
];
