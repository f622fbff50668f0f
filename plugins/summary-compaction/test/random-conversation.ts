import { type AssistantMessage, type CompactTrigger, estimateTokens, type Message, type ToolOutput } from '@varve/core';
import fc from 'fast-check';

/** One thing that happens in a conversation. */
type Step =
  | { readonly do: 'say'; readonly message: Message }
  /** The assistant answers and calls tools; `replies` says which of the calls get which results, in which order. */
  | { readonly do: 'call'; readonly message: AssistantMessage; readonly replies: readonly Message[] }
  | { readonly do: 'ask' }
  | { readonly do: 'compact'; readonly trigger: CompactTrigger }
  /** Takes the newest compaction back. */
  | { readonly do: 'undo' }
  /** The host is restarted. */
  | { readonly do: 'reopen' }
  /** Another model takes over. */
  | { readonly do: 'switch' }
  /** The prompt cache expires. */
  | { readonly do: 'wait' };

/** A conversation and the budget of its prompts. */
export interface Conversation {
  readonly inputTokens: number;
  readonly steps: readonly Step[];
}

/** Kinds of text, some of them hard to count, to cut and to quote. */
const fills = [
  'clay and silt, ',
  'const a = "src/lake.ts:12";\n',
  '粘土とシルト。',
  '점토와 실트 ',
  '😀',
  '# Task\n',
  '$& $1 ',
];

/** Sizes as shares of the budget: what people say is small beside it, what tools say need not be. */
const spoken = fc.constantFrom(0, 0.002, 0.002, 0.01, 0.05, 0.15);
const returned = fc.constantFrom(0, 0.002, 0.02, 0.1, 0.5, 2);

/** Conversations with parallel, failing, interrupted and repeated calls, empty messages, and whatever else happens. */
export const conversation: fc.Arbitrary<Conversation> = fc
  .constantFrom(4_000, 8_000, 16_000, 64_000)
  .chain((inputTokens) => {
    const step = stepOf(inputTokens);
    return fc.array(step, { maxLength: 60, size: 'max' }).map((steps) => shownBriefly({ inputTokens, steps }));
  });

/** Counterexamples are printed with the lengths of their texts. */
function shownBriefly(given: Conversation): Conversation {
  const brief = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > 30 ? `${value.slice(0, 10)}… ${value.length}` : value;
  return Object.defineProperty(given, fc.toStringMethod, { value: () => JSON.stringify(given, brief) });
}

/**
 * Conversations as agents have them: turns with loops of calls that are all answered, a request before each answer.
 * What users and the model say is short beside the budget, a result at most a fifth of it.
 */
export const agentSession: fc.Arbitrary<Conversation> = fc.constantFrom(8_000, 32_000, 64_000).chain((inputTokens) => {
  const said = textOf(inputTokens, fc.constantFrom(0.001, 0.01, 0.03));
  const returned = textOf(inputTokens, fc.constantFrom(0.001, 0.01, 0.05, 0.2));
  const round = fc.tuple(said, fc.array(returned, { minLength: 1, maxLength: 3 }));
  const turn = fc.record({ asked: said, rounds: fc.array(round, { maxLength: 20, size: 'max' }), answer: said });
  return fc.array(turn, { minLength: 3, maxLength: 12, size: 'max' }).map((turns) => {
    const steps = turns.flatMap(({ asked, rounds, answer }, t): Step[] => [
      { do: 'say', message: { role: 'user', content: asked } },
      { do: 'ask' },
      ...rounds.flatMap(([text, results], r): Step[] => [roundOf(`${t}-${r}`, text, results), { do: 'ask' }]),
      { do: 'say', message: { role: 'assistant', content: answer } },
    ]);
    return shownBriefly({ inputTokens, steps });
  });
});

function roundOf(name: string, text: string, results: readonly string[]): Step {
  const parts = results.map((value, n) => {
    const id = { toolCallId: `${name}-${n}`, toolName: 'read' };
    const output = { type: 'text', value } as const;
    return { call: { type: 'tool-call', ...id, input: {} }, result: { type: 'tool-result', ...id, output } } as const;
  });
  const content = [{ type: 'text' as const, text }, ...parts.map(({ call }) => call)];
  const replies = parts.map(({ result }): Message => ({ role: 'tool', content: [result] }));
  return { do: 'call', message: { role: 'assistant', content }, replies };
}

