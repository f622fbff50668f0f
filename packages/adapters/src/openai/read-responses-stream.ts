import type { ModelDelta } from '@varve/core';
import { cutStream, streamError } from '../model-failure.ts';
import type { OpenAIOutputItem, OpenAIResponsesEvent, OpenAIResponsesReply } from './responses-reply.ts';

/** What an event may carry; each type has some of these. */
interface EventFields {
  readonly type: string;
  readonly delta?: unknown;
  readonly item?: OpenAIOutputItem & { readonly call_id?: unknown; readonly name?: unknown };
  readonly output_index?: number;
  readonly response?: OpenAIResponsesReply;
}

/** Events that end an answer; each carries all of it. */
const endings: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed'];

const textEvents: readonly string[] = ['response.output_text.delta', 'response.refusal.delta'];
const reasoningEvents: readonly string[] = ['response.reasoning_summary_text.delta', 'response.reasoning_text.delta'];

/**
 * Puts a streamed answer of the Responses API together.
 *
 * @throws `VARVE_MODEL_FAILED` of the kind `network` when the stream ends before the answer does, and whatever the
 * stream itself throws or reports.
 */
export async function readOpenAIResponsesStream(
  events: AsyncIterable<OpenAIResponsesEvent>,
  onDelta: (delta: ModelDelta) => void,
): Promise<OpenAIResponsesReply> {
  const items = new Map<number, OpenAIOutputItem>();
  let reply: OpenAIResponsesReply | null = null;
  for await (const event of events as AsyncIterable<EventFields>) {
    if (event.type === 'error') throw streamError(event);
    if (event.type === 'response.output_item.done' && event.item !== undefined)
      items.set(event.output_index ?? items.size, event.item);
    if (endings.includes(event.type)) reply = event.response ?? null;
    report(event, onDelta);
  }
  if (reply === null) throw cutStream();
  // Some servers send the items one by one and leave them out at the end.
  const output = reply.output?.length > 0 ? reply.output : [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  return wholeReply({ ...reply, output });
}

/**
 * The answer itself, unless it says that there is none.
 *
 * @throws What the provider reported, when the answer failed.
 */
export function wholeReply(reply: OpenAIResponsesReply): OpenAIResponsesReply {
  if (reply.status === 'failed' || (reply.error !== null && reply.error !== undefined))
    throw streamError(reply.error ?? { message: 'The answer failed.' });
  return reply;
}

function report({ type, delta, item }: EventFields, onDelta: (delta: ModelDelta) => void): void {
  if (typeof delta === 'string' && textEvents.includes(type)) onDelta({ type: 'text', text: delta });
  if (typeof delta === 'string' && reasoningEvents.includes(type)) onDelta({ type: 'reasoning', text: delta });
  if (type !== 'response.output_item.added' || item?.type !== 'function_call') return;
  const { call_id: toolCallId, name: toolName } = item;
  if (typeof toolCallId === 'string' && typeof toolName === 'string')
    onDelta({ type: 'tool-call', toolCallId, toolName });
}
