import { fieldsOf, stringOf } from '../json-fields.ts';
import type { ProviderRule } from '../provider-rule.ts';
import { allBlocks, type PlacedBlock, toolsOf } from './anthropic-body.ts';

const provider = 'anthropic';
const mark = { type: 'ephemeral' };
const long = { type: 'ephemeral', ttl: '1h' };
const said = { type: 'text', text: 'hello' };
const base = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [said] }] };
const reference = 'https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching';

/** What carries a mark, in the order in which the provider reads: tools, the system prompt, messages. */
function marked(body: unknown): readonly PlacedBlock[] {
  const isMarked = ({ fields: { cache_control } }: PlacedBlock) =>
    cache_control !== undefined && cache_control !== null;
  return [...toolsOf(body), ...allBlocks(body)].filter(isMarked);
}

function timeOf({ fields: { cache_control } }: PlacedBlock): string {
  const { ttl } = fieldsOf(cache_control);
  return ttl === undefined ? '5m' : stringOf(ttl);
}

/** Rules for cache marks: how many, where, and which. */
export const cacheRules: readonly ProviderRule[] = [
  {
    id: 'four-marks',
    provider,
    text: 'There are at most 4 cache marks in tools, the system prompt and messages together.',
    source: 'https://github.com/tghamm/Anthropic.SDK/issues/50',
    failing: { ...base, system: Array.from({ length: 5 }, () => ({ ...said, cache_control: mark })) },
    find(body) {
      const [, , , , fifth, ...more] = marked(body);
      return fifth === undefined ? [] : [{ path: fifth.path, text: `${5 + more.length} blocks are marked` }];
    },
  },
  {
    id: 'mark-not-on-thinking',
    provider,
    text: 'Reasoning carries no cache mark.',
    source: 'https://github.com/Wei-Shaw/sub2api/issues/225',
    failing: {
      ...base,
      messages: [
        ...base.messages,
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'hm', signature: 's', cache_control: mark }, said],
        },
        ...base.messages,
      ],
    },
    find(body) {
      return marked(body)
        .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
        .map(({ path }) => ({ path, text: 'reasoning is marked' }));
    },
  },
  {
    id: 'mark-not-on-blank-text',
    provider,
    text: 'A text without a visible character carries no cache mark.',
    source: reference,
    failing: {
      ...base,
      messages: [{ role: 'user', content: [said, { type: 'text', text: '', cache_control: mark }] }],
    },
    find(body) {
      return marked(body)
        .filter(({ type, fields: { text } }) => type === 'text' && stringOf(text).trim() === '')
        .map(({ path }) => ({ path, text: 'a blank text is marked' }));
    },
  },
  {
    id: 'mark-known',
    provider,
    text: 'A cache mark is ephemeral, and lasts 5 minutes or 1 hour.',
    source: reference,
    failing: { ...base, system: [{ ...said, cache_control: { type: 'ephemeral', ttl: '2h' } }] },
    find(body) {
      return marked(body).flatMap((block) => {
        const { cache_control } = block.fields;
        const { type } = fieldsOf(cache_control);
        const isKnown = type === 'ephemeral' && ['5m', '1h'].includes(timeOf(block));
        return isKnown ? [] : [{ path: `${block.path}.cache_control`, text: 'there is no such mark' }];
      });
    },
  },
  {
    id: 'longer-mark-first',
    provider,
    text: 'A mark of 1 hour does not stand behind one of 5 minutes.',
    source: 'https://github.com/headroomlabs-ai/headroom/issues/2939',
    failing: {
      ...base,
      system: [{ ...said, cache_control: mark }],
      messages: [{ role: 'user', content: [{ ...said, cache_control: long }] }],
    },
    find(body) {
      const all = marked(body);
      const short = all.findIndex((block) => timeOf(block) === '5m');
      if (short < 0) return [];
      return all
        .slice(short)
        .filter((block) => timeOf(block) === '1h')
        .map(({ path }) => ({ path, text: 'a shorter mark stands before it' }));
    },
  },
];