function stepOf(inputTokens: number): fc.Arbitrary<Step> {
  const text = (share: fc.Arbitrary<number>): fc.Arbitrary<string> => textOf(inputTokens, share);
  return fc.oneof(
    { weight: 5, arbitrary: userMessage(text(spoken)).map((message): Step => ({ do: 'say', message })) },
    { weight: 4, arbitrary: assistantMessage(text(spoken)).map((message): Step => ({ do: 'say', message })) },
    { weight: 8, arbitrary: toolCalls(text(spoken), text(returned)) },
    { weight: 8, arbitrary: fc.constant<Step>({ do: 'ask' }) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom<CompactTrigger>('manual', 'overflow', 'background')
        .map((trigger): Step => ({ do: 'compact', trigger })),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Step>({ do: 'undo' }, { do: 'reopen' }, { do: 'switch' }, { do: 'wait' }),
    },
  );
}

/** A text that takes about that share of the budget, or up to twice of it. */
function textOf(inputTokens: number, share: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return fc.tuple(share, fc.constantFrom(...fills), fc.nat(999)).map(([size, fill, id]) => {
    const count = Math.ceil((size * inputTokens) / estimateTokens(fill));
    return size === 0 ? '' : `${id}: ${fill.repeat(count)}`;
  });
}

function userMessage(text: fc.Arbitrary<string>): fc.Arbitrary<Message> {
  return fc.oneof(
    { weight: 6, arbitrary: text.map((content): Message => ({ role: 'user', content })) },
    {
      weight: 1,
      arbitrary: fc
        .array(text, { maxLength: 2 })
        .map((texts): Message => ({ role: 'user', content: texts.map((each) => ({ type: 'text', text: each })) })),
    },
    {
      weight: 1,
      arbitrary: text.map((each): Message => {
        const image = { type: 'image', image: 'iVBORw0KGgo=' } as const;
        return { role: 'user', content: [{ type: 'text', text: each }, image] };
      }),
    },
  );
}

function assistantMessage(text: fc.Arbitrary<string>): fc.Arbitrary<Message> {
  return fc.oneof(
    text.map((content): Message => ({ role: 'assistant', content })),
    fc.constant<Message>({ role: 'assistant', content: [] }),
    text.map((each): Message => ({ role: 'assistant', content: [{ type: 'reasoning', text: each }] })),
  );
}

/** Ids come from a small set, so that some are used again. */
const callId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

function toolCalls(spokenText: fc.Arbitrary<string>, returnedText: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  const call = fc.record({
    id: callId,
    result: returnedText,
    fate: fc.constantFrom('ok', 'ok', 'ok', 'ok', 'error', 'json', 'content', 'none', 'twice', 'stray'),
  });
  return fc
    .record({ text: spokenText, calls: fc.array(call, { minLength: 1, maxLength: 3 }), together: fc.boolean() })
    .chain(({ text, calls, together }) => {
      const parts = calls.map(({ id }) => {
        return { type: 'tool-call', toolCallId: id, toolName: 'read', input: { path: `src/${id}.ts` } } as const;
      });
      const content = text === '' ? parts : [{ type: 'text' as const, text }, ...parts];
      const results = calls.flatMap(({ id, result, fate }) => resultParts(id, result, fate));
      return fc.shuffledSubarray(results, { minLength: results.length }).map((shuffled): Step => {
        const each = (one: (typeof results)[number]): Message => ({ role: 'tool', content: [one] });
        const replies: Message[] = together ? [{ role: 'tool', content: shuffled }] : shuffled.map(each);
        return { do: 'call', message: { role: 'assistant', content }, replies: results.length === 0 ? [] : replies };
      });
    });
}

function resultParts(id: string, text: string, fate: string) {
  const part = (toolCallId: string, output: ToolOutput) =>
    ({ type: 'tool-result', toolCallId, toolName: 'read', output }) as const;
  const value = { type: 'text', value: text } as const;
  if (fate === 'none') return [];
  if (fate === 'error') return [part(id, { type: 'error-text', value: text })];
  if (fate === 'json') return [part(id, { type: 'json', value: { text } })];
  if (fate === 'content') {
    const image = { type: 'image', image: 'iVBORw0KGgo=' } as const;
    return [part(id, { type: 'content', value: [{ type: 'text', text }, image] })];
  }
  if (fate === 'twice') return [part(id, value), part(id, value)];
  return fate === 'stray' ? [part(`${id}-stray`, value)] : [part(id, value)];
}
