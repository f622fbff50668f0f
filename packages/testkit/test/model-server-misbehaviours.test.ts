import { invalidCallResults } from '@varve/adapters/anthropic';
import type { ModelReply } from '@varve/core';
import {
  answer,
  fixedReplies,
  gate,
  type MisbehaviourName,
  misbehaveAt,
  misbehaviours,
} from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { ask, listening, readTool, serverFor, subjects, ways } from './model-server-subject.ts';

const failed = (kind: string, retryable: boolean, status?: number) => ({
  code: 'VARVE_MODEL_FAILED',
  details: { kind, retryable, ...(status === undefined ? {} : { status }) },
});
const network = failed('network', true);

/** What a port makes of it when it throws. */
const thrown: Readonly<Partial<Record<MisbehaviourName, object>>> = {
  'rate-limited': failed('rate', true, 429),
  'server-error': failed('server', true, 500),
  overloaded: failed('server', true),
  unauthorized: failed('auth', false, 401),
  'quota-exhausted': failed('auth', false),
  'request-too-large': failed('bytes', false, 413),
  filtered: failed('refused', false, 400),
  'hangs-up': network,
  'cut-between-events': network,
  'cut-within-line': network,
  'cut-within-character': network,
  'cut-within-tool-input': network,
  'ends-early': network,
  'ends-within-line': network,
  'error-in-stream': failed('server', true),
};

const text = (part: unknown) => ({ content: [{ type: 'text', text: part }] });

/** What a port makes of it when it answers. */
const answered: Readonly<Partial<Record<MisbehaviourName, (reply: ModelReply) => void>>> = {
  'empty-answer': ({ message }) => expect(message).toMatchObject({ content: [], stop: 'stop' }),
  'blank-answer': ({ message }) => expect(message).toMatchObject(text(' \n\t')),
  refusal: ({ message }) => expect(message).toMatchObject(text('I cannot help with that.')),
  'too-long-answer': ({ message }) => expect(JSON.stringify(message.content).length).toBeGreaterThan(100),
  'stopped-by-length': ({ message }) =>
    expect(message).toMatchObject({ ...text('The file is read, and the'), stop: 'length' }),
  'injected-text': ({ message }) =>
    expect(message).toMatchObject(text(expect.stringContaining("$& $1 $$ $` $' {messages}"))),
  'tool-call-instead': ({ message }) =>
    expect(message).toMatchObject({ stop: 'tool-calls', content: [{ type: 'tool-call', toolName: 'read_file' }] }),
  'unknown-tool': ({ message }) => expect(message).toMatchObject({ content: [{ toolName: 'no_such_tool' }] }),
  'wrong-language': ({ message }) => expect(message).toMatchObject(text(expect.stringContaining('测试'))),
  'duplicate-call-ids': ({ message }) =>
    expect(message).toMatchObject({ content: [{ toolCallId: 'call_same' }, { toolCallId: 'call_same' }] }),
  'unknown-blocks': ({ message }) => expect(message.content[0]).toMatchObject({ type: 'text' }),
  'usage-missing': ({ usage }) => expect(usage).toBeNull(),
  'usage-absurd': ({ usage }) => expect(usage).toBeNull(),
};

const names = Object.keys(misbehaviours) as MisbehaviourName[];

