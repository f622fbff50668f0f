import type { Fields } from '../json-fields.ts';
import { parsedOr } from '../json-fields.ts';
import { sealOf } from '../seal.ts';
import { textPieces } from '../text-pieces.ts';
import type { ReadyBlock, WireAnswer, WireEvent, WireUsage } from '../wire.ts';

const stopReasons: Readonly<Record<WireAnswer['stop'], string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  window: 'model_context_window_exceeded',
  'tool-calls': 'tool_use',
  refusal: 'refusal',
};

/** The body of an answer that is not streamed. */
export function anthropicWhole(answer: WireAnswer): Fields {
  return {
    ...emptyMessage(answer),
    content: answer.blocks.map(wholeBlock),
    ...stopFields(answer),
    ...usageField(answer.usage),
  };
}

/** The events of a streamed answer. */
export function anthropicEvents(answer: WireAnswer): readonly WireEvent[] {
  const { usage } = answer;
  const message = {
    ...emptyMessage(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...usageField(usage === null ? null : { ...usage, outputTokens: Math.min(1, usage.outputTokens) }),
  };
  return [
    event({ type: 'message_start', message }),
    ...answer.blocks.flatMap((block, index) => [
      ...blockEvents(block, { index, pieceChars: answer.pieceChars }),
      ...(index === 0 ? [event({ type: 'ping' })] : []),
    ]),
    event({
      type: 'message_delta',
      delta: stopFields(answer),
      ...(usage === null ? {} : { usage: { output_tokens: usage.outputTokens } }),
    }),
    event({ type: 'message_stop' }),
  ];
}

/** One event, named by its type. */
export function event(data: Fields & { readonly type: string }): WireEvent {
  return { name: data.type, data: JSON.stringify(data) };
}

function emptyMessage({ id, body: { model } }: WireAnswer): Fields {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

function stopFields({ stop }: WireAnswer): Fields {
  const details = { stop_details: { type: 'refusal', category: null, explanation: null } };
  return { stop_reason: stopReasons[stop], stop_sequence: null, ...(stop === 'refusal' ? details : {}) };
}

function usageField(usage: WireUsage | null): Fields {
  if (usage === null) return {};
  const { inputTokens, outputTokens, cacheReadTokens: read, cacheWriteTokens: written } = usage;
  const writes = written['5m'] + written['1h'];
  return {
    usage: {
      input_tokens: inputTokens - read - writes,
      cache_creation_input_tokens: writes,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
      output_tokens: outputTokens,
      service_tier: 'standard',
    },
  };
}

function wholeBlock(block: ReadyBlock): Fields {
  if (block.type === 'tool-call')
    return { ...callBlock(block), input: parsedOr(block.json === '' ? '{}' : block.json) };
  if (block.type === 'thinking') return { type: 'thinking', thinking: block.text, signature: sealOf(block.text) };
  if (block.type === 'redacted-thinking') return { type: 'redacted_thinking', data: block.data };
  return block.type === 'unknown' ? block.block : { type: 'text', text: block.text };
}

function callBlock({ id, name }: { readonly id: string; readonly name: string }): Fields {
  return { type: 'tool_use', id, name, input: {} };
}

/** A block before its pieces: those that come whole are whole. */
function startedBlock(block: ReadyBlock): Fields {
  if (block.type === 'tool-call') return callBlock(block);
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'text' || block.type === 'refusal') return { type: 'text', text: '' };
  return wholeBlock(block);
}

function blockEvents(
  block: ReadyBlock,
  { index, pieceChars }: { readonly index: number; readonly pieceChars: number },
): readonly WireEvent[] {
  const deltas = deltasOf(block, pieceChars).map((delta) => {
    const { partial_json = '' } = delta;
    return { ...event({ type: 'content_block_delta', index, delta }), isToolInput: partial_json !== '' };
  });
  return [
    event({ type: 'content_block_start', index, content_block: startedBlock(block) }),
    ...deltas,
    event({ type: 'content_block_stop', index }),
  ];
}

function deltasOf(block: ReadyBlock, pieceChars: number): readonly Fields[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return textPieces(block.text, pieceChars).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...textPieces(block.text, pieceChars).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: sealOf(block.text) },
      ];
    case 'tool-call':
      return ['', ...textPieces(block.json, pieceChars)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
    default:
      return [];
  }
}
