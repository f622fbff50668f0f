import { type AssistantMessage, type MessagePart, partsOfMessage, type TextPart, type ToolCallPart } from '@varve/core';
import { objectInput } from '../call-input.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';
import { wireName } from '../wire-name.ts';
import { keptData } from './kept-data.ts';
import { nameOfFile } from './responses-content.ts';
import type { OpenAIItem, OpenAIOutputMessage, OpenAIReasoningItem } from './responses-request.ts';
import { longestFunctionName, openAICallId } from './wire-names.ts';

/** What is known of the request so far. */
export interface ItemContext {
  /** Whether the provider keeps items, so that an id alone is enough. */
  readonly store: boolean;
  /** Ids that were sent already: the API refuses one that comes twice. */
  readonly sentIds: Set<string>;
}

/**
 * The items of a message of the model's. Reasoning is sent when the provider can read it again, and something follows
 * it in the message: the API refuses reasoning without what came of it. Items keep their ids only together with the
 * reasoning that led to them: an id without it is refused, too.
 */
export function assistantItems(message: AssistantMessage, context: ItemContext): readonly OpenAIItem[] {
  const parts = partsOfMessage(message);
  const last = parts.findLastIndex((part) => part.type !== 'reasoning' && isSent(part));
  const items: OpenAIItem[] = [];
  let reasoned = false;
  let open: { readonly id: string; readonly content: OpenAIOutputMessage['content'] } | null = null;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'reasoning') {
      const item = index < last ? reasoningItem(part, context) : null;
      if (item !== null) items.push(item);
      reasoned ||= item !== null;
    } else if (part.type === 'text' && isSent(part) && keptData(part).item === undefined) {
      const { itemId = '' } = keptData(part);
      if (open !== null && open.id === itemId) {
        open.content.push(spokenContent(part));
        continue;
      }
      open = reasoned && takeId(itemId, context) ? { id: itemId, content: [spokenContent(part)] } : null;
      items.push(open === null ? plainMessage(part) : wholeMessage(part, open));
      continue;
    } else items.push(...otherItems(part, { ...context, keepId: reasoned }));
    open = null;
  }
  return items;
}

function isSent(part: MessagePart): boolean {
  return part.type !== 'text' || part.text !== '' || keptData(part).item !== undefined;
}

/** Notes an id; false when there is none, or it was sent before. */
function takeId(id: string, { sentIds }: ItemContext): boolean {
  if (id === '' || sentIds.has(id)) return false;
  sentIds.add(id);
  return true;
}

function reasoningItem(part: MessagePart, context: ItemContext): OpenAIReasoningItem | null {
  const { item } = keptData(part);
  if (item?.type !== 'reasoning') return null;
  const { id, encrypted_content: encrypted } = item;
  const readable = context.store || (typeof encrypted === 'string' && encrypted !== '');
  if (!readable || typeof id !== 'string' || !takeId(id, context)) return null;
  return jsonToWellFormed(item) as unknown as OpenAIReasoningItem;
}

function spokenContent(part: TextPart): OpenAIOutputMessage['content'][number] {
  const text = toWellFormed(part.text);
  if (keptData(part).refusal) return { type: 'refusal', refusal: text };
  const { annotations } = keptData(part).fields;
  return { type: 'output_text', text, annotations: (annotations ?? []) as [] };
}

function wholeMessage(
  part: TextPart,
  { id, content }: { readonly id: string; readonly content: OpenAIOutputMessage['content'] },
): OpenAIOutputMessage {
  return { type: 'message', id, role: 'assistant', status: 'completed', content, ...phaseOf(part) };
}

function plainMessage(part: TextPart): OpenAIItem {
  return { role: 'assistant', content: toWellFormed(part.text), ...phaseOf(part) };
}

function phaseOf(part: TextPart): { readonly phase?: 'commentary' | 'final_answer' } {
  const { phase } = keptData(part).fields;
  return phase === 'commentary' || phase === 'final_answer' ? { phase } : {};
}

function otherItems(part: MessagePart, context: ItemContext & { readonly keepId: boolean }): readonly OpenAIItem[] {
  if (part.type === 'tool-call') return [callItem(part, context)];
  if (part.type === 'file') return [{ role: 'assistant', content: nameOfFile(part) }];
  const { item } = keptData(part);
  if (item === undefined || item.type === 'reasoning') return [];
  const { id } = item;
  if (typeof id === 'string' && !takeId(id, context)) return [];
  return [item as unknown as OpenAIItem];
}

function callItem(part: ToolCallPart, context: ItemContext & { readonly keepId: boolean }): OpenAIItem {
  const { itemId = '', fields } = keptData(part);
  return {
    type: 'function_call',
    ...(context.keepId && takeId(itemId, context) ? { id: itemId } : {}),
    call_id: openAICallId(part.toolCallId),
    name: wireName(part.toolName, { max: longestFunctionName }),
    arguments: JSON.stringify(jsonToWellFormed(objectInput(part.input))),
    ...fields,
  };
}
