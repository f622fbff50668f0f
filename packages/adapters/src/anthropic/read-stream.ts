import type { ModelDelta } from '@varve/core';
import { cutStream, streamError } from '../model-failure.ts';
import type { AnthropicReply, AnthropicReplyBlock, AnthropicStreamEvent, AnthropicUsage } from './reply.ts';

/** A block while its pieces come; fields that no piece can touch are kept as they are. */
interface Growing {
  readonly block: {
    readonly type: string;
    readonly input?: unknown;
    text?: string;
    thinking?: string;
    signature?: string;
    citations?: readonly unknown[] | null;
  };
  json: string;
}

/** A piece of a block. */
interface Piece {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly partial_json?: string;
  readonly citation?: unknown;
  readonly stop_reason?: string | null;
}

interface Answer {
  readonly blocks: Map<number, Growing>;
  readonly onDelta: (delta: ModelDelta) => void;
  usage: AnthropicUsage;
  stop: string | null;
  ended: boolean;
}

/** What an event may carry; each type has some of these. */
interface EventFields {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage?: AnthropicUsage | null };
  readonly content_block?: Growing['block'] & { readonly id?: unknown; readonly name?: unknown };
  readonly delta?: Piece;
  readonly usage?: AnthropicUsage | null;
  readonly error?: unknown;
}

/**
 * Puts a streamed answer together.
 *
 * @throws `VARVE_MODEL_FAILED` of the kind `network` when the stream ends before the answer does, and whatever the
 * stream itself throws.
 */
export async function readAnthropicStream(
  events: AsyncIterable<AnthropicStreamEvent>,
  onDelta: (delta: ModelDelta) => void,
): Promise<AnthropicReply> {
  const answer: Answer = { blocks: new Map(), onDelta, usage: {}, stop: null, ended: false };
  for await (const event of events) take(event as EventFields, answer);
  if (!answer.ended && answer.stop === null) throw cutStream();
  const content = [...answer.blocks].sort(([a], [b]) => a - b).map(([, growing]) => wholeBlock(growing));
  return { content, stop_reason: answer.stop, usage: answer.usage };
}

function take(event: EventFields, answer: Answer): void {
  switch (event.type) {
    case 'error':
      throw streamError(event.error ?? event);
    case 'message_start':
      answer.usage = { ...answer.usage, ...reported(event.message?.usage) };
      break;
    case 'content_block_start':
      startBlock(event, answer);
      break;
    case 'content_block_delta':
      growBlock(event, answer);
      break;
    case 'message_delta':
      answer.stop = event.delta?.stop_reason ?? answer.stop;
      answer.usage = { ...answer.usage, ...reported(event.usage) };
      break;
    case 'message_stop':
      answer.ended = true;
      break;
  }
}

function startBlock({ index = 0, content_block: started }: EventFields, { blocks, onDelta }: Answer): void {
  if (started === undefined) return;
  blocks.set(index, { block: { ...started }, json: '' });
  const { type, id, name } = started;
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
    onDelta({ type: 'tool-call', toolCallId: id, toolName: name });
}

function growBlock({ index = 0, delta = {} }: EventFields, { blocks, onDelta }: Answer): void {
  const growing = blocks.get(index);
  if (growing === undefined) return;
  const { block } = growing;
  switch (delta.type) {
    case 'text_delta':
      block.text = `${block.text ?? ''}${delta.text ?? ''}`;
      onDelta({ type: 'text', text: delta.text ?? '' });
      break;
    case 'thinking_delta':
      block.thinking = `${block.thinking ?? ''}${delta.thinking ?? ''}`;
      onDelta({ type: 'reasoning', text: delta.thinking ?? '' });
      break;
    case 'signature_delta':
      block.signature = `${block.signature ?? ''}${delta.signature ?? ''}`;
      break;
    case 'input_json_delta':
      growing.json += delta.partial_json ?? '';
      break;
    case 'citations_delta':
      block.citations = [...(block.citations ?? []), delta.citation];
      break;
  }
}

/** Inputs come as pieces of JSON. One that cannot be parsed stays a string: only a call of ours can be answered for it. */
function wholeBlock({ block, json }: Growing): AnthropicReplyBlock {
  if (json === '') return block;
  const whole = { ...block, input: parsed(json) ?? (block.type === 'tool_use' ? json : {}) };
  return whole;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Numbers that were reported; a later `null` takes nothing back. */
function reported(usage: AnthropicUsage | null | undefined): AnthropicUsage {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => typeof value === 'number'));
}
