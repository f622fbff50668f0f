import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { type LangChainMessage, type LangChainRequest, varveMiddleware } from '@varve/adapters/langchain';
import { createHost, type Session } from '@varve/core';
import type { AgentMiddleware } from 'langchain';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { openTalk, pathOf } from '../message-list/talk.ts';

const tooLong = new Error('prompt is too long: 9000 tokens > 8192 maximum');

function requestOf(messages: LangChainMessage[], beside: Partial<LangChainRequest> = {}): LangChainRequest {
  return { model: { model: 'fake-1' }, messages, systemMessage: new SystemMessage('Be brief.'), tools: [], ...beside };
}

/** Calls a model through the middleware, and gives what the model was called with. */
async function ask(
  session: Session,
  request: LangChainRequest,
  reply: (number: number) => LangChainMessage = () => new AIMessage('hi'),
): Promise<LangChainRequest[]> {
  const seen: LangChainRequest[] = [];
  await varveMiddleware({ session }).wrapModelCall(request, async (given) => {
    seen.push(given);
    return reply(seen.length);
  });
  return seen;
}

describe('the middleware of an agent', () => {
  it('is of the type that createAgent takes', () => {
    expectTypeOf<ReturnType<typeof varveMiddleware>>().toExtend<AgentMiddleware>();
  });

  it("sends the agent's own messages, where they say what the session says, and leaves the rest of the request alone", async () => {
    await using talk = await openTalk();
    const messages = [
      new HumanMessage({ content: 'hello', id: 'm1' }),
      new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'read', args: {} }] }),
      new ToolMessage({ content: 'page 1', tool_call_id: 'c1', name: 'read', artifact: { big: true } }),
    ];
    const request = requestOf(messages, { toolChoice: 'auto' } as never);
    const [sent] = await ask(talk.session, request);
    expect(sent).toEqual(request);
    expect(sent?.messages.map((message, index) => message === messages[index])).toEqual([true, true, true]);
    expect(pathOf(talk.session)).toEqual([
      'user: hello',
      'assistant: calls c1',
      'tool: c1 gave page 1',
      'assistant: hi',
    ]);
  });

  it('makes other messages of the classes that the agent has', async () => {
    await using talk = await openTalk();
    await talk.session.ingest({ role: 'user', content: 'A report.' }, { provenance: { kind: 'subagent' } });
    const [sent] = await ask(talk.session, requestOf([new HumanMessage('hello')]));
    expect(sent?.messages.map((message) => HumanMessage.isInstance(message))).toEqual([true, true]);
    expect(sent?.messages.map(({ content }) => content)).toEqual(['A report.', 'hello']);
  });

  it('adds layers to the system message', async () => {
    await using talk = await openTalk();
    const { session } = talk;
    await session.ingest({ role: 'system', content: 'Never name the keeper.' });
    const [sent] = await ask(session, requestOf([new HumanMessage('hello')]));
    expect(SystemMessage.isInstance(sent?.systemMessage)).toBe(true);
    const [own, added] = (sent?.systemMessage?.content ?? []) as readonly { readonly text: string }[];
    expect(own?.text).toBe('Be brief.');
    expect(added?.text).toContain('Never name the keeper.');
    const { systemMessage: _none, ...older } = requestOf([new HumanMessage('hello')], { systemPrompt: 'Be brief.' });
    const [sentOlder] = await ask(session, older);
    expect(sentOlder?.systemPrompt).toMatch(/^Be brief\.[\s\S]*Never name the keeper\./);
  });

  it('leaves calls that could not be read out of what chat models would send', async () => {
    await using talk = await openTalk();
    const slip = new AIMessage('Let me see.');
    slip.invalid_tool_calls = [{ id: 'c9', name: 'read', args: '{"page":' }];
    slip.additional_kwargs = {
      tool_calls: [{ id: 'c9', type: 'function', function: { name: 'read', arguments: '{' } }],
    };
    const [sent] = await ask(talk.session, requestOf([new HumanMessage('hello'), slip, new HumanMessage('well?')]));
    expect(sent?.messages[1]).toMatchObject({ content: 'Let me see.', additional_kwargs: {} });
    expect(JSON.stringify(sent?.messages[1])).not.toContain('function');
  });

  it('stores usage that was reported', async () => {
    await using talk = await openTalk();
    const usage_metadata = { input_tokens: 30, output_tokens: 7, total_tokens: 37 };
    await ask(talk.session, requestOf([new HumanMessage('hello')]), () =>
      Object.assign(new AIMessage('hi'), { usage_metadata }),
    );
    expect(talk.session.view.messages()[1]).toMatchObject({ usage: { inputTokens: 30, outputTokens: 7 } });
  });

  it('compacts a prompt that the model finds too long, and asks again', async () => {
    await using host = await createHost({ budget: { windowTokens: 4_000 } });
    const session = await host.open('long');
    const words = 'The tide came in and went out again. '.repeat(20);
    const messages = Array.from({ length: 8 }, (_, index) => [
      new HumanMessage(`${index} ${words}`),
      new AIMessage(`${index} noted`),
    ]).flat();
    const seen = await ask(session, requestOf([...messages, new HumanMessage('and now?')]), (number) => {
      if (number === 1) throw tooLong;
      return new AIMessage('hi');
    });
    const sizes = seen.map((request) => JSON.stringify(request.messages).length);
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
  });

  it('passes on what the model fails with', async () => {
    await using talk = await openTalk();
    const failing = ask(talk.session, requestOf([new HumanMessage('hello')]), () => {
      throw tooLong;
    });
    await expect(failing).rejects.toBe(tooLong);
    expect(pathOf(talk.session)).toEqual(['user: hello']);
  });

  it('gives back what is no message, and stores nothing of it', async () => {
    await using talk = await openTalk();
    const command = { goto: 'model_request' };
    const middleware = varveMiddleware({ session: () => talk.session });
    expect(await middleware.wrapModelCall(requestOf([new HumanMessage('hello')]), () => command)).toBe(command);
    expect(pathOf(talk.session)).toEqual(['user: hello']);
  });

  it('asks nobody once it is aborted', async () => {
    await using talk = await openTalk();
    const request = requestOf([new HumanMessage('hello')], { runtime: { signal: AbortSignal.abort() } });
    await expect(ask(talk.session, request)).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
  });

  it('counts whatever tools are sent along, and is stopped by none', async () => {
    await using talk = await openTalk();
    const schema: { type: string; self?: unknown } = { type: 'object' };
    schema.self = schema;
    const circular = { name: 'loop', schema };
    const tools = [
      { name: 'json', description: 'x', schema: { type: 'object' } },
      { name: 'zod', schema: { toJSONSchema: () => ({ type: 'object' }) } },
      { name: 'old zod', schema: { shape: { page: { description: 'Which.' } } } },
      { type: 'web_search' },
      circular,
    ];
    expect(await ask(talk.session, requestOf([new HumanMessage('hello')], { tools }))).toHaveLength(1);
  });

  it.each([
    ['without its messages', {}, 'VARVE_OPTION_INVALID'],
    [
      'with messages of a version that is not known',
      { messages: [{ content: 'x', kind: 'human' }] },
      'VARVE_MESSAGE_INVALID',
    ],
  ])('refuses a request %s', async (_what, request, code) => {
    await using talk = await openTalk();
    await expect(ask(talk.session, request as never)).rejects.toMatchObject({ code });
  });

  it('needs a session', () => {
    expect(() => varveMiddleware(undefined as never)).toThrow(
      expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }),
    );
  });
});
