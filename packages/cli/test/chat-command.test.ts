import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHost } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import {
  answer,
  failure,
  gate,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { type CapturedRun, type CaptureOptions, run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const home = dirname(import.meta.dirname);
const fromSource = ['--conditions=@varve/source', '--import', 'tsx', join(home, 'src', 'bin.ts')];

function chat(
  root: string,
  typed: string,
  options: CaptureOptions & { argv?: readonly string[] } = {},
): Promise<CapturedRun> {
  const { argv = [], ...rest } = options;
  return run(['chat', ...argv, '--root', root, '--config', 'none'], { ...rest, stdin: typed });
}

const newRoot = (): string => join(folder.path, randomUUID());

/** Objects of `--json`, in order. */
function objectsOf({ out }: CapturedRun): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function textsOf(captured: CapturedRun): unknown[] {
  return objectsOf(captured).flatMap(({ type, text }) => (type === 'received' ? [text] : []));
}

/** Lines of all journals of a root, as they lie on the disk. */
function journalsOf(root: string): string[] {
  const place = join(root, 'agents', 'main', 'sessions');
  return readdirSync(place)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(place, name), 'utf8').trim().split('\n'));
}

function serverOf(
  provider: 'anthropic' | 'openai',
  script: ModelScript,
  contextTokens = 100_000,
): Promise<ModelServer> {
  return startModelServer({ provider, contextTokens, script });
}

