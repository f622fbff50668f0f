import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import * as aiSdk from '@varve/adapters/ai-sdk';
import * as langChain from '@varve/adapters/langchain';
import { createHost, type Host, type Session } from '@varve/core';
import { answer, failure, type ModelScript, type ModelServer, startModelServer } from '@varve/testkit/model-server';
import { generateText, Output, wrapLanguageModel } from 'ai';
import {
  type AgentMiddleware,
  BaseMessage,
  createAgent,
  createMiddleware,
  modelRetryMiddleware,
  toolStrategy,
} from 'langchain';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Stage extends AsyncDisposable {
  readonly host: Host;
  readonly session: Session;
  readonly server: ModelServer;
}

async function stage(script: ModelScript): Promise<Stage> {
  const server = await startModelServer({ provider: 'openai', contextTokens: 8_000, script });
  const host = await createHost({ budget: { windowTokens: 4_000 } });
  const session = await host.open('talk');
  const end = async (): Promise<void> => {
    await host.close();
    await server.stop();
  };
  return { host, session, server, [Symbol.asyncDispose]: end };
}

function chatModel({ server }: Stage): ChatOpenAI {
  return new ChatOpenAI({ model: 'm', apiKey: 'none', maxRetries: 0, configuration: { baseURL: server.url } });
}

function wrappedModel({ server, session }: Stage) {
  const settings = { name: 'example', baseURL: server.url, apiKey: 'none', supportsStructuredOutputs: true };
  const model = createOpenAICompatible(settings)('m');
  return wrapLanguageModel({ model, middleware: aiSdk.varveMiddleware({ session }) });
}

function rolesIn(session: Session): string[] {
  return session.view.messages().map(({ message }) => message.role);
}

const question = { role: 'user' as const, content: 'hello' };

describe('an agent of LangChain with a session around its model', () => {
  it('streams the words of the model as they come', async () => {
    await using talk = await stage(() => answer('one two three', { pieceChars: 4 }));
    const middleware = [langChain.varveMiddleware({ session: talk.session })];
    const agent = createAgent({ model: chatModel(talk), tools: [], middleware });
    const pieces: string[] = [];
    const stream = await agent.stream({ messages: [question] }, { streamMode: 'messages' });
    for await (const [message] of stream) if (message.text !== '') pieces.push(message.text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('one two three');
    expect(rolesIn(talk.session)).toEqual(['user', 'assistant']);
  });

  it('hands other middleware messages of LangChain, also those that a compaction has made', async () => {
    await using talk = await stage(() => 'noted');
    const seen: boolean[] = [];
    const looking = createMiddleware({
      name: 'looking',
      wrapModelCall: (request, handler) => {
        seen.push(request.messages.every((message) => BaseMessage.isInstance(message)));
        return handler(request);
      },
    });
    const middleware = [langChain.varveMiddleware({ session: talk.session }), looking];
    const agent = createAgent({ model: chatModel(talk), tools: [], middleware });
    const words = 'The tide came in and went out again. '.repeat(40);
    let { messages } = await agent.invoke({ messages: [{ role: 'user', content: words }] });
    for (let number = 1; number <= 3; number += 1) {
      ({ messages } = await agent.invoke({ messages: [...messages, { role: 'user', content: `${number} ${words}` }] }));
    }
    await talk.session.compact('manual', { model: { provider: 'openai', model: 'm' } });
    await agent.invoke({ messages: [...messages, question] });
    expect(talk.session.view.compaction()).not.toBeNull();
    expect(seen).toEqual([true, true, true, true, true]);
  });

  it('finds the session by the thread', async () => {
    await using talk = await stage(() => 'hi');
    const session: langChain.VarveMiddlewareOptions['session'] = ({ runtime }) => {
      const { configurable } = runtime as { readonly configurable: { readonly thread_id: string } };
      return talk.host.open(configurable.thread_id);
    };
    const agent = createAgent({
      model: chatModel(talk),
      tools: [],
      middleware: [langChain.varveMiddleware({ session })],
    });
    await agent.invoke({ messages: [question] }, { configurable: { thread_id: 'other' } });
    expect(rolesIn(await talk.host.open('other'))).toEqual(['user', 'assistant']);
    expect(rolesIn(talk.session)).toEqual([]);
  });

  it('is tried again by other middleware, and stores nothing twice', async () => {
    await using talk = await stage(({ number }) => (number === 1 ? failure('server') : 'hi'));
    // Its own types do not fit `exactOptionalPropertyTypes`.
    const again: object = modelRetryMiddleware({ maxRetries: 1, initialDelayMs: 0, backoffFactor: 0 });
    const middleware = [again as AgentMiddleware, langChain.varveMiddleware({ session: talk.session })];
    const { messages } = await createAgent({ model: chatModel(talk), tools: [], middleware }).invoke({
      messages: [question],
    });
    expect(messages.at(-1)?.text).toBe('hi');
    expect(rolesIn(talk.session)).toEqual(['user', 'assistant']);
  });

  it('gives structured answers', async () => {
    await using talk = await stage(({ conversation }) =>
      answer([{ type: 'tool-call', name: conversation.tools[0]?.name ?? '', input: { port: 5433 } }]),
    );
    const responseFormat = toolStrategy(z.object({ port: z.number() }));
    const middleware = [langChain.varveMiddleware({ session: talk.session })];
    const agent = createAgent({ model: chatModel(talk), tools: [], responseFormat, middleware });
    const { structuredResponse } = await agent.invoke({ messages: [question] });
    expect(structuredResponse).toEqual({ port: 5433 });
    expect(rolesIn(talk.session)[0]).toBe('user');
  });
});

describe('generateText with a session around its model', () => {
  it('gives structured answers', async () => {
    await using talk = await stage(() => '{"port":5433}');
    const model = wrappedModel(talk);
    const output = Output.object({ schema: z.object({ port: z.number() }) });
    const result = await generateText({ model, output, prompt: 'Which port?' });
    expect(result.output).toEqual({ port: 5433 });
    expect(rolesIn(talk.session)).toEqual(['user', 'assistant']);
  });

  it('tries again itself, and stores nothing twice', async () => {
    const quick = { retryAfterMs: 1 };
    await using talk = await stage(({ number }) => (number === 1 ? failure('overloaded', quick) : 'hi'));
    const model = wrappedModel(talk);
    expect((await generateText({ model, prompt: 'hello' })).text).toBe('hi');
    expect(rolesIn(talk.session)).toEqual(['user', 'assistant']);
    expect(talk.server.requests).toHaveLength(2);
  });
});
