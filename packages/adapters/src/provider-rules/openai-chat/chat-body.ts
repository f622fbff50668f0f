import { type Fields, fieldsOf, listOf, stringOf } from '../json-fields.ts';

/** A part of a message's content. */
interface PlacedPart {
  readonly type: string;
  readonly fields: Fields;
  readonly path: string;
}

/** A call within a message of the assistant. */
interface PlacedCall {
  readonly id: string;
  readonly called: Fields;
  readonly path: string;
}

/** A message of a body. */
export interface ChatMessage {
  readonly role: string;
  readonly fields: Fields;
  readonly parts: readonly PlacedPart[];
  readonly calls: readonly PlacedCall[];
  readonly path: string;
}

/** The messages of a body, in order. */
export function chatMessagesOf(body: unknown): readonly ChatMessage[] {
  const { messages } = fieldsOf(body);
  return listOf(messages).map((message, index) => {
    const fields = fieldsOf(message);
    const { role, content, tool_calls } = fields;
    const path = `messages[${index}]`;
    return {
      role: stringOf(role),
      fields,
      parts: listOf(content).map((part, at) => placedPart(part, `${path}.content[${at}]`)),
      calls: listOf(tool_calls).map((call, at) => placedCall(call, `${path}.tool_calls[${at}]`)),
      path,
    };
  });
}

/** The functions that are offered. */
export function chatFunctionsOf(body: unknown): readonly { readonly called: Fields; readonly path: string }[] {
  const { tools } = fieldsOf(body);
  return listOf(tools).flatMap((tool, index) => {
    const { type, function: called } = fieldsOf(tool);
    return type === 'function' ? [{ called: fieldsOf(called), path: `tools[${index}].function` }] : [];
  });
}

/** The results right behind a message: those that can answer its calls. */
export function resultsBehind(messages: readonly ChatMessage[], index: number): readonly ChatMessage[] {
  const behind = messages.slice(index + 1);
  const end = behind.findIndex(({ role }) => role !== 'tool');
  return end < 0 ? behind : behind.slice(0, end);
}

/** Which call a result answers. */
export function answeredId({ fields: { tool_call_id } }: ChatMessage): string {
  return stringOf(tool_call_id);
}

function placedPart(part: unknown, path: string): PlacedPart {
  const fields = fieldsOf(part);
  const { type } = fields;
  return { type: stringOf(type), fields, path };
}

function placedCall(call: unknown, path: string): PlacedCall {
  const { id, function: called } = fieldsOf(call);
  return { id: stringOf(id), called: fieldsOf(called), path };
}