describe.each(ways)('a port of $title', (way) => {
  const options = way.streams ? listening : {};

  it.each(names.filter((name) => thrown[name] !== undefined))('throws what a port throws, of: %s', async (name) => {
    await using server = await serverFor(way, { script: misbehaveAt(() => 'fine', { 1: name }) });
    const port = way.port(server);
    await expect(ask(port, { tools: [readTool] }, options)).rejects.toMatchObject(thrown[name] ?? {});
    expect((await ask(port, {}, options)).message).toMatchObject(text('fine'));
  });

  it.each(names.filter((name) => answered[name] !== undefined))('answers with what came, of: %s', async (name) => {
    await using server = await serverFor(way, { script: misbehaveAt(() => 'fine', { 1: name }) });
    answered[name]?.(await ask(way.port(server), { tools: [readTool], maxOutputTokens: 100 }, options));
  });

  it('marks arguments that are no JSON', async () => {
    await using server = await serverFor(way, { script: misbehaveAt(() => 'fine', { 1: 'invalid-arguments' }) });
    const { message } = await ask(way.port(server), { tools: [readTool] }, options);
    const [part] = message.content as readonly unknown[];
    expect(part).toMatchObject({ type: 'tool-call', input: expect.stringContaining('half') });
    expect(invalidCallResults(message)).toHaveLength(1);
  });

  it('throws an overflow that the script invents', async () => {
    const script = fixedReplies({ kind: 'failure', failure: 'overflow' });
    await using server = await serverFor(way, { script });
    await expect(ask(way.port(server), {}, options)).rejects.toMatchObject({ code: 'VARVE_MODEL_OVERFLOW' });
  });

  it('waits for headers that come late', async () => {
    const late = gate();
    const script = () => answer('At last.', { hold: { before: 'headers', until: late.opened } });
    await using server = await serverFor(way, { script });
    const asking = ask(way.port(server), {}, options);
    await server.arrival(1);
    late.open();
    expect((await asking).message).toMatchObject(text('At last.'));
  });

  it('says that it was aborted while it waited, and leaves', async () => {
    await using server = await serverFor(way, { script: misbehaveAt(() => 'fine', { 1: 'never-answers' }) });
    const controller = new AbortController();
    const asking = ask(way.port(server), {}, { ...options, signal: controller.signal });
    const request = await server.arrival(1);
    controller.abort();
    await expect(asking).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    expect(await request.ended).toBe('left');
  });

  it('fails when the server stops', async () => {
    const server = await serverFor(way, { script: misbehaveAt(() => 'fine', { 1: 'never-answers' }) });
    const asking = expect(ask(way.port(server), {}, options)).rejects.toMatchObject(network);
    await server.arrival(1);
    await server.stop();
    await asking;
    await server.stop();
  });
});

describe.each(subjects)('a port of $name', (subject) => {
  it('says that it was aborted in the middle of a stream, and leaves', async () => {
    const never = gate();
    const script = () => answer('one two three four', { pieceChars: 4, hold: { before: 6, until: never.opened } });
    await using server = await serverFor(subject, { script });
    const controller = new AbortController();
    const onDelta = () => controller.abort();
    await expect(ask(subject.port(server), {}, { onDelta, signal: controller.signal })).rejects.toMatchObject({
      code: 'VARVE_ABORTED',
    });
    expect(await server.requests[0]?.ended).toBe('left');
  });

  it.each(['rate-limited', 'server-error', 'overloaded'] as const)(
    'tries again where the client may, after: %s',
    async (name) => {
      await using server = await serverFor(subject, { script: misbehaveAt(() => 'fine', { 1: name, 2: name }) });
      expect((await ask(subject.port(server, { maxRetries: 2 }))).message).toMatchObject(text('fine'));
      expect(server.requests).toHaveLength(3);
    },
  );

  it('does not try again what began to answer', async () => {
    await using server = await serverFor(subject, { script: misbehaveAt(() => 'fine', { 1: 'cut-between-events' }) });
    await expect(ask(subject.port(server, { maxRetries: 2 }), {}, listening)).rejects.toMatchObject(network);
    expect(server.requests).toHaveLength(1);
  });

  it('is told when the script fails', async () => {
    const script = () => {
      throw new Error('no idea');
    };
    await using server = await serverFor(subject, { script });
    await expect(ask(subject.port(server))).rejects.toThrow(/no idea/);
  });
});

it('has an expectation for every way to misbehave', () => {
  const elsewhere = ['never-answers', 'invalid-arguments'];
  expect(names.filter((name) => thrown[name] === undefined && answered[name] === undefined)).toEqual(elsewhere);
});
