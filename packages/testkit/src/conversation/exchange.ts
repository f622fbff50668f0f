import type {
  AssistantMessage,
  ImagePart,
  Message,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from '@varve/core';
import type { ExchangePlan, Utterance } from './generate-conversation.ts';
import { type Random, seededRandom } from './seeded-random.ts';
import { largeResultChars, type Trait } from './trait.ts';

/** What an exchange is made with. */
interface Making {
  readonly random: Random;
  /** Number of the exchange. */
  readonly index: number;
  has(trait: Trait): boolean;
}

/** The messages of one exchange: what the user says, rounds of tool calls, and an answer. */
export function exchangeOf({ seed, traits }: ExchangePlan, index: number): readonly Utterance[] {
  const making: Making = { random: seededRandom(seed), index, has: (trait) => traits.includes(trait) };
  const { random, has } = making;
  const asked: Utterance = { message: userMessage(making), exchange: index };
  const first = has('duplicate-key') ? { ...asked, key: `key-${index}` } : asked;
  const least = has('reused-call-id') ? 2 : 1;
  const rounds = Array.from({ length: random.integer(least, 3) }, (_, round) => roundOf(making, round));
  const rest: readonly Message[] = [
    ...rounds.flat(),
    ...(has('orphan-result') ? [toolMessage([resultOf(making, `lost-${index}`)])] : []),
    ...(has('empty-text') ? [emptyMessage(random)] : []),
    answerOf(making),
  ];
  const said = rest.map((message): Utterance => ({ message, exchange: index }));
  return has('duplicate-key') ? [first, first, ...said] : [first, ...said];
}

const plainTexts = [
  'clay and silt, ',
  'Read src/lake.ts:12 first. ',
  'const depth = 12;\n',
  '😀 ',
  '# Task\n',
] as const;
const cjkTexts = ['粘土とシルト。', '湖底的沉积物。', '점토와 실트 '] as const;

function textOf({ random, has, index }: Making, most: number): string {
  const fill = has('cjk') && random.chance(0.7) ? random.pick(cjkTexts) : random.pick(plainTexts);
  const text = `${index}: ${fill.repeat(random.integer(1, most))}`;
  return has('dollar-ampersand') ? `$& $1 $\` ${text}` : text;
}

const image: ImagePart = { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' };

function userMessage(making: Making): Message {
  // The first text of an exchange shows its script and its signs, whatever chance gives the others.
  const cjk = making.has('cjk') ? cjkTexts[0] : '';
  const text = `${textOf(making, 6)}${cjk}`;
  if (making.has('image')) return { role: 'user', content: [{ type: 'text', text }, image] };
  return { role: 'user', content: making.random.chance(0.3) ? [{ type: 'text', text }] : text };
}

/** An assistant message with calls, and what comes back. */
function roundOf(making: Making, round: number): readonly Message[] {
  const { random, index, has } = making;
  const count = has('parallel-calls') ? random.integer(2, 4) : 1;
  const ids = Array.from({ length: count }, (_, call) =>
    has('reused-call-id') && call === 0 ? `again-${index}` : `call-${index}-${round}-${call}`,
  );
  const calls = ids.map((toolCallId): ToolCallPart => {
    return { type: 'tool-call', toolCallId, toolName: random.pick(toolNames), input: { path: `src/${toolCallId}.ts` } };
  });
  const message: AssistantMessage = {
    role: 'assistant',
    content: [...openingParts(making), ...calls],
    stop: 'tool-calls',
  };
  const isOpen = has('open-call') && round === 0;
  const answered = isOpen ? calls.slice(0, -1) : calls;
  const results = shuffled(answered, random).map(({ toolCallId }, at) =>
    resultOf(making, toolCallId, has('large-result') && round === 0 && at === 0),
  );
  const replies =
    random.chance(0.5) || results.length === 0 ? together(results) : results.map((one) => toolMessage([one]));
  const between: Message[] =
    has('user-inside-group') && round === 0 ? [{ role: 'user', content: textOf(making, 2) }] : [];
  // An open call leaves nothing to be inside of when it is the only one.
  return [message, ...between, ...replies];
}

const toolNames = ['read', 'bash', 'web_fetch'] as const;

function openingParts(making: Making): readonly (TextPart | ReasoningPart)[] {
  const { random, has } = making;
  const parts: (TextPart | ReasoningPart)[] = [];
  if (has('signed-reasoning')) {
    const providerOptions = { anthropic: { signature: `sig+/${random.integer(0, 1e9).toString(36)}==` } };
    parts.push({ type: 'reasoning', text: textOf(making, 4), providerOptions });
  }
  if (random.chance(0.6)) parts.push({ type: 'text', text: textOf(making, 4) });
  return parts;
}

function resultOf(making: Making, toolCallId: string, isLarge = false): ToolResultPart {
  const { random } = making;
  const output = isLarge ? largeOutput(random) : outputOf(making);
  return { type: 'tool-result', toolCallId, toolName: random.pick(toolNames), output };
}

/** Sizes of results, in repetitions of a short text: most are small, some are longer than all the rest. */
const sizes = [1, 4, 4, 20, 20, 120, 400] as const;

function outputOf(making: Making): ToolOutput {
  const { random } = making;
  const value = textOf(making, random.pick(sizes));
  const kind = random.pick(['text', 'text', 'text', 'text', 'error-text', 'json', 'content'] as const);
  if (kind === 'json') return { type: 'json', value: { lines: [value, null, 1.5], ok: true } };
  if (kind === 'content')
    return { type: 'content', value: [{ type: 'text', text: value }, ...(random.chance(0.3) ? [image] : [])] };
  return { type: kind, value };
}

/** Built by repetition, so that it takes no room before somebody reads it. */
function largeOutput(random: Random): ToolOutput {
  const line = `${random.integer(0, 1e6)} rows of silt, 湖, "quoted"\n`;
  return { type: 'text', value: line.repeat(Math.ceil(largeResultChars / line.length)) };
}

function answerOf(making: Making): Message {
  const content = textOf(making, 5);
  if (making.has('aborted-assistant')) return { role: 'assistant', content: content.slice(0, 7), stop: 'aborted' };
  return making.random.chance(0.5)
    ? { role: 'assistant', content }
    : { role: 'assistant', content: [{ type: 'text', text: content }] };
}

function emptyMessage(random: Random): Message {
  return random.pick<Message>([
    { role: 'user', content: '' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: [{ type: 'text', text: '' }] },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ]);
}

function toolMessage(content: readonly ToolResultPart[]): Message {
  return { role: 'tool', content };
}

function together(results: readonly ToolResultPart[]): readonly Message[] {
  return results.length === 0 ? [] : [toolMessage(results)];
}

function shuffled<Value>(values: readonly Value[], random: Random): readonly Value[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
