import { anthropicModel, fromAnthropic, toAnthropic } from '@varve/adapters/anthropic';
import { modelRegistry } from '@varve/adapters/model-registry';
import {
  fromOpenAIChat,
  fromOpenAIResponses,
  openaiChatModel,
  openaiResponsesModel,
  toOpenAIChat,
  toOpenAIResponses,
} from '@varve/adapters/openai';
import { classifyModelError, isOverflow } from '@varve/adapters/provider-errors';
import { errorCodes, type Usage, VarveError } from '@varve/core';
import { describe, expect, test } from 'vitest';

/** What plain JavaScript may give in the place of anything. */
const badValues: readonly (readonly [what: string, value: unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['an empty object', {}],
  ['an empty list', []],
  ['a list of null', [null]],
  ['an empty text', ''],
  ['a text of a million characters', 'x'.repeat(1e6)],
  ['a symbol', Symbol('bad')],
  ['a function', () => undefined],
  ['a big integer', 5n],
  ['nothing', undefined],
];

const prompt = { system: [], messages: [{ role: 'user', content: 'Hi' }], marks: { afterSystem: 0, afterStable: 1 } };
const options = { model: 'm' };
const client = {} as never;

type Call = (value: never) => unknown;

/** Functions that refuse what they cannot use, by the place that a value is put in. */
const refusing: readonly (readonly [what: string, call: Call])[] = [
  ...Object.entries({ toAnthropic, toOpenAIChat, toOpenAIResponses }).flatMap(([name, to]) => {
    const make = to as (prompt: unknown, options: unknown) => unknown;
    return [
      [`${name}: the prompt`, (value) => make(value, options)],
      ...['system', 'messages', 'marks'].map(
        (field) => [`${name}: ${field}`, (value: never) => make({ ...prompt, [field]: value }, options)] as const,
      ),
      [`${name}: the options`, (value) => make(prompt, value)],
      ...['model', 'maxTokens', 'tools', 'toolChoice'].map(
        (field) => [`${name}: ${field}`, (value: never) => make(prompt, { ...options, [field]: value })] as const,
      ),
    ] satisfies readonly (readonly [string, Call])[];
  }),
  ...Object.entries({ fromAnthropic, fromOpenAIChat, fromOpenAIResponses }).flatMap(([name, from]) => {
    const read = from as (reply: unknown, options?: unknown) => unknown;
    const reply = { content: [], choices: [], output: [] };
    return [
      [`${name}: the answer`, (value) => read(value)],
      [`${name}: its content`, (value) => read({ content: value, choices: value, output: value })],
      [`${name}: a part of it`, (value) => read({ content: [value], choices: [value], output: [value] })],
      [`${name}: the options`, (value) => read(reply, value)],
      [`${name}: the tools`, (value) => read(reply, { tools: value })],
    ] satisfies readonly (readonly [string, Call])[];
  }),
  ['anthropicModel', (value) => anthropicModel(client, value)],
  ['openaiChatModel', (value) => openaiChatModel(client, value)],
  ['openaiResponsesModel', (value) => openaiResponsesModel(client, value)],
  ['modelRegistry', (value) => modelRegistry(value)],
  ['modelRegistry: the overrides', (value) => modelRegistry({ overrides: value })],
  ['modelRegistry: an override', (value) => modelRegistry({ overrides: { 'acme/large': value } })],
  ['modelRegistry: a window', (value) => modelRegistry({ overrides: { 'acme/large': { contextTokens: value } } })],
];

function complaintOf(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    if (!VarveError.is(error)) return `raw ${String(error)}`;
    return Object.hasOwn(errorCodes, error.code) && error.fix.trim() !== '' ? null : 'no code or fix';
  }
}

test.each(refusing)('%s: whatever is given works, or is refused with a code and a fix', (_, call) => {
  const complaints = badValues.flatMap(([what, value]) => {
    const complaint = complaintOf(() => call(value as never));
    return complaint === null ? [] : [`${what}: ${complaint}`];
  });
  expect(complaints).toEqual([]);
});

const model = { provider: 'anthropic', model: 'claude-opus-4-5' };

describe('a body', () => {
  test.each([null, 5, '', {}, undefined])('is not made for the model %s', (name) => {
    for (const make of [toAnthropic, toOpenAIChat, toOpenAIResponses]) {
      expect(() => make(prompt as never, { model: name as never })).toThrow(
        expect.objectContaining({ code: 'VARVE_OPTION_INVALID', details: { path: 'model' } }),
      );
    }
  });

  test.each([Number.NaN, 0, -1, '5', null])('is not made for an answer of %s tokens', (maxTokens) => {
    for (const make of [toAnthropic, toOpenAIChat, toOpenAIResponses]) {
      expect(() => make(prompt as never, { model: 'm', maxTokens: maxTokens as never })).toThrow(
        expect.objectContaining({ code: 'VARVE_OPTION_INVALID', details: { path: 'maxTokens' } }),
      );
    }
  });
});

describe('the registry of models', () => {
  test.each(badValues)('knows nothing of %s', (_, value) => {
    const { describe: factsOf } = modelRegistry();
    expect(factsOf(model)?.contextTokens).toBeGreaterThan(0);
    expect(factsOf(value as never)).toBeUndefined();
    expect(factsOf({ ...model, model: value as never })).toBeUndefined();
    expect(factsOf({ ...model, provider: value as never })).toBeUndefined();
  });
});

describe('an error that is none', () => {
  const unreadable = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('no');
    },
  });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const odd = [
    ...badValues,
    ['something that cannot be read', revoked.proxy],
    ['an error whose message throws', unreadable],
    ['a status that is a symbol', { status: Symbol('bad') }],
    ['a failure of no kind', new VarveError('VARVE_MODEL_FAILED', 'No.', { fix: 'Later.', details: { kind: 7 } })],
  ] as const;

  test.each(odd)('is no overflow, and is classified: %s', (_, value) => {
    expect(isOverflow(value)).toBe(false);
    expect(classifyModelError(value)).toMatchObject({ kind: 'other', retryable: false, text: expect.any(String) });
  });
});

describe('a usage that nobody can count', () => {
  const odd = [Number.NaN, -1, '100', 1e308, Infinity, {}, [], null, true];

  test.each(odd)('is left out of an answer: %s', (value) => {
    const given = { input_tokens: value, output_tokens: 1, prompt_tokens: value, completion_tokens: 1 } as never;
    const replies = [
      fromAnthropic({ content: [], stop_reason: 'end_turn', usage: given }),
      fromOpenAIChat({ choices: [], usage: given } as never),
      fromOpenAIResponses({ output: [], usage: given } as never),
    ];
    expect(replies.map(({ usage }) => usage)).toEqual([null, null, null]);
  });

  test.each(odd)('of a cache is left out of it: %s', (value) => {
    const cached = { cached_tokens: value, cache_write_tokens: value };
    const given = {
      input_tokens: 100,
      output_tokens: 1,
      prompt_tokens: 100,
      completion_tokens: 1,
      cache_read_input_tokens: value,
      cache_creation_input_tokens: value,
      input_tokens_details: cached,
      prompt_tokens_details: cached,
    } as never;
    const whole: Usage = { inputTokens: 100, outputTokens: 1 };
    const replies = [
      fromAnthropic({ content: [], stop_reason: 'end_turn', usage: given }),
      fromOpenAIChat({ choices: [], usage: given } as never),
      fromOpenAIResponses({ output: [], usage: given } as never),
    ];
    expect(replies.map(({ usage }) => usage)).toEqual([whole, whole, whole]);
  });
});
