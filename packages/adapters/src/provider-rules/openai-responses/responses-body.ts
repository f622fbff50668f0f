import { type Fields, fieldsOf, isFilled, listOf, stringOf } from '../json-fields.ts';

/** An item of the input. A message may leave its type out. */
export interface PlacedItem {
  readonly type: string;
  readonly fields: Fields;
  readonly path: string;
}

/** The items of a body, in order. Input that is a plain string is one message of the user. */
export function itemsOf(body: unknown): readonly PlacedItem[] {
  const { input } = fieldsOf(body);
  if (isFilled(input)) return [{ type: 'message', fields: { role: 'user', content: input }, path: 'input' }];
  return listOf(input).map((item, index) => {
    const fields = fieldsOf(item);
    const { type, role } = fields;
    const path = `input[${index}]`;
    return { type: stringOf(type) || (isFilled(role) ? 'message' : ''), fields, path };
  });
}

/** The items of one type. */
export function itemsOfType(body: unknown, type: string): readonly PlacedItem[] {
  return itemsOf(body).filter((item) => item.type === type);
}

/** The content of a message, or of what a function gave back, without plain strings. */
export function contentOf({ type, fields, path }: PlacedItem): readonly PlacedItem[] {
  const field = type === 'function_call_output' ? 'output' : 'content';
  return listOf(fields[field]).map((part, index) => {
    const own = fieldsOf(part);
    const { type: kind } = own;
    return { type: stringOf(kind), fields: own, path: `${path}.${field}[${index}]` };
  });
}

/** True for a body that goes on from what the provider keeps: what came before is not in it. */
export function goesOn(body: unknown): boolean {
  const { previous_response_id, conversation } = fieldsOf(body);
  return [previous_response_id, conversation].some((one) => one !== undefined && one !== null);
}

/** Id that joins a call and its output. */
export function callIdOf({ fields: { call_id } }: PlacedItem): string {
  return stringOf(call_id);
}

/** The functions that are offered. */
export function functionsOf(body: unknown): readonly PlacedItem[] {
  const { tools } = fieldsOf(body);
  return listOf(tools).flatMap((tool, index) => {
    const fields = fieldsOf(tool);
    const { type } = fields;
    return type === 'function' ? [{ type, fields, path: `tools[${index}]` }] : [];
  });
}
