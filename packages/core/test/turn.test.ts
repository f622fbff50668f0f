import { createHost, definePlugin, type Host, memoryStore, type Session, VarveError } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  answer,
  call,
  deferred,
  entriesOf,
  failure,
  lineOf,
  linesOf,
  say,
  scriptedModel,
  settle,
  tool,
  user,
} from './turn/scripted-model.ts';

async function open(options: Parameters<typeof createHost>[0] = {}): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ clock: manualClock(), ...options });
  return { host, session: await host.open('s') };
}

/** The id of a turn that began when its first entry was to get a seq. */
const turnAt = (seq: number): unknown => expect.stringMatching(new RegExp(`^turn-${seq}-[0-9A-Z]{8}$`));

describe('a turn', () => {
  test('stores the message before the model is called, then the answer with its usage', async () => {
    const { host, session } = await open();
    let stored: string[] = [];
    const model = scriptedModel([
      async () => {
        stored = await linesOf(session);
        return say('Hello.');
      },
    ]);
    const record = await session.turn({ message: user('Hi'), model: model.port });
    expect(stored).toEqual(['user: Hi']);
    expect(record).toEqual({
      turnId: turnAt(1),
      status: 'answered',
      input: { id: expect.any(String), seq: 1 },
      message: { role: 'assistant', content: 'Hello.', stop: 'stop' },
      text: 'Hello.',
      steps: [
        { promptTokens: expect.any(Number), usage: { inputTokens: 100, outputTokens: 10 }, attempts: 1, toolCalls: [] },
      ],
      compactions: [],
      overflowsRecovered: 0,
      usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
      pending: [],
    });
    const entries = await entriesOf(session);
    const marks = entries.map((entry) => ('turnId' in entry ? `${entry.type} ${entry.turnId}` : entry.type));
    expect(marks).toEqual(['message', 'request', 'message'].map((type) => `${type} ${record.turnId}`));
    expect(session.info().counters.spent).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await host.close();
  });

  test('goes on until an answer calls no tool, with each result in the next prompt', async () => {
    const { host, session } = await open();
    const model = scriptedModel([call(['a', 'read']), call(['b', 'read'], ['c', 'list']), say('Done.')]);
    const [read, list] = [tool('read'), tool('list')];
    const record = await session.turn({ message: user('Go'), model: model.port, tools: [read, list] });
    expect(await linesOf(session)).toEqual([
      'user: Go',
      'assistant: calls read a',
      'tool: a text read did it',
      'assistant: calls read b, calls list c',
      'tool: b text read did it',
      'tool: c text list did it',
      'assistant: Done.',
    ]);
    expect(model.requests.map(({ prompt }) => prompt.messages.length)).toEqual([1, 3, 6]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['read', 'list']);
    expect(model.requests[0]?.tools?.[0]).toEqual({
      name: 'read',
      description: 'Does read.',
      inputSchema: { type: 'object' },
    });
    expect(record.steps.map(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId))).toEqual([
      ['a'],
      ['b', 'c'],
      [],
    ]);
    expect(record.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
    await host.close();
  });

  test('stops at the step limit with its results stored, and a next turn without a message goes on', async () => {
    const { host, session } = await open();
    const model = scriptedModel([call(['a', 'read']), call(['b', 'read']), say('Done.')]);
    const read = tool('read');
    const options = { model: model.port, tools: [read], maxSteps: 2 };
    const first = await session.turn({ message: user('Go'), ...options });
    expect(first).toMatchObject({ status: 'step-limit', text: '' });
    expect(first.steps).toHaveLength(2);
    expect(await session.turn(options)).toMatchObject({ status: 'answered', text: 'Done.', input: null });
    expect(read.ran).toEqual(['a', 'b']);
    await host.close();
  });

  test('passes what is streamed on, and nothing of it after the call; a listener that throws changes nothing', async () => {
    const { host, session } = await open();
    const told: string[] = [];
    let late = (): void => undefined;
    const model = scriptedModel([
      async (_, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'Hel' });
        onDelta?.({ type: 'text', text: 'lo' });
        late = () => onDelta?.({ type: 'text', text: '!' });
        return say('Hello');
      },
    ]);
    const onDelta = (delta: { readonly type: string; readonly text?: string }): void => {
      told.push(delta.text ?? delta.type);
      throw new Error('no screen');
    };
    expect((await session.turn({ message: user('Hi'), model: model.port, onDelta })).text).toBe('Hello');
    late();
    expect(told).toEqual(['Hel', 'lo']);
    const asked: unknown[] = [];
    const plain = scriptedModel([
      async (_, { onDelta: given }) => {
        asked.push(given);
        return say('Hello');
      },
    ]);
    await session.turn({ message: user('Hi'), model: plain.port });
    expect(asked).toEqual([undefined]);
    await host.close();
  });

  test('tells of its beginning and its end, also when it fails', async () => {
    const { host, session } = await open();
    const told: unknown[] = [];
    host.events.on('turn-started', ({ turnId, kind }) => told.push([turnId, kind]));
    host.events.on('turn-ended', ({ turnId, status, steps, usage, error }) =>
      told.push([turnId, status, steps, usage.inputTokens, error]),
    );
    const model = scriptedModel([say('Yes.'), failure()]);
    await session.turn({ message: user('Hi'), model: model.port, kind: 'cron' });
    await expect(session.turn({ message: user('Hi'), model: model.port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
    });
    await settle();
    expect(told).toEqual([
      [turnAt(1), 'cron'],
      [turnAt(1), 'answered', 1, 100, null],
      [turnAt(4), 'user'],
      [turnAt(4), 'failed', 0, 0, 'No.'],
    ]);
    await host.close();
  });

  test('is what taps and engines are told of, and its message is an event when no user began it', async () => {
    const seen: unknown[] = [];
    const plugin = definePlugin({
      name: 'watch',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => hooks.shape.tapPromise('see', (_, { turn, query }) => void seen.push([turn, query])),
    })();
    const { host, session } = await open({ plugins: [plugin] });
    await session.turn({ message: user('Beat'), kind: 'heartbeat', model: scriptedModel([]).port });
    expect(seen).toEqual([[{ id: turnAt(1), kind: 'heartbeat' }, 'Beat']]);
    const [first] = await entriesOf(session);
    expect(first).toMatchObject({ provenance: { kind: 'system-event' } });
    await session.assemble({ model: scriptedModel([]).port.ref });
    expect(seen[1]).toMatchObject([{ kind: 'user' }, null]);
    await host.close();
  });
});

