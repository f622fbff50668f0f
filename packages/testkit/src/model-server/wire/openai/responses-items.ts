import type { Fields } from '../json-fields.ts';
import { sealOf } from '../seal.ts';
import { textPieces } from '../text-pieces.ts';
import type { ReadyBlock, WireAnswer } from '../wire.ts';

/** An item of an answer, as it begins, as it is in the end, and what is told between. */
export interface ResponsesItem {
  readonly begun: Fields;
  readonly done: Fields;
  /** Events between, without the fields that all of them have. */
  readonly between: readonly (Fields & { readonly type: string })[];
}

/** The items of an answer. OpenAI hands out no redacted thinking. */
export function responsesItems({ blocks, id, pieceChars, body }: WireAnswer): readonly ResponsesItem[] {
  const { include } = body;
  const isSealed = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  return blocks.flatMap((block, index) => {
    const own = `${id}${index}`;
    switch (block.type) {
      case 'text':
      case 'refusal':
        return [messageItem(block, { id: `msg_${own}`, pieceChars })];
      case 'thinking':
        return [reasoningItem(block.text, { id: `rs_${own}`, pieceChars, isSealed })];
      case 'tool-call':
        return [callItem(block, { id: `fc_${own}`, pieceChars })];
      case 'unknown':
        return [{ begun: block.block, done: block.block, between: [] }];
      default:
        return [];
    }
  });
}

interface ItemOptions {
  readonly id: string;
  readonly pieceChars: number;
}

function messageItem(
  block: Extract<ReadyBlock, { readonly type: 'text' | 'refusal' }>,
  { id, pieceChars }: ItemOptions,
): ResponsesItem {
  const { type, text } = block;
  const contentOf = (said: string): Fields =>
    type === 'refusal'
      ? { type: 'refusal', refusal: said }
      : { type: 'output_text', text: said, annotations: [], logprobs: [] };
  const base = { type: 'message', id, role: 'assistant' };
  const place = { content_index: 0 };
  const event = type === 'refusal' ? 'response.refusal' : 'response.output_text';
  const logprobs = type === 'refusal' ? {} : { logprobs: [] };
  const said = type === 'refusal' ? { refusal: text } : { text };
  return {
    begun: { ...base, status: 'in_progress', content: [] },
    done: { ...base, status: 'completed', content: [contentOf(text)] },
    between: [
      { type: 'response.content_part.added', ...place, part: contentOf('') },
      ...textPieces(text, pieceChars).map((delta) => ({ type: `${event}.delta`, ...place, delta, ...logprobs })),
      { type: `${event}.done`, ...place, ...said, ...logprobs },
      { type: 'response.content_part.done', ...place, part: contentOf(text) },
    ],
  };
}

function reasoningItem(
  text: string,
  { id, pieceChars, isSealed }: ItemOptions & { readonly isSealed: boolean },
): ResponsesItem {
  const base = { type: 'reasoning', id };
  const place = { summary_index: 0 };
  const part = { type: 'summary_text', text };
  const sealed = isSealed ? { encrypted_content: sealOf(text) } : {};
  return {
    begun: { ...base, summary: [], ...sealed },
    done: { ...base, summary: [part], ...sealed },
    between: [
      { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
      ...textPieces(text, pieceChars).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...place,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', ...place, text },
      { type: 'response.reasoning_summary_part.done', ...place, part },
    ],
  };
}

function callItem(
  block: Extract<ReadyBlock, { readonly type: 'tool-call' }>,
  { id, pieceChars }: ItemOptions,
): ResponsesItem {
  const { name, json } = block;
  const base = { type: 'function_call', id, call_id: block.id, name };
  return {
    begun: { ...base, status: 'in_progress', arguments: '' },
    done: { ...base, status: 'completed', arguments: json },
    between: [
      ...textPieces(json, pieceChars).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', arguments: json, name },
    ],
  };
}
