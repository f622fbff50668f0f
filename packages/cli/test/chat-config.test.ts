import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThinkingLevel, VarveConfig } from '@varve/sessions/config';
import { answer, type ModelServer, startModelServer } from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { type CapturedRun, run } from './captured-io.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Talks with a configuration that reaches a server of the test under both protocols. */
async function chat(
  server: ModelServer,
  config: VarveConfig,
  { typed, argv = [] }: { readonly typed: string; readonly argv?: readonly string[] },
): Promise<CapturedRun & { readonly places: readonly string[] }> {
  const root = join(folder.path, randomUUID());
  mkdirSync(root);
  const file = join(root, 'varve.config.json5');
  const { models = {} } = config;
  writeFileSync(
    file,
    JSON.stringify({ ...config, models: { names: { big: 'anthropic/claude-opus-4-6' }, ...models } }),
  );
  const env = {
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: server.url,
  };
  const places = ['--root', join(root, 'store'), '--config', file];
  return { ...(await run(['chat', ...argv, ...places], { env, stdin: typed })), places };
}

const start = (provider: 'anthropic' | 'openai'): Promise<ModelServer> =>
  startModelServer({ provider, contextTokens: 100_000, script: () => answer('Yes.') });

/** Model and thinking of each request, as the provider gets them. */
function asked({ requests }: ModelServer): readonly object[] {
  return requests.map((request) => {
    const body = request.body as Record<string, unknown>;
    const names = ['model', 'max_tokens', 'thinking', 'output_config', 'reasoning_effort'];
    return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
  });
}

describe('varve chat with a configuration', () => {
  it('asks the model of the agent with its thinking, says so, and tells what is verbose', async () => {
    await using server = await start('anthropic');
    const config: VarveConfig = {
      models: { default: 'anthropic/claude-haiku-4-5', names: { big: 'anthropic/claude-opus-4-6' } },
      global: { thinking: 'low', verbose: 'on' },
      agents: { main: { model: 'big' }, ada: {} },
      channels: { terminal: { thinking: 'high' } },
    };
    const captured = await chat(server, config, { typed: 'hello\n/model\n/think\n/verbose\n' });
    expect(captured).toMatchObject({ code: 0, err: '' });
    expect(asked(server)).toMatchObject([{ model: 'claude-opus-4-6', output_config: { effort: 'high' } }]);
    expect(captured.out).toContain('anthropic/claude-opus-4-6 answers (the default)');
    expect(captured.out).toContain('The model thinks: high.');
    expect(captured.out).toContain('You are told when the conversation is compacted.');
    const shown = JSON.parse((await run(['doctor', '--for', 'agent:main:main', '--json', ...captured.places])).out);
    expect(shown.effective.values).toMatchObject({
      model: 'anthropic/claude-opus-4-6',
      thinking: 'high',
      verbose: 'on',
    });
    await chat(server, config, { typed: 'hello\n', argv: ['--agent', 'ada'] });
    expect(asked(server).at(-1)).toMatchObject({ model: 'claude-haiku-4-5' });
  });

  it('is asked for another model on the command line, which goes before, and says which in the status', async () => {
    await using server = await start('openai');
    const argv = ['--model', 'openai:gpt-5', '--json'];
    const captured = await chat(server, { agents: { main: { model: 'big' } } }, { typed: 'hello\n', argv });
    expect(asked(server)).toMatchObject([{ model: 'gpt-5' }]);
    expect(captured.out).toContain('"model":"openai/gpt-5"');
  });

  it('shows the model of the agent in the status, and begins anew with a short name in any case', async () => {
    await using server = await start('anthropic');
    const typed = 'hello\n/new BIG hello again\n';
    const model = 'anthropic/claude-haiku-4-5';
    const captured = await chat(server, { agents: { main: { model } } }, { typed, argv: ['--json'] });
    expect(captured.code).toBe(0);
    expect(captured.out).not.toContain('"type":"offline"');
    expect(captured.out).toContain('"model":"anthropic/claude-haiku-4-5"');
    expect(asked(server)).toMatchObject([{ model: 'claude-haiku-4-5' }, { model: 'claude-opus-4-6' }]);
  });
});

describe('a level of thinking', () => {
  const adaptive = (effort: string): object => ({ thinking: { type: 'adaptive' }, output_config: { effort } });
  const told = (tokens: number): object => ({
    thinking: { type: 'enabled', budget_tokens: tokens },
    max_tokens: 8_192 + tokens,
  });
  const table: Readonly<Record<ThinkingLevel, readonly [newer: object, older: object, openai: object]>> = {
    off: [{}, {}, {}],
    minimal: [adaptive('low'), told(1_024), { reasoning_effort: 'minimal' }],
    low: [adaptive('low'), told(2_048), { reasoning_effort: 'low' }],
    medium: [adaptive('medium'), told(8_192), { reasoning_effort: 'medium' }],
    high: [adaptive('high'), told(16_384), { reasoning_effort: 'high' }],
    xhigh: [adaptive('xhigh'), told(23_808), { reasoning_effort: 'xhigh' }],
  };

  it.each(Object.entries(table))('%s is asked of each kind of model as it takes it', async (level, expected) => {
    const thinking = level as ThinkingLevel;
    const config: VarveConfig = { global: { thinking } };
    await using anthropic = await start('anthropic');
    await using openai = await start('openai');
    await chat(anthropic, config, { typed: 'hello\n', argv: ['--model', 'anthropic:claude-opus-4-6'] });
    await chat(anthropic, config, { typed: 'hello\n', argv: ['--model', 'anthropic:claude-sonnet-4-0'] });
    await chat(openai, config, { typed: 'hello\n', argv: ['--model', 'openai:gpt-5'] });
    const [newer, older, ofOpenai] = expected;
    expect(asked(anthropic)).toMatchObject([
      { model: 'claude-opus-4-6', ...newer },
      { model: 'claude-sonnet-4-0', ...older },
    ]);
    expect(asked(openai)).toMatchObject([{ model: 'gpt-5', ...ofOpenai }]);
    if (thinking === 'off') expect(asked(anthropic).flatMap(Object.keys)).not.toContain('thinking');
  });
});