describe('messages', () => {
  test('that come while a tool runs are in the next prompt, behind its result', async () => {
    const { host, session } = await open();
    const model = scriptedModel([call(['a', 'read']), say('Both.')]);
    const read = tool('read', async () => {
      await session.ingest(user('Also this.'));
      return { type: 'text', value: 'text' };
    });
    const record = await session.turn({ message: user('Go'), model: model.port, tools: [read] });
    expect(model.requests[1]?.prompt.messages.map(lineOf)).toEqual([
      'user: Go',
      'assistant: calls read a',
      'tool: a text text',
      'user: Also this.',
    ]);
    expect(record.pending).toEqual([]);
    await host.close();
  });

  test('that come while the model answers are durable at once, pending, and answered by the next turn', async () => {
    const { host, session } = await open();
    const gate = deferred<void>();
    const model = scriptedModel([
      async () => {
        await gate.promise;
        return say('First.');
      },
      say('Second.'),
    ]);
    const turn = session.turn({ message: user('One'), model: model.port });
    await settle();
    const late = await session.ingest(user('Two'));
    expect(await linesOf(session)).toEqual(['user: One', 'user: Two']);
    gate.resolve();
    expect((await turn).pending).toEqual([{ id: late.id, seq: late.seq }]);
    expect(await session.turn({ model: model.port })).toMatchObject({ text: 'Second.', pending: [] });
    expect(model.requests[1]?.prompt.messages.map(lineOf)).toEqual(['user: One', 'assistant: First.', 'user: Two']);
    await host.close();
  });

  test('that come while the model calls a tool stand behind the call and its result', async () => {
    const store = memoryStore();
    const { host, session } = await open({ store });
    const model = scriptedModel([
      async () => {
        await session.ingest(user('Two'));
        await session.ingest(user('Three'));
        return call(['a', 'read']);
      },
    ]);
    await session.turn({ message: user('One'), model: model.port, tools: [tool('read')] });
    const read = ['user: One', 'assistant: calls read a', 'tool: a text read did it', 'user: Two', 'user: Three'];
    expect(model.requests[1]?.prompt.messages.map(lineOf)).toEqual(read);
    await host.close();
    const later = await open({ store });
    const prompt = await later.session.assemble({ model: model.port.ref });
    expect(prompt.messages.map(lineOf)).toEqual([...read, 'assistant: done']);
    await later.host.close();
  });
});

