import { createHost, definePlugin, type Host, type Plugin, type Session, type ToolSet, VarveError } from '@varve/core';
import { type ManualClock, manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  answer,
  call,
  deferred,
  linesOf,
  type ScriptedCall,
  say,
  scriptedModel,
  settle,
  tool,
  user,
} from './turn/scripted-model.ts';

const about = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply: () => undefined };

const notes = (): Plugin =>
  definePlugin({
    ...about,
    name: 'acme/notes',
    tools: {
      note: {
        description: 'Keeps a note.',
        input: z.strictObject({ text: z.string() }),
        execute: ({ text }, context) => {
          context.record('note', text);
          return `kept ${text}`;
        },
      },
    },
  })();

async function open(plugins: readonly Plugin[] = []): Promise<{ host: Host; session: Session; clock: ManualClock }> {
  const clock = manualClock();
  const host = await createHost({ clock, plugins });
  return { host, session: await host.open('s'), clock };
}

/** The results of a turn in which the model makes some calls at once. */
async function resultsOf(
  tools: ToolSet,
  calls: readonly ScriptedCall[],
  plugins: readonly Plugin[] = [],
): Promise<{ lines: string[]; statuses: string[]; text: string }> {
  const { host, session } = await open(plugins);
  const model = scriptedModel([call(...calls), say('Done.')]);
  const record = await session.turn({ message: user('Go'), model: model.port, tools });
  const lines = (await linesOf(session)).filter((line) => line.startsWith('tool: ')).map((line) => line.slice(6));
  await host.close();
  return { lines, statuses: record.steps[0]?.toolCalls.map(({ status }) => status) ?? [], text: record.text };
}

describe('calls of one answer', () => {
  test.each([
    ['a part of an object', '{"path": "a.txt'],
    ['what looks whole', { path: '/' }],
  ])('are not run where a port could not read the arguments, be it %s', async (_, input) => {
    const { host, session } = await open();
    const remove = tool('remove');
    const providerOptions = { varve: { invalidInput: true } };
    const part = { type: 'tool-call', toolCallId: 'a', toolName: 'remove', input, providerOptions } as const;
    const model = scriptedModel([answer({ role: 'assistant', content: [part], stop: 'tool-calls' }), say('Done.')]);
    const record = await session.turn({ message: user('Go'), model: model.port, tools: [remove] });
    expect(remove.ran).toEqual([]);
    expect(record).toMatchObject({ text: 'Done.', steps: [{ toolCalls: [{ status: 'error' }] }, {}] });
    expect((await linesOf(session)).find((line) => line.startsWith('tool: '))).toMatch(
      /^tool: a error-text The tool was not run: its arguments are not valid JSON\. They begin with: \{"path/,
    );
    await host.close();
  });

  test('run at the same time, and each result is stored as soon as it is there', async () => {
    const { host, session } = await open();
    const slow = deferred<void>();
    const model = scriptedModel([call(['a', 'slow'], ['b', 'fast']), say('Done.')]);
    const tools = [
      tool('slow', async () => {
        await slow.promise;
        return { type: 'text', value: 'late' };
      }),
      tool('fast'),
    ];
    const turn = session.turn({ message: user('Go'), model: model.port, tools });
    await settle();
    expect(await linesOf(session)).toEqual([
      'user: Go',
      'assistant: calls slow a, calls fast b',
      'tool: b text fast did it',
    ]);
    slow.resolve();
    await turn;
    const results = model.requests[1]?.prompt.messages.slice(2).map(({ content }) => JSON.stringify(content));
    expect(results?.map((text) => /"toolCallId":"(.)"/.exec(text)?.[1])).toEqual(['a', 'b']);
    await host.close();
  });

  test('run once an id: the same call again has the same result, another one under the same id is not run', async () => {
    const write = tool('write');
    const { lines, statuses, text } = await resultsOf(
      [write],
      [
        ['a', 'write', { n: 1 }],
        ['a', 'write', { n: 1 }],
        ['a', 'write', { n: 2 }],
        ['b', 'write', { n: 2 }],
      ],
    );
    expect(write.ran).toEqual(['a', 'b']);
    expect(statuses).toEqual(['done', 'done', 'error', 'done']);
    expect(lines.filter((line) => line === 'a text write did it')).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('a error-text Not run'))).toHaveLength(1);
    expect(text).toBe('Done.');
  });

  test('have their results in the order of the calls where two share an id, also when the first is slow', async () => {
    const gate = deferred<{ type: 'text'; value: string }>();
    const { host, session } = await open();
    const slow = tool('pay', () => gate.promise);
    const model = scriptedModel([call(['a', 'pay', { n: 1 }], ['a', 'pay', { n: 2 }]), say('Done.')]);
    const turn = session.turn({ message: user('Go'), model: model.port, tools: [slow] });
    await settle();
    gate.resolve({ type: 'text', value: 'paid 1' });
    await turn;
    const lines = (await linesOf(session)).filter((line) => line.startsWith('tool: '));
    expect(lines.map((line) => line.slice(6, 20))).toEqual(['a text paid 1', 'a error-text N']);
    await host.close();
  });

  test('run again under an id that an earlier answer has used', async () => {
    const { host, session } = await open();
    const write = tool('write');
    const model = scriptedModel([call(['call_0', 'write']), call(['call_0', 'write']), say('Done.')]);
    await session.turn({ message: user('Go'), model: model.port, tools: [write] });
    expect(write.ran).toEqual(['call_0', 'call_0']);
    await host.close();
  });
});

