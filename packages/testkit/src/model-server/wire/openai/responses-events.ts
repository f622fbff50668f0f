import type { Fields } from '../json-fields.ts';
import type { WireAnswer, WireEvent, WireUsage } from '../wire.ts';
import { responsesItems } from './responses-items.ts';

/** The body of an answer that is not streamed. */
export function responsesWhole(answer: WireAnswer): Fields {
  const { stop, usage } = answer;
  const isCut = stop === 'length' || stop === 'window';
  return {
    ...emptyResponse(answer),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: responsesItems(answer).map(({ done }) => done),
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  };
}

/** The events of a streamed answer. */
export function responsesEvents(answer: WireAnswer): readonly WireEvent[] {
  const whole = responsesWhole(answer);
  const { status } = whole;
  const items = responsesItems(answer).flatMap(({ begun, done, between }, output_index) => {
    const { id: item_id } = done;
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...between.map((one) => ({ ...one, output_index, item_id })),
      { type: 'response.output_item.done', output_index, item: done },
    ];
  });
  const ending = status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return [...openingEvents(answer), ...items, { type: ending, response: whole }].map(numbered);
}

/** How a stream begins. */
export function openingEvents(answer: Pick<WireAnswer, 'id' | 'createdSeconds' | 'body'>): readonly TypedFields[] {
  const response = { ...emptyResponse(answer), usage: null };
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
  ];
}

/** An event before it has its number. */
export type TypedFields = Fields & { readonly type: string };

/** An event with its number in the stream. */
export function numbered(event: TypedFields, sequence_number: number): WireEvent {
  return {
    name: event.type,
    data: JSON.stringify({ ...event, sequence_number }),
    isToolInput: event.type === 'response.function_call_arguments.delta',
  };
}

/** A response that has not answered yet. */
export function emptyResponse({
  id,
  createdSeconds,
  body,
}: Pick<WireAnswer, 'id' | 'createdSeconds' | 'body'>): Fields {
  const { model, instructions, max_output_tokens, tools, tool_choice, store, prompt_cache_key } = body;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: instructions ?? null,
    max_output_tokens: max_output_tokens ?? null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: store ?? true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: tool_choice ?? 'auto',
    tools: tools ?? [],
    top_p: 1,
    truncation: 'disabled',
    user: null,
  };
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens }: WireUsage): Fields {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
