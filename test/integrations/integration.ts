import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import * as aiSdk from '@varve/adapters/ai-sdk';
import * as langChain from '@varve/adapters/langchain';
import type { Session } from '@varve/core';
import { generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { type AgentMiddleware, createAgent, tool as langChainTool } from 'langchain';
import { z } from 'zod';

/** What an agent is built with. */
interface AgentParts {
  /** Where the model is. */
  readonly url: string;
  /** The session that follows it; `null` for the agent as it is without us. */
  readonly session: Session | null;
  /** The list that it begins with, as another one has left it. @default none */
  readonly list?: unknown;
  /** What the tool `read` gives. */
  read(page: number): string;
  /** What the framework itself has to keep prompts small; used without a session. @default nothing */
  readonly own?: OwnMeans | undefined;
}

/** What a framework itself has to keep prompts small. */
export interface OwnMeans {
  readonly langChain?: readonly AgentMiddleware[] | undefined;
  readonly aiSdk?: Parameters<typeof generateText>[0]['prepareStep'];
}

/** How a message is answered. */
interface RunOptions {
  readonly streams?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Most calls of the model. @default 100 */
  readonly mostSteps?: number | undefined;
}

/** An agent of a framework, with one tool, that keeps its own list of messages as such hosts do. */
export interface Agent {
  /** Answers a message; what was said before is in the list. */
  run(message: string, options?: RunOptions): Promise<string>;
  /** The list. */
  list(): readonly unknown[];
  /** Takes the last messages of the list back. */
  takeBack(count: number): void;
}

/** A framework, and how an agent of it is built. */
export interface Integration {
  readonly name: string;
  /** Whose API its model speaks. */
  readonly provider: 'anthropic' | 'openai';
  build(parts: AgentParts): Agent;
}

const instructions = 'You read logs.';
const noRetries = { maxRetries: 0 };

type LanguageModel = Parameters<typeof wrapLanguageModel>[0]['model'];

function compatibleModel(baseURL: string): LanguageModel {
  return createOpenAICompatible({ name: 'example', baseURL, apiKey: 'none', includeUsage: true })('reader-1');
}

function anthropicModel(baseURL: string): LanguageModel {
  return createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: 'none' })('claude-haiku-4-5');
}

function aiSdkAgent(bare: LanguageModel, { session, read, list = [], own = {} }: AgentParts): Agent {
  const model =
    session === null ? bare : wrapLanguageModel({ model: bare, middleware: aiSdk.varveMiddleware({ session }) });
  const tools = { read: tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => read(page) }) };
  let messages = list as ModelMessage[];
  return {
    run: async (content, { streams = false, signal, mostSteps = 100 } = {}) => {
      const asked = [...messages, { role: 'user' as const, content }];
      const prepareStep = own.aiSdk as never;
      const call = {
        ...{ model, tools, system: instructions, messages: asked, stopWhen: stepCountIs(mostSteps), ...noRetries },
        ...(signal === undefined ? {} : { abortSignal: signal }),
        ...(prepareStep === undefined ? {} : { prepareStep }),
      };
      const errors: unknown[] = [];
      const onError = ({ error }: { error: unknown }): void => void errors.push(error);
      const result = streams ? streamText({ ...call, onError }) : await generateText(call);
      let text = '';
      if ('textStream' in result) for await (const piece of result.textStream) text += piece;
      if (errors.length > 0) throw errors[0];
      const { messages: said } = await result.response;
      messages = [...asked, ...said];
      return text === '' ? await result.text : text;
    },
    list: () => messages,
    takeBack: (count) => {
      messages = messages.slice(0, -count);
    },
  };
}

function langChainAgent({ url, session, read, list = [], own = {} }: AgentParts): Agent {
  const agent = createAgent({
    model: new ChatOpenAI({ model: 'reader-1', apiKey: 'none', configuration: { baseURL: url }, ...noRetries }),
    systemPrompt: instructions,
    tools: [
      langChainTool(({ page }: { page: number }) => read(page), {
        name: 'read',
        schema: z.object({ page: z.number() }),
      }),
    ],
    middleware: session === null ? [...(own.langChain ?? [])] : [langChain.varveMiddleware({ session })],
  });
  type State = Awaited<ReturnType<typeof agent.invoke>>;
  let messages = list as State['messages'];
  return {
    run: async (content, { streams = false, signal, mostSteps = 100 } = {}) => {
      const asked = [...messages, { role: 'user' as const, content }] as State['messages'];
      const config = { recursionLimit: 2 * mostSteps + 5, ...(signal === undefined ? {} : { signal }) };
      if (!streams) {
        ({ messages } = await agent.invoke({ messages: asked }, config));
        return String(messages.at(-1)?.text);
      }
      const states = await agent.stream({ messages: asked }, { ...config, streamMode: 'values' });
      for await (const state of states) messages = (state as State).messages;
      return String(messages.at(-1)?.text);
    },
    list: () => messages,
    takeBack: (count) => {
      messages = messages.slice(0, -count);
    },
  };
}

/** The frameworks, as their users have them. */
export const integrations: readonly Integration[] = [
  { name: 'the AI SDK', provider: 'openai', build: (parts) => aiSdkAgent(compatibleModel(parts.url), parts) },
  {
    name: 'the AI SDK with Anthropic',
    provider: 'anthropic',
    build: (parts) => aiSdkAgent(anthropicModel(parts.url), parts),
  },
  { name: 'LangChain', provider: 'openai', build: langChainAgent },
];
