import {
  type AssistantMessage,
  type ModelPort,
  type ModelReply,
  type ModelRequest,
  type Tool,
  type Usage,
  VarveError,
} from '@varve/core';
import { model } from './open-talk.ts';

/** A model that does as a function says, and what it was asked. */
export interface ScriptedPort extends ModelPort {
  readonly requests: readonly ModelRequest[];
}

/** What the model does at its n-th call, from 0: says a text, answers a whole message, or fails. */
export type Script = (n: number, request: ModelRequest) => string | AssistantMessage | Promise<string>;

/** Makes a model around what it says. Usage is what a provider would report of each call. @default usage null */
export function scriptedPort(
  script: Script,
  options: { readonly ref?: ModelPort['ref']; readonly usage?: (request: ModelRequest) => Usage } = {},
): ScriptedPort {
  const requests: ModelRequest[] = [];
  const generate = async (request: ModelRequest): Promise<ModelReply> => {
    requests.push(request);
    const said = await script(requests.length - 1, request);
    const message: AssistantMessage =
      typeof said === 'string' ? { role: 'assistant', content: said, stop: 'stop' } : said;
    return { message, usage: options.usage?.(request) ?? null };
  };
  return { ref: options.ref ?? model, requests, generate };
}

/** An answer that calls the tool `read` once for each id. */
export function callsRead(...ids: readonly string[]): AssistantMessage {
  const content = ids.map((toolCallId) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName: 'read',
    input: { id: toolCallId },
  }));
  return { role: 'assistant', content, stop: 'tool-calls' };
}

/** The tool `read`, which gives what a function makes of its call's id. */
export function readTool(read: (id: string) => string): Tool {
  return {
    name: 'read',
    description: 'Reads.',
    inputSchema: { type: 'object' },
    execute: async (_, { toolCallId }) => ({ type: 'text', value: read(toolCallId) }),
  };
}

/** What a port throws for a prompt that is too long. */
export function tooLong(): VarveError {
  return new VarveError('VARVE_MODEL_OVERFLOW', 'Too long.', { fix: 'Shorten it.', details: {} });
}