describe('turns', () => {
  test('run one after the other, each with its own message and answer', async () => {
    const { host, session } = await open();
    const gate = deferred<void>();
    const model = scriptedModel([
      async () => {
        await gate.promise;
        return call(['a', 'read']);
      },
      say('One done.'),
      say('Two done.'),
    ]);
    const first = session.turn({ message: user('One'), model: model.port, tools: [tool('read')] });
    const second = session.turn({ message: user('Two'), model: model.port });
    await settle();
    expect(await linesOf(session)).toEqual(['user: One']);
    gate.resolve();
    expect([(await first).text, (await second).text]).toEqual(['One done.', 'Two done.']);
    expect(model.requests[2]?.prompt.messages.map(lineOf).slice(-2)).toEqual(['assistant: One done.', 'user: Two']);
    await host.close();
  });

  test('go on after one that failed', async () => {
    const { host, session } = await open();
    const model = scriptedModel([failure(), say('Now.')]);
    const turns = [session.turn({ message: user('One'), model: model.port }), session.turn({ model: model.port })];
    const [first, second] = await Promise.allSettled(turns);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'VARVE_MODEL_FAILED' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { text: 'Now.' } });
    expect(await linesOf(session)).toEqual(['user: One', 'assistant: Now.']);
    await host.close();
  });

  test('store and answer a message once, whatever is delivered twice', async () => {
    const { host, session } = await open();
    const model = scriptedModel([say('Yes.')]);
    const options = { message: user('Hi'), key: 'k', model: model.port };
    await session.turn(options);
    const again = await session.turn(options);
    expect(again).toMatchObject({ status: 'answered', text: 'Yes.', steps: [], input: { seq: 1 }, pending: [] });
    expect(model.requests).toHaveLength(1);
    expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: Yes.']);
    await host.close();
  });

  test('answer in a new process what was stored before the old one died, and run no tool again', async () => {
    const store = memoryStore();
    const first = await open({ store });
    const stuck = scriptedModel([call(['a', 'read']), () => new Promise(() => undefined)]);
    const read = tool('read');
    void first.session.turn({ message: user('Go'), key: 'k', model: stuck.port, tools: [read] });
    await settle();
    const crashed = memoryStore();
    const journal = await crashed.open('s', { create: { v: 1, sessionId: 's', createdAt: 0 } });
    for await (const entry of first.session.read()) {
      await journal.append([entry], { expectedSeq: entry.seq - 1 });
    }
    await journal.close();
    const second = await open({ store: crashed });
    const model = scriptedModel([say('Done.')]);
    const record = await second.session.turn({ message: user('Go'), key: 'k', model: model.port, tools: [read] });
    expect(record).toMatchObject({ text: 'Done.', input: { seq: 1 } });
    expect(read.ran).toEqual(['a']);
    await Promise.all([first.host.close(), second.host.close()]);
  });

  test('cannot begin where there is nothing to answer', async () => {
    const { host, session } = await open();
    const model = scriptedModel([]).port;
    await expect(session.turn({ model })).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
    await session.ingest({ role: 'system', content: 'Be brief.' });
    await expect(session.turn({ model })).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
    await host.close();
  });

  test('keep things from being forgotten, and are refused once the session is closed', async () => {
    const { host, session } = await open();
    const entry = await session.ingest(user('One'));
    const model = scriptedModel([
      async () => {
        const error = await session.forget([entry.id], 'no').catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: 'VARVE_FORGET_REFUSED' });
        return say('Yes.');
      },
    ]);
    expect((await session.turn({ model: model.port })).text).toBe('Yes.');
    await session.forget([entry.id], 'asked for');
    await host.close();
    await expect(session.turn({ model: model.port })).rejects.toMatchObject({ code: 'VARVE_SESSION_CLOSED' });
  });

  test('keep the conversation where it is: the head is not moved, and nothing undone, under their hands', async () => {
    const { host, session } = await open();
    const first = await session.ingest(user('One'));
    await session.ingest({ role: 'assistant', content: 'Yes.' });
    await session.setState('todo', 'Ask.');
    const state = (await entriesOf(session)).at(-1)?.id ?? '';
    const refused = { code: 'VARVE_SESSION_BUSY', details: { busy: 'a turn' } };
    const model = scriptedModel([
      async () => {
        await expect(session.moveHead(first.id, { reason: 'rewind' })).rejects.toMatchObject(refused);
        await expect(session.undo(state)).rejects.toMatchObject(refused);
        return say('Two.');
      },
    ]);
    const record = await session.turn({ message: user('Go'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', text: 'Two.' });
    expect(session.view.messages()).toHaveLength(4);
    await session.undo(state);
    await session.moveHead(first.id, { reason: 'rewind' });
    expect(session.view.messages()).toHaveLength(1);
    await host.close();
  });

  test('wait for a move of the head that is under way', async () => {
    const { host, session } = await open();
    const first = await session.ingest(user('One'));
    await session.ingest({ role: 'assistant', content: 'Yes.' });
    const model = scriptedModel([say('Again.')]);
    const moving = session.moveHead(first.id, { reason: 'rewind' });
    expect((await session.turn({ model: model.port })).text).toBe('Again.');
    await moving;
    expect(session.view.messages().map(({ message }) => message.content)).toEqual(['One', 'Again.']);
    await host.close();
  });

  test('are refused in a session that is only read', async () => {
    const { host, session } = await open();
    await session.ingest(user('One'));
    const reader = await host.open('s', { readOnly: true });
    const model = scriptedModel([]);
    await expect(reader.turn({ model: model.port })).rejects.toMatchObject({ code: 'VARVE_STORE_READ_ONLY' });
    await expect(reader.command('/compact', { model: model.port.ref })).rejects.toMatchObject({
      code: 'VARVE_STORE_READ_ONLY',
    });
    expect(model.requests).toEqual([]);
    await host.close();
  });
});

describe('an answer', () => {
  test.each([
    ['an empty text', { role: 'assistant', content: '' }],
    ['a blank text', { role: 'assistant', content: [{ type: 'text', text: ' \n' }] }],
    ['no part', { role: 'assistant', content: [] }],
  ] as const)('of %s is not stored, but told, and the next turn asks again', async (_, message) => {
    const { host, session } = await open();
    const model = scriptedModel([answer(message), say('Yes.')]);
    const record = await session.turn({ message: user('Hi'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', message: null, text: '', usage: { inputTokens: 100 } });
    expect(record.steps).toHaveLength(1);
    expect(await linesOf(session)).toEqual(['user: Hi']);
    expect(await session.turn({ model: model.port })).toMatchObject({ text: 'Yes.' });
    await host.close();
  });

  test.each([
    ['reasoning alone', { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] }, ''],
    ['half a text', { role: 'assistant', content: 'Once up', stop: 'length' }, 'Once up'],
    ['a filtered text', { role: 'assistant', content: 'Once', stop: 'content-filter' }, 'Once'],
  ] as const)('of %s is stored as what it is, and ends the turn', async (_, message, text) => {
    const { host, session } = await open();
    const model = scriptedModel([answer(message)]);
    const record = await session.turn({ message: user('Hi'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', message, text });
    expect(model.requests).toHaveLength(1);
    expect(await entriesOf(session)).toMatchObject([{}, {}, { message }]);
    await host.close();
  });

  test('that was cut off runs none of its calls; the model can call them again in the next turn', async () => {
    const { host, session } = await open();
    const cut = call(['a', 'write', { text: 'Once up' }]);
    const model = scriptedModel([answer({ ...cut.message, stop: 'length' }), call(['b', 'write']), say('Done.')]);
    const write = tool('write');
    const options = { model: model.port, tools: [write] };
    const record = await session.turn({ message: user('Hi'), ...options });
    expect(record).toMatchObject({ status: 'answered', steps: [{ toolCalls: [{ status: 'not-run' }] }] });
    expect(await session.turn(options)).toMatchObject({ text: 'Done.' });
    expect(write.ran).toEqual(['b']);
    await host.close();
  });

  test.each([
    ['nothing', undefined],
    ['another role', { message: user('no'), usage: null }],
    ['no message', { message: { role: 'assistant', content: 7 }, usage: null }],
  ])('that is %s is a failure of the model', async (_, reply) => {
    const { host, session } = await open();
    const model = scriptedModel([async () => reply as never]);
    await expect(session.turn({ message: user('Hi'), model: model.port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind: 'other', retryable: false },
    });
    await host.close();
  });

  test('with a usage that makes no sense is stored without it', async () => {
    const { host, session } = await open();
    const model = scriptedModel([{ ...say('Yes.'), usage: { inputTokens: Number.NaN, outputTokens: -1 } }]);
    expect(await session.turn({ message: user('Hi'), model: model.port })).toMatchObject({
      text: 'Yes.',
      steps: [{ usage: null }],
    });
    await host.close();
  });
});

describe('a model that fails', () => {
  test.each([0, 1, 2])('at call %i leaves all that was stored, and the next turn goes on', async (failing) => {
    const { host, session } = await open();
    const scripts = [call(['a', 'read']), call(['b', 'read']), say('Done.')];
    const model = scriptedModel([...scripts.slice(0, failing), failure('rate'), ...scripts.slice(failing)]);
    const read = tool('read');
    const options = { model: model.port, tools: [read] };
    const error = await session.turn({ message: user('Go'), ...options }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'VARVE_MODEL_FAILED', details: { kind: 'rate', retryable: true } });
    expect(model.requests).toHaveLength(failing + 1);
    expect(await session.turn(options)).toMatchObject({ text: 'Done.' });
    expect(read.ran).toEqual(['a', 'b']);
    await host.close();
  });

  test('with an error without a code gives one of the contract', async () => {
    const { host, session } = await open();
    const cause = new Error('socket');
    const error = await session
      .turn({ message: user('Hi'), model: scriptedModel([cause]).port })
      .catch((thrown: unknown) => thrown);
    expect(VarveError.is(error, 'VARVE_MODEL_FAILED')).toBe(true);
    expect(error).toMatchObject({ cause, message: expect.stringContaining('socket') });
    await host.close();
  });
});

describe('options', () => {
  test.each([
    ['a model without generate', { model: { ref: { provider: 'a', model: 'b' } } }, 'model.generate'],
    ['a model without a name', { model: { generate: () => undefined } }, 'model.ref'],
    ['a step limit of 0', { maxSteps: 0 }, 'maxSteps'],
    ['a tool without execute', { tools: [{ name: 'a', description: '', inputSchema: {} }] }, 'tools.0.execute'],
    ['an unknown kind', { kind: 'party' }, 'kind'],
    ['a misspelt name', { tool: [] }, 'tool'],
    ['a key that is empty', { key: '' }, 'key'],
  ])('with %s are refused before anything is stored', async (_, wrong, path) => {
    const { host, session } = await open();
    const options = { message: user('Hi'), model: scriptedModel([]).port, ...wrong } as never;
    await expect(session.turn(options)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID', details: { path } });
    expect(await linesOf(session)).toEqual([]);
    await host.close();
  });
});