describe('varve chat without a model of a provider', () => {
  it('answers each line from what is in its prompt', async () => {
    const captured = await chat(newRoot(), 'My invoice number is INV-4471.\nWhat is my invoice number?\n');
    expect(captured).toMatchObject({ code: 0, err: '' });
    expect(captured.out).toContain('you: “My invoice number is INV-4471.”');
  });

  it('knows nothing of what is in another conversation', async () => {
    const root = newRoot();
    await chat(root, 'The code word is heron.\n', { argv: ['work'] });
    const other = await chat(root, 'What is the code word?\n', { argv: ['home'] });
    expect(other.out).not.toContain('heron');
    const same = await chat(root, 'What is the code word?\n', { argv: ['work'] });
    expect(same.out).toContain('heron');
  });

  it('goes on where the conversation was, in another process', async () => {
    const root = newRoot();
    await chat(root, 'The kettle is blue.\n');
    const [, resumed] = objectsOf(await chat(root, 'What colour is the kettle?\n', { argv: ['--json'] }));
    expect(resumed).toMatchObject({ type: 'resumed', key: 'agent:main:main', messages: 2 });
  });

  it('begins a new conversation, which knows nothing of the one before', async () => {
    const captured = await chat(newRoot(), 'The kettle is blue.\n/new\nWhat colour is the kettle?\n', {
      argv: ['--json'],
    });
    const received = objectsOf(captured).filter(({ type }) => type === 'received');
    expect(new Set(received.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect(received.map(({ text }) => text).at(-1)).toContain('Nothing else in this prompt speaks of that.');
  });

  it('shows nothing of an answer that may not leave, and says why', async () => {
    const captured = await chat(newRoot(), '/send off\nMy invoice number is INV-4471.\nWhat is my invoice number?\n');
    expect(captured.out).toMatch(/Not sent: .*switched off/);
    expect(captured.out).not.toContain('INV-4471');
  });

  it('keeps that over a new conversation and another process', async () => {
    const root = newRoot();
    await chat(root, '/send off\n/new\n');
    expect((await chat(root, 'hello\n')).out).toMatch(/Not sent: /);
  });

  it('takes a line that ends in a backslash and the next as one message', async () => {
    const root = newRoot();
    await chat(root, 'one\\\ntwo\nthree\n');
    const users = journalsOf(root).filter((line) => line.includes('"role":"user"'));
    expect(users.map((line) => (JSON.parse(line) as { message: { content: string } }).message.content)).toEqual([
      'one\ntwo',
      'three',
    ]);
  });

  it('remembers what it is asked to remember, in the notes of the agent', async () => {
    const root = newRoot();
    await chat(root, 'Remember that the gate code is 4471.\n');
    const later = await chat(root, '/new\nWhat is the gate code?\n');
    expect(later.out).toContain('gate code is 4471');
  });

  it('leaves with /quit, and with the end of its input', async () => {
    const captured = await chat(newRoot(), 'hello\n/quit\nnever said\n');
    expect(captured.code).toBe(0);
    expect(captured.out).not.toContain('never said');
    expect(await chat(newRoot(), '')).toMatchObject({ code: 0, out: '' });
  });

  it('prints nothing that a terminal obeys', async () => {
    const hostile = '\u001B[2Jred \u202Eright to left \u0007 and What is \u001B[31m this?';
    const { out } = await chat(newRoot(), `${hostile}\n${hostile}\n`);
    for (const character of ['\u001B', '\u0007', '\u202E']) expect(out).not.toContain(character);
  });

  it('refuses keys of what runs by itself, and names that are no model', async () => {
    const job = await chat(newRoot(), 'hello\n', { argv: ['agent:main:cron:nightly'] });
    expect(job).toMatchObject({ code: 2, out: '' });
    expect(job.err).toContain('VARVE_USAGE');
    const model = await chat(newRoot(), 'hello\n', { argv: ['--model', 'gpt'] });
    expect(model.err).toContain('anthropic:claude-sonnet-5-5');
  });

  it('speaks in every conversation that a person can be in, by its key', async () => {
    const keys = [
      'agent:main:direct:123',
      'agent:main:direct:~ada',
      'agent:main:telegram:direct:123',
      'agent:main:telegram:work:direct:123',
      'agent:ops:discord:channel:9:thread:7',
      'global',
    ];
    for (const key of keys) {
      const captured = await chat(newRoot(), 'hello\n', { argv: [key, '--json'] });
      expect(objectsOf(captured).at(-2)).toMatchObject({ type: 'received', key, status: 'answered' });
    }
  });

  it('says who has the conversation when another process speaks there', async () => {
    const root = newRoot();
    const store = jsonlStore({ root });
    const host = await createHost({ store });
    await chat(root, 'hello\n');
    const [record] = await host.sessions.list({ key: 'agent:main:main' });
    await using _held = await host.open(record?.sessionId ?? '');
    const captured = await chat(root, 'me too\n');
    expect(captured.code).toBe(2);
    expect(captured.err).toMatch(/VARVE_STORE_LOCKED/);
    expect(captured.err).toContain("varve sessions tail 'agent:main:main' --follow");
    expect((await chat(root, 'elsewhere\n', { argv: ['work'] })).code).toBe(0);
    await host.close();
    await store[Symbol.asyncDispose]();
  });
});

describe('varve chat with a model of a provider', () => {
  const clients = [
    ['anthropic', 'anthropic:claude-sonnet-5-5'],
    ['openai', 'openai:gpt-5'],
  ] as const;
  const envOf = (provider: 'anthropic' | 'openai', url: string): Record<string, string> =>
    provider === 'anthropic'
      ? { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url }
      : { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url };

  it.each(clients)('streams what %s answers through its own client', async (provider, model) => {
    await using server = await serverOf(provider, () => answer('Varves are layers of lake mud.', { pieceChars: 3 }));
    const captured = await chat(newRoot(), 'What is a varve?\n', {
      argv: ['--model', model],
      env: envOf(provider, server.url),
    });
    expect(captured).toEqual({ code: 0, err: '', out: 'Varves are layers of lake mud.\n' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(clients)('tells that %s wants another key, and ends with 1', async (provider, model) => {
    await using server = await serverOf(provider, () => failure('unauthorized'));
    const captured = await chat(newRoot(), 'hello\n', { argv: ['--model', model], env: envOf(provider, server.url) });
    expect(captured.code).toBe(1);
    expect(captured.err).toContain('VARVE_MODEL_FAILED');
  });

  it('shows no half of an emoji, wherever the stream was cut', async () => {
    await using server = await serverOf('anthropic', () => answer('👨‍👩‍👧 and 🦢!', { pieceChars: 1 }));
    const captured = await chat(newRoot(), 'hello\n', {
      argv: ['--model', 'anthropic:claude-sonnet-5-5'],
      env: envOf('anthropic', server.url),
    });
    expect(captured.out).toBe('👨‍👩‍👧 and 🦢!\n');
  });

  it('goes on with a shorter prompt when the model says that it is too long', async () => {
    await using server = await serverOf('anthropic', () => answer('Noted.'), 6_000);
    const long = Array.from({ length: 12 }, (_, index) => `Fact ${index}: ${'reed and silt '.repeat(250)}`).join('\n');
    const captured = await chat(newRoot(), `${long}\n`, {
      argv: ['--model', 'anthropic:claude-sonnet-5-5'],
      env: envOf('anthropic', server.url),
    });
    expect(captured).toMatchObject({ code: 0, err: '' });
    expect(captured.out.match(/Noted\./g)).toHaveLength(12);
  });

  it('changes the model in the middle, and says when a key is missing', async () => {
    await using server = await serverOf('anthropic', () => answer('I am a model.'));
    const captured = await chat(newRoot(), '/model anthropic/claude-sonnet-5-5\nhello\n/model openai/gpt-5\nhello\n', {
      env: envOf('anthropic', server.url),
    });
    expect(captured.out).toContain('I am a model.');
    expect(captured.err).toContain('OPENAI_API_KEY is not set');
    expect(captured.code).toBe(1);
  });

  it('stops an answer, and keeps what was said', async () => {
    const held = gate();
    const controller = new AbortController();
    await using server = await serverOf('anthropic', () =>
      answer('never whole', { hold: { before: 4, until: held.opened }, pieceChars: 3 }),
    );
    const root = newRoot();
    const running = chat(root, 'hello\n', {
      argv: ['--model', 'anthropic:claude-sonnet-5-5'],
      env: envOf('anthropic', server.url),
      signal: controller.signal,
    });
    await server.arrival(1);
    controller.abort();
    expect((await running).code).toBe(130);
    held.open();
    expect(journalsOf(root).some((line) => line.includes('"hello"'))).toBe(true);
  });

  it('stores what is typed while an answer is made, also when the chat is left', async () => {
    const held = gate();
    await using server = await serverOf('anthropic', () =>
      answer('late', { hold: { before: 'headers', until: held.opened } }),
    );
    const root = newRoot();
    async function* typed(): AsyncGenerator<string> {
      yield 'first\n';
      await server.arrival(1);
      yield 'second MARKER\n';
      yield '/quit\n';
    }
    const captured = await run(['chat', '--root', root, '--config', 'none', '--model', 'anthropic:claude-sonnet-5-5'], {
      isTTY: true,
      stdin: typed(),
      env: envOf('anthropic', server.url),
    });
    held.open();
    expect(captured).toMatchObject({ code: 0, err: '' });
    expect(journalsOf(root).some((line) => line.includes('second MARKER'))).toBe(true);
  });

  it('says at the start that a key is missing, and which names are none', async () => {
    const noKey = await chat(newRoot(), 'hello\n', { argv: ['--model', 'openai:gpt-5'] });
    expect(noKey).toMatchObject({ code: 2, out: '' });
    expect(noKey.err).toContain('OPENAI_API_KEY is not set');
    expect((await chat(newRoot(), 'hello\n', { argv: ['--model', 'foo:bar'] })).err).toContain('no way to reach');
    expect((await chat(newRoot(), 'hello\n', { argv: ['a b:c'] })).err).toContain('neither a name nor a key');
  });

  it('answers a message after all that a kill -9 left without an answer', async () => {
    const held = gate();
    await using server = await serverOf('anthropic', () =>
      answer('late', { hold: { before: 'headers', until: held.opened } }),
    );
    const root = newRoot();
    const argv = ['chat', '--root', root, '--config', 'none', '--model', 'anthropic:claude-sonnet-5-5'];
    const env = { ...process.env, ...envOf('anthropic', server.url) };
    const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [...fromSource, ...argv], { cwd: home, env });
    child.stdin.write('The kettle is blue.\n');
    await server.arrival(1);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    held.open();
    const resumed = await chat(root, 'What colour is the kettle?\n', { argv: ['--json'] });
    expect(objectsOf(resumed).some(({ type }) => type === 'unanswered')).toBe(true);
    expect(textsOf(resumed)).toHaveLength(2);
    expect(textsOf(resumed)[1]).toContain('The kettle is blue.');
    const users = journalsOf(root).filter((line) => line.includes('"role":"user"'));
    expect(users).toHaveLength(2);
  });
});
