import { type Fields, fieldsOf, isFilled, listOf, stringOf } from '../json-fields.ts';

/** A block of a body. A text that is a plain string counts as one block. */
export interface PlacedBlock {
  readonly type: string;
  readonly fields: Fields;
  readonly path: string;
}

/** A message of a body. */
export interface PlacedMessage {
  readonly role: string;
  readonly blocks: readonly PlacedBlock[];
  readonly path: string;
}

/** The messages of a body, in order. */
export function messagesOf(body: unknown): readonly PlacedMessage[] {
  const { messages } = fieldsOf(body);
  return listOf(messages).map((message, index) => {
    const { role, content } = fieldsOf(message);
    const path = `messages[${index}]`;
    return { role: stringOf(role), blocks: blocksAt(content, `${path}.content`), path };
  });
}

/** The texts of the system prompt. */
function systemOf(body: unknown): readonly PlacedBlock[] {
  const { system } = fieldsOf(body);
  return blocksAt(system, 'system');
}

/** The blocks of all messages, without those inside results. */
export function blocksOf(body: unknown): readonly PlacedBlock[] {
  return messagesOf(body).flatMap(({ blocks }) => blocks);
}

/** The blocks inside a result. */
export function innerBlocks({ type, fields, path }: PlacedBlock): readonly PlacedBlock[] {
  const { content } = fields;
  return type === 'tool_result' ? blocksAt(content, `${path}.content`) : [];
}

/** All blocks: of the system prompt, of messages, and inside results. */
export function allBlocks(body: unknown): readonly PlacedBlock[] {
  return [...systemOf(body), ...blocksOf(body).flatMap((block) => [block, ...innerBlocks(block)])];
}

/** Tools that run on the caller's side: they have a schema of their own. */
export function ownTools(body: unknown): readonly PlacedBlock[] {
  return toolsOf(body).filter(({ type }) => type === '' || type === 'custom');
}

/** All tools, those that the provider runs included. */
export function toolsOf(body: unknown): readonly PlacedBlock[] {
  const { tools } = fieldsOf(body);
  return listOf(tools).map((tool, index) => {
    const fields = fieldsOf(tool);
    const { type } = fields;
    return { type: stringOf(type), fields, path: `tools[${index}]` };
  });
}

function blocksAt(content: unknown, path: string): readonly PlacedBlock[] {
  if (isFilled(content)) return [{ type: 'text', fields: { type: 'text', text: content }, path }];
  return listOf(content).map((block, index) => {
    const fields = fieldsOf(block);
    const { type } = fields;
    return { type: stringOf(type), fields, path: `${path}[${index}]` };
  });
}