describe('a tool that goes wrong tells the model', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  test.each([
    ['that throws', () => Promise.reject(new Error('disk full')), 'a error-text The tool "act" failed: disk full'],
    [
      'that throws nothing of use',
      () => {
        throw undefined;
      },
      'a error-text The tool "act" failed: undefined',
    ],
    [
      'that says it was aborted',
      () => Promise.reject(new VarveError('VARVE_ABORTED', 'No.', { fix: 'None.' })),
      'a error-text The tool "act" failed: No.',
    ],
    [
      'that returns nothing',
      () => undefined,
      'a error-text The tool "act" failed: The tool returned something that is',
    ],
    [
      'that returns what is no JSON',
      () => ({ type: 'json', value: cyclic }),
      'a error-text The tool "act" failed: The tool returned',
    ],
    [
      'that returns another shape',
      () => ({ type: 'gif', value: '' }),
      'a error-text The tool "act" failed: The tool returned something that is no tool output.',
    ],
  ])('%s', async (_, execute, expected) => {
    const act = tool('act', execute as never);
    const { lines, statuses, text } = await resultsOf([act], [['a', 'act']]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(expected);
    expect([statuses, text, act.ran]).toEqual([['error'], 'Done.', ['a']]);
  });

  test('that does not exist, with those that do', async () => {
    const { lines, statuses } = await resultsOf([tool('read')], [['a', 'delete_all']], [notes()]);
    expect(lines).toEqual(['a error-text There is no tool "delete_all". There are: read, note.']);
    expect(statuses).toEqual(['error']);
    expect((await resultsOf([], [['a', 'x']])).lines).toEqual(['a error-text There is no tool "x". There are none.']);
  });

  test('that is called with what is no object, or what its schema does not take', async () => {
    const read = tool('read');
    const { lines } = await resultsOf(
      [read],
      [
        ['a', 'read', '{"path": "x'],
        ['b', 'note', { text: 7 }],
      ],
      [notes()],
    );
    expect(lines.sort()).toEqual([
      expect.stringContaining('a error-text The input of "read" is not valid'),
      expect.stringContaining('b error-text The input of "note" is not valid'),
    ]);
    expect(read.ran).toEqual([]);
  });

  test('that is late, and ignores its signal', async () => {
    const { host, session, clock } = await open();
    const signals: (AbortSignal | undefined)[] = [];
    const stuck = tool(
      'stuck',
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
      { deadlineMs: 5_000 },
    );
    const model = scriptedModel([call(['a', 'stuck']), say('Without it.')]);
    const turn = session.turn({ message: user('Go'), model: model.port, tools: [stuck] });
    await settle();
    clock.advance(4_999);
    await settle();
    expect(model.requests).toHaveLength(1);
    clock.advance(1);
    expect((await turn).text).toBe('Without it.');
    expect(await linesOf(session)).toContain(
      'tool: a error-text The tool "stuck" did not finish within 5 s. Ask it for less, or go on without it.',
    );
    expect(signals[0]?.aborted).toBe(true);
    expect(session.health().findings).toMatchObject([{ name: 'host', where: 'tool: stuck', isFailing: true }]);
    await host.close();
  });

  test('whose result a plugin refuses to store', async () => {
    const refuse = definePlugin({
      ...about,
      name: 'acme/refuse',
      apply: ({ hooks }) =>
        hooks.ingest.tapPromise('refuse keys', ({ message }) => {
          if (!JSON.stringify(message).includes('secret')) return;
          throw new VarveError('VARVE_INGEST_REFUSED', 'It holds a key.', { fix: 'Leave it out.' });
        }),
    })();
    const leak = tool('leak', () => ({ type: 'text', value: 'secret' }));
    const { lines, text } = await resultsOf(
      [leak, tool('read')],
      [
        ['a', 'leak'],
        ['b', 'read'],
      ],
      [refuse],
    );
    expect(lines.sort()).toEqual(['a error-text The result is not shown: It holds a key.', 'b text read did it']);
    expect(text).toBe('Done.');
  });
});

