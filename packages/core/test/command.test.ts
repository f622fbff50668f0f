import {
  type Command,
  type CommandOptions,
  type CommandReply,
  createHost,
  definePlugin,
  type HookContext,
  type Host,
  type Plugin,
  type Session,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entriesOf, overflow, say, scriptedModel, settle, tool, user, wordCounter } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

const answering = (answer: (command: Command, context: HookContext) => unknown, name = 'acme/commands'): Plugin =>
  definePlugin({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => hooks.command.tapPromise('answer', answer as never),
  })();

async function open(plugins: readonly Plugin[] = [], budget = {}): Promise<{ host: Host; session: Session }> {
  const host = await createHost({
    clock: manualClock(),
    tokens: wordCounter,
    plugins,
    budget: { inputTokens: 12_000, ...budget },
  });
  return { host, session: await host.open('s') };
}

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'clay '.repeat(100)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(200)}` });
  }
}

/** What the tests look at in the data of a reply. */
interface Data {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly compactionId: string;
}

const dataOf = (reply: CommandReply | null): Data => reply?.data as unknown as Data;

describe('a line', () => {
  test.each([
    ['a plain text', 'hello'],
    ['a word in the middle', 'please /status'],
    ['two slashes', '//status'],
    ['a path', '/usr/bin is full'],
    ['an unknown word', '/frobnicate now'],
    ['a slash alone', '/'],
    ['a slash and a blank', '/ status'],
    ['a number', '/1'],
    ['nothing', ''],
  ])('that is %s is no command', async (_, text) => {
    const { host, session } = await open();
    expect(await session.command(text, { model })).toBeNull();
    await host.close();
  });

  test.each([['/help'], ['  /help  '], ['/HELP'], ['/help me'], ['/help\n']])('%j is a command', async (text) => {
    const { host, session } = await open();
    expect((await session.command(text, { model }))?.text).toContain('/compact [focus]');
    await host.close();
  });

  test('leaves no message in the journal, whatever it is', async () => {
    const { host, session } = await open();
    await talk(session, 2);
    const before = await entriesOf(session);
    for (const text of ['/help', '/status', '/context', '/nothing']) await session.command(text, { model });
    expect(await entriesOf(session)).toEqual(before);
    await host.close();
  });

  test.each([
    ['a text that is none', 7, { model }],
    ['no model', '/status', {}],
    ['a misspelt option', '/status', { model, tool: [] }],
    ['a sender without an id', '/status', { model, sender: {} }],
  ])('with %s is refused', async (_, text, options) => {
    const { host, session } = await open();
    await expect(session.command(text as never, options as never)).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
    });
    await host.close();
  });
});

describe('/compact', () => {
  test('compacts at once with a focus, and says what is kept and how to undo it', async () => {
    const { host, session } = await open();
    await talk(session, 15);
    const reply = await session.command('/compact the harbour wall', { model });
    const data = dataOf(reply);
    expect(data).toMatchObject({ status: 'compacted', fromSeq: 1, keptMessages: expect.any(Number) });
    expect(data.tokensAfter).toBeLessThan(data.tokensBefore);
    const entry = (await entriesOf(session)).find(({ type }) => type === 'compaction');
    expect(entry).toMatchObject({ trigger: 'manual', instructions: 'the harbour wall', id: data.compactionId });
    expect(reply?.text).toContain('Nothing is deleted, and it can be undone.');
    expect(reply?.text).not.toMatch(/session\.|[()]{2}/);
    expect(reply?.text).toMatch(/^Compacted: [\d ]+ → [\d ]+ tokens \(\d+ % freed\)\./);
    await session.undo(data.compactionId);
    expect(session.view.compaction()).toBeNull();
    await host.close();
  });

  test('says why when there is nothing to compact', async () => {
    const { host, session } = await open();
    await session.ingest(user('Hi'));
    const reply = await session.command('/compact', { model });
    expect(reply?.text).toContain('Nothing was compacted (nothing-to-do).');
    expect(dataOf(reply)).toMatchObject({ status: 'nothing-to-do', tokensBefore: dataOf(reply).tokensAfter });
    await host.close();
  });
});

describe('/compact of somebody', () => {
  test.each<[string, CommandOptions['sender'], string]>([
    ['nobody who is known', undefined, 'compacted'],
    ['the owner', { id: 'anna', role: 'owner' }, 'compacted'],
    ['a member', { id: 'bob', role: 'member' }, 'refused'],
    ['somebody unknown', { id: 'eve', role: 'unknown' }, 'refused'],
    ['somebody without a role', { id: 'eve' }, 'refused'],
  ])('%s ends as it may', async (_, sender, status) => {
    const { host, session } = await open();
    await talk(session, 15);
    const before = (await entriesOf(session)).length;
    expect(await session.command('/compact', { model, sender })).toMatchObject({ data: { status } });
    expect((await entriesOf(session)).length > before).toBe(status === 'compacted');
    if (status === 'refused') expect(await session.command('/status', { model, sender })).not.toBeNull();
    await host.close();
  });
});

describe('/status', () => {
  test('says what the session says of its pressure, also where bytes press more', async () => {
    const { host, session } = await open([], { inputTokens: 200_000, inputBytes: 20_000 });
    await talk(session, 14);
    const { level, by, bytes, tokens } = session.pressure({ model });
    expect([level, by]).not.toEqual(['none', 'tokens']);
    const reply = await session.command('/status', { model });
    expect(reply?.data).toMatchObject({ level, by, bytes, tokens, budget: { inputBytes: 20_000 } });
    expect(reply?.text).not.toContain('room enough');
    expect(reply?.text).toMatch(/^Size: \[.*\] \d+ %, [\d ]+ of 20 000 bytes \(\w+\)$/m);
    await host.close();
  });

  test('shows model, window, budget, how full the prompt is, calibration, cost and health', async () => {
    const { host, session } = await open([answering(() => undefined)]);
    await talk(session, 10);
    const usage = { inputTokens: 3_500, outputTokens: 10 };
    const answered = scriptedModel([{ ...say('Yes.'), usage }], model);
    await session.turn({ message: user('And now?'), model: answered.port });
    const reply = await session.command('/status', { model, tools: [tool('read')] });
    expect(reply?.text.split('\n')).toEqual([
      'Model: test/test-1, window 12 000 tokens',
      expect.stringMatching(/^Prompt: \[█{6}-{14}\] \d+ %, 3 \d{3} of 1\d \d{3} tokens \(room enough\)$/),
      expect.stringMatching(/^Budget: compaction is due above 10 \d{3}, in the background above 8 \d{3}$/),
      'Calibration: one counted token is 1.12 of the model, by 1 report',
      'So far: 22 messages, 1 prompts, 0 compactions',
      'Spent: 3 500 in, 10 out, 0 read from and 0 written to caches',
      'Health: nothing is failing',
    ]);
    expect(dataOf(reply)).toMatchObject({
      model: 'test/test-1',
      budget: { window: 12_000, input: expect.any(Number), hard: expect.any(Number), soft: expect.any(Number) },
      learned: null,
      level: 'none',
      calibration: { factor: 1.12, samples: 1 },
      messages: 22,
      requests: 1,
      spent: { inputTokens: 3_500, outputTokens: 10 },
      ok: true,
      failing: [],
    });
    await host.close();
  });

  test('shows what was learned of the model, what fails, and copes with an empty session without limit', async () => {
    const failing = definePlugin({
      name: 'acme/broken',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => hooks.shape.tapPromise('break', () => Promise.reject(new Error('broken'))),
    })();
    const { host, session } = await open([failing], { inputTokens: null, contextTokens: 100_000 });
    expect((await session.command('/status', { model }))?.text).toContain(' tokens, without a limit');
    await talk(session, 10);
    const port = scriptedModel([overflow({ limit: 1_000, given: 2_000 }), say('Yes.')], model).port;
    await session.turn({ message: user('And now?'), model: port });
    const reply = await session.command('/status', { model });
    expect(reply?.text).toMatch(/Learned: the model took no more than 1 \d{3} tokens/);
    expect(reply?.text).toContain('Health: 1 failing\n  acme/broken, shape: break: broken');
    const other = await session.command('/status', { model: { provider: 'test', model: 'other' } });
    expect(other?.text).not.toContain('Learned');
    await host.close();
  });
});

test('/context shows layers, what is left out or changed, and the largest messages', async () => {
  const { host, session } = await open();
  await session.ingest({ role: 'system', content: 'Be brief.' });
  await talk(session, 15);
  await session.ingest(user(`Read this:\u001b[31m \u202e${'word '.repeat(900)}`));
  await session.command('/compact', { model });
  const reply = await session.command('/context', { model });
  const { tokens, layers, ranges, changed, top } = dataOf(reply) as unknown as {
    readonly tokens: number;
    readonly layers: readonly { readonly id: string; readonly tokens: number }[];
    readonly ranges: readonly { readonly verdict: string; readonly fromSeq: number; readonly toSeq: number }[];
    readonly changed: readonly { readonly verdict: string }[];
    readonly top: readonly { readonly preview: string; readonly tokens: number }[];
  };
  expect(layers.map(({ id }) => id).sort()).toEqual(['conversation', 'summary', 'system']);
  expect(layers.reduce((sum, layer) => sum + layer.tokens, 0)).toBe(tokens);
  expect(ranges).toEqual([{ verdict: 'summarised', fromSeq: expect.any(Number), toSeq: expect.any(Number) }]);
  expect(changed.map(({ verdict }) => verdict)).not.toContain('summarised');
  const [range] = ranges;
  expect(reply?.text).toMatch(new RegExp(`^ +summarised \\(#${range?.fromSeq} to #${range?.toSeq}\\)$`, 'm'));
  expect(top[0]?.preview).toMatch(/^Read this:\[31m word word .*…$/);
  expect(top.map((one) => one.tokens)).toEqual(top.map((one) => one.tokens).sort((a, b) => b - a));
  expect(reply?.text).toContain('Largest messages:');
  expect([...layers, ...top].filter((one) => one.tokens === 0)).toEqual([]);
  await host.close();
});

test.each([
  [{ inputTokens: 8_000 }, / of 8 000 tokens\.$/, 8_000],
  [{ inputTokens: null }, / tokens, without a limit\.$/, null],
])('/context says how large the prompt may be, for the budget %j', async (budget, line, budgetTokens) => {
  const { host, session } = await open([], budget);
  await talk(session, 2);
  const reply = await session.command('/context', { model });
  expect(reply?.text.split('\n', 1)[0]).toMatch(line);
  expect(dataOf(reply)).toMatchObject({ budgetTokens });
  await host.close();
});

test('/context counts notes on a line of their own', async () => {
  const noting = definePlugin({
    name: 'acme/noting',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('note', (draft) => draft.addNote({ id: 'n', items: [{ text: 'Clay.' }] }, 'clay')),
  });
  const { host, session } = await open([noting()]);
  await talk(session, 2);
  const reply = await session.command('/context', { model });
  const { tokens, layers } = dataOf(reply) as unknown as {
    readonly tokens: number;
    readonly layers: readonly { readonly id: string; readonly tokens: number }[];
  };
  expect(layers.map(({ id }) => id)).toEqual(['conversation', 'notes']);
  expect(layers.reduce((sum, layer) => sum + layer.tokens, 0)).toBe(tokens);
  expect(reply?.text).toMatch(/^ +\d+ {2}notes$/m);
  await host.close();
});

test('a prompt that cannot be made is told in the reply', async () => {
  const { host, session } = await open([], { inputTokens: 50 });
  await session.ingest({ role: 'system', content: 'rule '.repeat(300) });
  const reply = await session.command('/context', { model });
  expect(dataOf(reply)).toEqual({ error: 'VARVE_BUDGET_IMPOSSIBLE' });
  expect(reply?.text).toMatch(/^\/context failed\. A budget of 50 tokens cannot hold/);
  await host.close();
});

describe('a plugin', () => {
  test('is asked before core, and is told all of the command', async () => {
    const seen: unknown[] = [];
    const { host, session } = await open([
      answering((command, { model: asked }) => {
        seen.push([command, asked]);
        if (command.name === 'status') return { text: 'Mine.', data: { mine: true } };
        return command.name === 'hello' ? { text: `Hello ${command.rest}` } : undefined;
      }),
    ]);
    const sender = { id: 'anna', role: 'owner' } as const;
    expect(await session.command('/status', { model })).toEqual({ text: 'Mine.', data: { mine: true } });
    expect(await session.command('/Hello  big world ', { model, sender })).toEqual({
      text: 'Hello big world',
      data: null,
    });
    expect(await session.command('/help', { model })).toMatchObject({
      text: expect.stringContaining('Plugins of this host know further commands.'),
    });
    expect(await session.command('/unknown', { model })).toBeNull();
    expect(seen[0]).toEqual([{ name: 'status', rest: '', text: '/status', sender: null }, model]);
    expect(seen[1]).toEqual([{ name: 'hello', rest: 'big world', text: '/Hello  big world ', sender }, model]);
    await host.close();
  });

  test('that is listed stands in /help, with those of core and of the host', async () => {
    const listing = definePlugin({
      name: 'acme/listing',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks, listCommand }) => {
        listCommand({ command: '/shout [text]', what: 'Shouts.' });
        hooks.command.tapPromise('shout', () => undefined);
      },
    })();
    const { host, session } = await open([listing]);
    const reply = await session.command('/help', {
      model,
      commands: [{ command: '/model', what: 'Shows the model.' }],
    });
    const lines = reply?.text.split('\n').map((line) => line.split(':')[0]);
    expect(lines?.slice(0, 6)).toEqual(['/compact [focus]', '/status', '/context', '/help', '/shout [text]', '/model']);
    expect(reply?.text).not.toContain('further commands');
    expect(reply?.data).toMatchObject({
      commands: expect.arrayContaining([{ command: '/shout [text]', what: 'Shouts.' }]),
    });
    await host.close();
  });

  test.each([
    [{ command: 'shout', what: 'Shouts.' }],
    [{ command: '/', what: 'Shouts.' }],
    [{ command: '/shout', what: '' }],
    [{ command: '/shout' }],
    [{ command: '/shout', what: 'Shouts.', takesLong: 'yes' }],
    [null],
  ])('cannot be listed as %j', async (line) => {
    const plugin = definePlugin({
      name: 'acme/listing',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ listCommand }) => listCommand(line as never),
    })();
    await expect(open([plugin])).rejects.toMatchObject({ code: 'VARVE_PLUGIN_INVALID' });
  });

  test('cannot be listed once the host has started', async () => {
    let list = (): void => undefined;
    const plugin = definePlugin({
      name: 'acme/late',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ listCommand }) => {
        list = () => listCommand({ command: '/late', what: 'Comes late.' });
      },
    })();
    const { host } = await open([plugin]);
    expect(list).toThrow(expect.objectContaining({ code: 'VARVE_HOOK_FROZEN' }));
    await host.close();
  });

  test('that fails is named in the reply, and asked again the next time', async () => {
    let times = 0;
    const { host, session } = await open([
      answering(() => {
        times += 1;
        throw new Error('no network');
      }),
    ]);
    for (let call = 0; call < 5; call += 1) {
      const reply = await session.command('/weather', { model });
      expect(reply?.text).toContain('/weather failed. Plugin "acme/commands" failed in command: answer: no network');
      expect(reply?.data).toEqual({ error: 'VARVE_PLUGIN_FAILED' });
    }
    expect(times).toBe(5);
    await host.close();
  });

  test('that is late is given up on after five seconds', async () => {
    const clock = manualClock();
    const stuck = answering(() => new Promise(() => undefined));
    await using host = await createHost({ clock, plugins: [stuck] });
    const session = await host.open('s');
    const asked = session.command('/weather', { model });
    await settle();
    clock.advance(5_000);
    expect((await asked)?.text).toContain('did not finish command: answer within 5000 ms');
  });

  test.each([
    ['no text', {}],
    ['a text', 'Hello'],
    ['data that is no JSON', { text: 'Hi', data: () => undefined }],
  ])('that returns %s failed', async (_, reply) => {
    const { host, session } = await open([answering(() => reply)]);
    expect((await session.command('/hello', { model }))?.data).toEqual({ error: 'VARVE_PLUGIN_FAILED' });
    await host.close();
  });

  test('gives up when its caller does', async () => {
    const { host, session } = await open([answering(() => new Promise(() => undefined))]);
    const controller = new AbortController();
    const asked = session.command('/weather', { model, signal: controller.signal });
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    await host.close();
  });
});

describe('what shows what others said', () => {
  test.each(['/status', '/context'])('%s shows nothing to whom nobody knows, and else what it shows', async (text) => {
    const { host, session } = await open();
    await session.ingest(user('The vault opens with plum.'));
    for (const sender of [{ id: '9', role: 'unknown' }, { id: '9' }] as const) {
      const reply = await session.command(text, { model, sender });
      expect(reply).toEqual({ text: expect.stringContaining('Nobody here knows you'), data: { status: 'refused' } });
    }
    for (const sender of [undefined, { id: '1', role: 'member' }, { id: '2', role: 'owner' }] as const) {
      expect((await session.command(text, { model, sender }))?.text).toContain('tokens');
    }
    await host.close();
  });
});
