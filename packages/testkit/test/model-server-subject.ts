import Anthropic from '@anthropic-ai/sdk';
import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel } from '@varve/adapters/openai';
import type { Message, ModelCallOptions, ModelPort, ModelReply, ToolDefinition } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { type ModelServer, type ModelServerOptions, startModelServer } from '@varve/testkit/model-server';
import OpenAI from 'openai';

/** What a port is asked for. */
export interface Asked {
  readonly messages?: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly maxOutputTokens?: number;
}

/** One API, with a port around the real client of its provider. */
export interface Subject {
  readonly name: string;
  readonly provider: ModelServerOptions['provider'];
  /** Whether the port can be asked not to stream. */
  readonly hasWhole: boolean;
  port(server: Pick<ModelServer, 'url'>, options?: { readonly maxRetries?: number }): ModelPort;
}

/** All APIs. */
export const subjects: readonly Subject[] = [
  {
    name: 'Messages',
    provider: 'anthropic',
    hasWhole: false,
    port: ({ url }, { maxRetries = 0 } = {}) =>
      anthropicModel(new Anthropic({ apiKey: 'none', baseURL: url, maxRetries, logLevel: 'off' }), { model: 'm' }),
  },
  {
    name: 'Chat Completions',
    provider: 'openai',
    hasWhole: true,
    port: ({ url }, { maxRetries = 0 } = {}) =>
      openaiChatModel(new OpenAI({ apiKey: 'none', baseURL: url, maxRetries, logLevel: 'off' }), {
        model: 'm',
        sendReasoning: true,
      }),
  },
  {
    name: 'Responses',
    provider: 'openai',
    hasWhole: true,
    port: ({ url }, { maxRetries = 0 } = {}) =>
      openaiResponsesModel(new OpenAI({ apiKey: 'none', baseURL: url, maxRetries, logLevel: 'off' }), { model: 'm' }),
  },
];

/** The subjects, streamed and, where the port can, whole. */
export const ways: readonly (Subject & { readonly streams: boolean; readonly title: string })[] = subjects.flatMap(
  (subject) => [
    { ...subject, streams: true, title: `${subject.name}, streamed` },
    ...(subject.hasWhole ? [{ ...subject, streams: false, title: `${subject.name}, whole` }] : []),
  ],
);

/** A server with a clock that stands still. */
export function serverFor(
  { provider }: Pick<Subject, 'provider'>,
  options: Pick<ModelServerOptions, 'script'> & Partial<ModelServerOptions>,
): Promise<ModelServer> {
  return startModelServer({ contextTokens: 100_000, clock: manualClock(), ...options, provider });
}

/** One call of a port; it streams when somebody listens. */
export function ask(
  port: ModelPort,
  { messages = [{ role: 'user', content: 'hello' }], tools, maxOutputTokens }: Asked = {},
  options: ModelCallOptions = {},
): Promise<ModelReply> {
  const prompt = {
    system: [{ layer: 'system', text: 'Be brief.' }],
    messages,
    marks: { afterSystem: 1, afterStable: messages.length },
  };
  return port.generate({ prompt, tools, maxOutputTokens }, options);
}

/** What a listener is told does not matter. */
export const listening: ModelCallOptions = { onDelta: () => undefined };

/** A tool with a schema. */
export const readTool: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, lines: { type: 'integer' } },
    required: ['path'],
  },
};