describe('tools of the host and of plugins', () => {
  test('are offered together, and what a plugin records is stored', async () => {
    const { host, session } = await open([notes()]);
    const model = scriptedModel([call(['a', 'note', { text: 'x' }], ['b', 'read']), say('Done.')]);
    await session.turn({ message: user('Go'), model: model.port, tools: [tool('read'), ...session.tools()] });
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['read', 'note']);
    expect((await linesOf(session)).filter((line) => line.startsWith('tool')).sort()).toEqual([
      'tool: a text kept x',
      'tool: b text read did it',
    ]);
    const types: string[] = [];
    for await (const entry of session.read()) types.push(entry.type);
    expect(types).toContain('acme/notes:note');
    await host.close();
  });

  test('of one name are an error at the call that names both, and nothing is stored', async () => {
    const { host, session } = await open([notes()]);
    const model = scriptedModel([]).port;
    await expect(session.turn({ message: user('Go'), model, tools: [tool('note')] })).rejects.toMatchObject({
      code: 'VARVE_TOOL_DUPLICATE',
      message: 'The host and plugin "acme/notes" both offer a tool "note".',
    });
    await expect(session.turn({ message: user('Go'), model, tools: [tool('a'), tool('a')] })).rejects.toMatchObject({
      code: 'VARVE_TOOL_DUPLICATE',
      message: 'The host offers two tools "a".',
    });
    expect(await linesOf(session)).toEqual([]);
    await host.close();
  });

  test('say in the provenance of a result which tool gave it, and the events tell', async () => {
    const { host, session } = await open();
    const told: unknown[] = [];
    host.events.on('tool-finished', ({ plugin, tool: name, toolCallId }) => told.push([plugin, name, toolCallId]));
    const model = scriptedModel([answer(call(['a', 'read']).message), say('Done.')]);
    await session.turn({ message: user('Go'), model: model.port, tools: [tool('read')] });
    const entries = [];
    for await (const entry of session.read()) if (entry.type === 'message') entries.push(entry.provenance);
    expect(entries).toEqual([{ kind: 'user' }, { kind: 'model' }, { kind: 'tool', tool: 'read' }, { kind: 'model' }]);
    await settle();
    expect(told).toEqual([['host', 'read', 'a']]);
    await host.close();
  });
});
