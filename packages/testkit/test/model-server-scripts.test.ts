import { createHost, extractIdentifiers, type Host, type ModelPort, type ModelReply, type Session } from '@varve/core';
import { manualClock, seededRandom } from '@varve/testkit';
import {
  fixedReplies,
  type MisbehaviourName,
  type ModelScript,
  misbehaveAt,
  summariser,
  toolAgent,
} from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { ask, readTool, type Subject, serverFor, subjects } from './model-server-subject.ts';

const [messages] = subjects as [Subject, ...Subject[]];
const budget = { contextTokens: 100_000, inputTokens: null };

function openHost(): Promise<Host> {
  return createHost({ clock: manualClock(), random: seededRandom(1).next, budget });
}

/** Asks the model until it calls no more tools; the tools answer at once. */
async function converse(session: Session, port: ModelPort, content: string): Promise<ModelReply> {
  await session.ingest({ role: 'user', content });
  for (let round = 0; round < 10; round += 1) {
    const prompt = await session.assemble({ model: port.ref, tools: [{ ...readTool }] });
    const reply = await port.generate({ prompt, tools: [readTool] });
    await session.ingest(reply.message);
    const parts = typeof reply.message.content === 'string' ? [] : reply.message.content;
    const calls = parts.filter((part) => part.type === 'tool-call');
    if (calls.length === 0) return reply;
    for (const { toolCallId, toolName } of calls) {
      const output = { type: 'text', value: `It says src/found-${round}.ts` } as const;
      await session.ingest({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    }
  }
  throw new Error('the model never ends');
}

const survived: readonly MisbehaviourName[] = [
  'empty-answer',
  'blank-answer',
  'refusal',
  'too-long-answer',
  'stopped-by-length',
  'injected-text',
  'tool-call-instead',
  'unknown-tool',
  'wrong-language',
  'invalid-arguments',
  'duplicate-call-ids',
  'unknown-blocks',
  'usage-missing',
  'usage-absurd',
];

describe.each(subjects)('a session with a port of $name', (subject) => {
  it('holds a conversation with an agent, and sends nothing that is refused', async () => {
    await using server = await serverFor(subject, { script: toolAgent({ seed: 3, steps: 4, thinks: true }) });
    await using host = await openHost();
    const session = await host.open('main');
    const port = subject.port(server);
    for (const content of ['Look at a.ts.', 'And at packages/core/b.ts?']) {
      const { message } = await converse(session, port, content);
      expect(JSON.stringify(message.content)).toContain('src/found-3.ts');
    }
    expect(server.requests).toHaveLength(10);
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it.each(survived)('goes on after: %s', async (name) => {
    await using server = await serverFor(subject, { script: misbehaveAt(() => 'fine', { 1: name }) });
    await using host = await openHost();
    const session = await host.open('main');
    const port = subject.port(server);
    await converse(session, port, 'Look at a.ts.');
    const { message } = await converse(session, port, 'Go on.');
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'fine' }] });
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });
});

const given = Array.from(
  { length: 20 },
  (_, index) => `The file packages/part-${index}/src/index.ts was changed by commit ab${index}cd${index}ef0.`,
).join('\n');

async function textOf(script: ModelScript, content: string): Promise<string> {
  await using server = await serverFor(messages, { script });
  const { message } = await ask(messages.port(server), { messages: [{ role: 'user', content }] });
  return JSON.stringify(message.content);
}

describe('summariser', () => {
  it('writes shorter prose with all that was named', async () => {
    const text = await textOf(summariser(), given.repeat(3));
    expect(text.length).toBeLessThan(given.length * 3);
    expect([...extractIdentifiers(given).keys()].filter((name) => !text.includes(name))).toEqual([]);
  });

  it('drops identifiers when it is told to', async () => {
    const names = [...extractIdentifiers(given).keys()];
    const share = async (keeps: number) => {
      const text = await textOf(summariser({ keeps }), given);
      const found = [...extractIdentifiers(text).keys()];
      return names.filter((name) => found.includes(name)).length / names.length;
    };
    expect(await share(0)).toBe(0);
    expect(await share(0.5)).toBeCloseTo(0.5, 1);
  });

  it('has something to say about nothing', async () => {
    expect(await textOf(summariser(), 'hi')).toContain('They spoke');
  });
});

describe('toolAgent', () => {
  it('calls what it must, and nothing when it may not', async () => {
    await using server = await serverFor(messages, { script: toolAgent({ steps: 0 }) });
    const port = messages.port(server);
    const free = await ask(port, { tools: [readTool] });
    expect(free.message.stop).toBe('stop');
    const body = { model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
    const tools = [{ name: 'read_file', input_schema: { type: 'object' } }];
    for (const [type, stop] of [
      ['any', 'tool_use'],
      ['none', 'end_turn'],
    ] as const) {
      const text = JSON.stringify({ ...body, tools, tool_choice: { type } });
      const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', body: text });
      expect(await response.json()).toMatchObject({ stop_reason: stop });
    }
  });

  it('works differently with another seed', async () => {
    const calls = async (seed: number) => {
      await using server = await serverFor(messages, { script: toolAgent({ seed }) });
      return (await ask(messages.port(server), { tools: [readTool] })).message.content;
    };
    expect(await calls(1)).not.toEqual(await calls(2));
  });
});

describe('fixedReplies', () => {
  it('gives the last reply for ever', async () => {
    await using server = await serverFor(messages, { script: fixedReplies('one', 'two') });
    const port = messages.port(server);
    const said: unknown[] = [];
    for (let number = 0; number < 3; number += 1) said.push((await ask(port)).message.content);
    expect(said).toMatchObject([[{ text: 'one' }], [{ text: 'two' }], [{ text: 'two' }]]);
  });
});
