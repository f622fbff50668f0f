import type { JsonValue, ToolDefinition, ToolOutput, ToolResultPart } from '@varve/core';
import { textHash } from '../text-hash.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';

/** Longest name of a function that the API accepts. */
export const longestFunctionName = 64;

const longestId = 40;
const hashedPrefix = 'varve-id-';

/**
 * An id of a call in the characters, and of the length, that the API accepts. Ids that are fine stay; others become a
 * fingerprint of themselves, whatever else is in the prompt.
 */
export function openAICallId(id: string): string {
  const isFine = /^[a-zA-Z0-9_-]+$/.test(id) && id.length <= longestId && !id.startsWith(hashedPrefix);
  return isFine ? id : hashedPrefix + textHash(id);
}

/** The schema of a function's parameters: of an object, whatever the tool says. */
export function functionParameters({ inputSchema }: ToolDefinition): { readonly [keyword: string]: JsonValue } {
  const { properties = {} } = inputSchema;
  return { ...jsonToWellFormed(inputSchema), type: 'object', properties: jsonToWellFormed(properties) };
}

/** What a tool gave back as text. The API has no field for failure, so an error says that it is one. */
export function textOfResult(output: Exclude<ToolOutput, { type: 'content' }>): string {
  const text = toWellFormed(typeof output.value === 'string' ? output.value : JSON.stringify(output.value));
  if (output.type === 'text' || output.type === 'json') return text;
  if (text.trim() === '') return 'Error: the tool failed without a message.';
  return /^\W*error/i.test(text) ? text : `Error: ${text}`;
}

/** What stands before images and files of a result that are sent apart from it. */
export function resultHeading({ toolName, toolCallId }: ToolResultPart): string {
  return toWellFormed(`[From the result of ${toolName}, call ${openAICallId(toolCallId)}]`);
}
