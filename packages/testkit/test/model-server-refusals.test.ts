import { type ProviderRule, providerRules } from '@varve/adapters/provider-rules';
import { estimateTokens, type Message } from '@varve/core';
import { answer, fixedReplies, type ModelServer } from '@varve/testkit/model-server';
import { describe, expect, it } from 'vitest';
import { ask, listening, readTool, serverFor, subjects, ways } from './model-server-subject.ts';

const routes: Readonly<Record<string, string>> = {
  anthropic: '/v1/messages',
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
};

/** The status and the error of an answer to a body. */
async function post({ url }: ModelServer, route: string, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${url}${route}`, { method: 'POST', body: text });
  const told = (await response.json()) as { readonly type?: string; readonly error: { readonly message: string } };
  return { status: response.status, told, message: told.error.message };
}

const refused = providerRules.filter(({ provider }) => provider !== 'gemini');

/** Words of the provider for what goes wrong most often. */
const words: Readonly<Record<string, RegExp>> = {
  'anthropic/call-answered-next':
    /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\. /,
  'anthropic/result-needs-call':
    /^messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\. /,
  'anthropic/alternating-roles': /found multiple "user" roles in a row$/,
  'anthropic/blank-text': /text content blocks must contain non-whitespace text/,
  'anthropic/four-marks': /A maximum of 4 blocks with cache_control may be provided\. Found 5\./,
  'anthropic/thinking-signed': /^messages\.1\.content\.0\.thinking\.signature: Field required$/,
  'anthropic/tool-name': /^tools\.0\.custom\.name: String should match pattern/,
  'openai-chat/call-answered-next': /did not have response messages: a$/,
  'openai-chat/result-needs-call': /must be a response to a preceeding message with 'tool_calls'/,
  'openai-chat/call-id-length': /maximum length 40, but got a string with length 41 instead/,
  'openai-chat/tools-filled': /^Invalid 'tools': empty array/,
  'openai-responses/call-answered': /^No tool output found for function call a\.$/,
  'openai-responses/output-needs-call': /^No tool call found for function call output with call_id a\.$/,
  'openai-responses/own-item-id': /^Duplicate item found with id msg_1\./,
  'openai-responses/reasoning-followed': /'reasoning' was provided without its required following item/,
  'openai-responses/item-id-beginning': /'call_1'\. Expected an ID that begins with 'fc'\.$/,
};

describe('a body that breaks a rule', () => {
  it.each(refused.map((rule) => [`${rule.provider}/${rule.id}`, rule] as const))(
    'is refused in the form of the provider: %s',
    async (name, { provider, id, failing }: ProviderRule) => {
      let asked = 0;
      const script = () => {
        asked += 1;
        return 'hi';
      };
      await using server = await serverFor(
        { provider: provider === 'anthropic' ? 'anthropic' : 'openai' },
        { script, contextTokens: 1e9 },
      );
      const { status, told, message } = await post(server, routes[provider] ?? '', failing);
      expect(status).toBe({ 'body-size': 413, 'reasoning-readable': 404 }[id] ?? 400);
      expect(told.type).toBe(provider === 'anthropic' ? 'error' : undefined);
      expect(told.error).toMatchObject({ type: id === 'body-size' ? 'request_too_large' : 'invalid_request_error' });
      expect(message).toMatch(words[name] ?? /\w{3}/);
      expect(server.requests[0]?.violations.map(({ rule }) => rule)).toContain(id);
      expect(asked).toBe(0);
    },
  );

  it('is told apart from what is no request at all', async () => {
    await using server = await serverFor({ provider: 'anthropic' }, { script: () => 'hi' });
    expect(await post(server, '/v1/complete', {})).toMatchObject({ status: 404 });
    expect(await post(server, '/v1/messages', '{"model": ')).toMatchObject({ status: 400 });
    expect(await post(server, '/v1/messages', '[]')).toMatchObject({ status: 400 });
    expect(server.requests).toEqual([]);
  });
});

const long: readonly Message[] = [
  { role: 'user', content: 'The quick brown fox jumps over the lazy dog. '.repeat(60) },
];

describe.each(ways)('a port of $title', (way) => {
  const options = way.streams ? listening : {};

  it('throws an overflow of what the server counts, whatever the client counted', async () => {
    const counted = estimateTokens(String(long[0]?.content));
    const limit = counted + 100;
    await using same = await serverFor(way, { script: () => 'fits', contextTokens: limit });
    expect((await ask(way.port(same), { messages: long, maxOutputTokens: 20 }, options)).message.stop).toBe('stop');

    await using other = await serverFor(way, { script: () => 'fits', contextTokens: limit, countFactor: 1.3 });
    const given = expect.any(Number);
    const numbers = way.name === 'Responses' ? {} : { given, limit };
    await expect(ask(way.port(other), { messages: long }, options)).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: numbers,
    });
    expect(other.requests[0]?.inputTokens).toBeGreaterThan(limit);
  });

  it('counts with the counter that it is given', async () => {
    await using server = await serverFor(way, { script: () => 'hi', count: (text) => text.length });
    const { usage } = await ask(way.port(server), { messages: long }, options);
    expect(server.requests[0]?.inputTokens).toBeGreaterThan(String(long[0]?.content).length);
    expect(usage?.outputTokens).toBe(2);
  });
});

describe.each(subjects.filter(({ name }) => name !== 'Chat Completions'))('$name', (subject) => {
  it('refuses thinking that was changed', async () => {
    const thinks = answer([
      { type: 'thinking', text: 'First the file.' },
      { type: 'text', text: 'I begin.' },
    ]);
    await using server = await serverFor(subject, { script: fixedReplies(thinks, 'fine') });
    const port = subject.port(server);
    const said: Message[] = [{ role: 'user', content: 'Begin.' }];
    const { message } = await ask(port, { messages: said, tools: [readTool] });
    const changed = JSON.parse(JSON.stringify(message).replaceAll('First the file.', 'First the folder.')) as Message;
    const goesOn: Message = { role: 'user', content: 'Go on.' };
    await expect(ask(port, { messages: [...said, changed, goesOn] })).rejects.toThrow(
      /signature|could not be verified/,
    );
    expect((await ask(port, { messages: [...said, message, goesOn] })).message.stop).toBe('stop');
  });
});
