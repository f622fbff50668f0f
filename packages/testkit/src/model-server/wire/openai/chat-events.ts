import { type Fields, fieldsOf } from '../json-fields.ts';
import { textPieces } from '../text-pieces.ts';
import type { ReadyBlock, WireAnswer, WireEvent, WireUsage } from '../wire.ts';

const finishReasons: Readonly<Record<WireAnswer['stop'], string>> = {
  end: 'stop',
  length: 'length',
  window: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'stop',
};

/** The body of an answer that is not streamed. */
export function chatWhole(answer: WireAnswer): Fields {
  const { blocks, stop, usage } = answer;
  const calls = blocks.filter(isCall).map(wholeCall);
  const thinking = joined(blocks, 'thinking');
  const message = {
    role: 'assistant',
    content: joined(blocks, 'text'),
    refusal: joined(blocks, 'refusal'),
    annotations: [],
    ...(thinking === null ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReasons[stop] };
  return { ...frame(answer, 'chat.completion'), choices: [choice], ...(usage === null ? {} : usageField(usage)) };
}

/** The events of a streamed answer, `[DONE]` included. */
export function chatEvents(answer: WireAnswer): readonly WireEvent[] {
  const { blocks, stop, usage, pieceChars, body } = answer;
  const { stream_options } = body;
  const { include_usage } = fieldsOf(stream_options);
  const isReported = include_usage === true && usage !== null;
  const head = { ...frame(answer, 'chat.completion.chunk'), ...(isReported ? { usage: null } : {}) };
  const chunk = (delta: Fields, finish_reason: string | null = null): WireEvent => {
    const choice = { index: 0, delta, logprobs: null, finish_reason };
    return { name: null, data: JSON.stringify({ ...head, choices: [choice] }) };
  };
  const calls = blocks.filter(isCall);
  const deltas = blocks.filter((block) => !isCall(block)).flatMap((block) => textDeltas(block, pieceChars));
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...deltas.map((delta) => chunk(delta)),
    ...calls.flatMap((block, index) =>
      callDeltas(block, { index, pieceChars }).map((delta, piece) => ({
        ...chunk({ tool_calls: [delta] }),
        isToolInput: piece > 0,
      })),
    ),
    chunk({}, finishReasons[stop]),
    ...(isReported ? [{ name: null, data: JSON.stringify({ ...head, choices: [], ...usageField(usage) }) }] : []),
    { name: null, data: '[DONE]' },
  ];
}

type Call = Extract<ReadyBlock, { readonly type: 'tool-call' | 'unknown' }>;

/** Blocks of unknown types are calls of unknown types: an answer has no other list. */
function isCall(block: ReadyBlock): block is Call {
  return block.type === 'tool-call' || block.type === 'unknown';
}

function frame({ id, createdSeconds, body: { model } }: WireAnswer, object: string): Fields {
  return {
    id: `chatcmpl-${id}`,
    object,
    created: createdSeconds,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_varve',
  };
}

function joined(blocks: readonly ReadyBlock[], type: 'text' | 'thinking' | 'refusal'): string | null {
  const texts = blocks.flatMap((block) => (block.type === type ? [block.text] : []));
  return texts.length === 0 ? null : texts.join('');
}

function wholeCall(block: Call): Fields {
  if (block.type === 'unknown') return block.block;
  const { id, name, json } = block;
  return { id, type: 'function', function: { name, arguments: json } };
}

function textDeltas(block: ReadyBlock, pieceChars: number): readonly Fields[] {
  const field = { text: 'content', thinking: 'reasoning_content', refusal: 'refusal' } as const;
  if (block.type !== 'text' && block.type !== 'thinking' && block.type !== 'refusal') return [];
  return textPieces(block.text, pieceChars).map((piece) => ({ [field[block.type]]: piece }));
}

function callDeltas(
  block: Call,
  { index, pieceChars }: { readonly index: number; readonly pieceChars: number },
): readonly Fields[] {
  if (block.type === 'unknown') return [{ index, ...block.block }];
  const { id, name, json } = block;
  return [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...textPieces(json, pieceChars).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function usageField({ inputTokens, outputTokens, cacheReadTokens }: WireUsage): Fields {
  return {
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cacheReadTokens, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  };
}
