import type { ToolDefinition } from '@varve/core';
import type { ToolChoice } from '../tool-choice.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';
import { wireName } from '../wire-name.ts';
import { longestToolName } from './blocks.ts';
import type { AnthropicTool, AnthropicToolChoice } from './request.ts';

/** Tools in the form of the API. Names are in the characters that it accepts, schemas say that they are of objects. */
export function anthropicTools(tools: readonly ToolDefinition[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name: wireName(name, { max: longestToolName }),
    ...(description.trim() === '' ? {} : { description: toWellFormed(description) }),
    input_schema: { ...jsonToWellFormed(inputSchema), type: 'object' },
  }));
}

/** The choice in the form of the API. */
export function anthropicToolChoice(choice: ToolChoice): AnthropicToolChoice {
  if (typeof choice === 'object') return { type: 'tool', name: wireName(choice.tool, { max: longestToolName }) };
  return { type: choice === 'required' ? 'any' : choice };
}
