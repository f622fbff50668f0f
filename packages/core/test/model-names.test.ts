import { modelOfName, nameOfModel } from '@varve/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const names = { Small: 'test/small-1', local: 'ollama/llama3:8b', tiny: 'test:tiny' };

it.each([
  ['Small', 'test/small-1'],
  ['small', 'test/small-1'],
  [' SMALL ', 'test/small-1'],
  ['TEST/Small-1', 'test/small-1'],
  ['Test:SMALL-1', 'test/small-1'],
  ['local', 'ollama/llama3:8b'],
  ['ollama:LLAMA3:8b', 'ollama/llama3:8b'],
  ['tiny', 'test/tiny'],
  ['Test/Large', 'Test/Large'],
  ['openrouter/meta/llama', 'openrouter/meta/llama'],
  ['openai:gpt-5', 'openai/gpt-5'],
])('%s names the model %s', (name, expected) => {
  const ref = modelOfName(name, names);
  expect(ref === null ? null : nameOfModel(ref)).toBe(expected);
});

it.each(['', ' ', 'large', '/large', 'test/', 'a model/of two words', 'constructor', '__proto__'])(
  '%j names no model',
  (name) => {
    expect(modelOfName(name, names)).toBeNull();
  },
);

it('a short name that is written as it stands goes before one in another case', () => {
  expect(modelOfName('a', { A: 'x/1', a: 'x/2' })).toEqual({ provider: 'x', model: '2' });
});

it('the name of a model names it', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,8}$/);
  const provider = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
  fc.assert(
    fc.property(provider, word, (vendor, model) => {
      expect(modelOfName(nameOfModel({ provider: vendor, model }))).toEqual({ provider: vendor, model });
    }),
  );
});
