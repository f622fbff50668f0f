import { classifyModelError, isOverflow } from '@varve/adapters/provider-errors';
import { VarveError } from '@varve/core';
import { describe, expect, it } from 'vitest';
import type { ErrorFixture } from './error-fixture.ts';
import { otherFixtures, overflowFixtures } from './fixtures.ts';

const fixtures = [...overflowFixtures, ...otherFixtures];
const nameOf = ({ provider, kind, source }: ErrorFixture) => `${provider}: ${kind} (${source})`;

/** The shapes in which clients hand out what a server said. */
function shapesOf({ quote, status }: ErrorFixture): readonly (readonly [shape: string, error: unknown])[] {
  const message = `${status ?? 400} ${quote}`;
  const shapes: [string, unknown][] = [
    ['a text', quote],
    ['an error', Object.assign(new Error(message), status === undefined ? {} : { status })],
    ['an error with the body as text', Object.assign(new Error('failed'), { statusCode: status, responseBody: quote })],
    ['the cause of another error', new Error('Failed after 3 attempts.', { cause: new Error(quote) })],
  ];
  try {
    const body: unknown = JSON.parse(quote);
    shapes.push(['a body', body], ['an error with a body', Object.assign(new Error(message), { status, error: body })]);
  } catch {
    // Not all of them were written down as JSON.
  }
  return shapes;
}

describe('an error of a provider', () => {
  it.each(fixtures.map((fixture) => [nameOf(fixture), fixture] as const))('is understood: %s', (_, fixture) => {
    for (const [shape, error] of shapesOf(fixture)) {
      expect(classifyModelError(error).kind, shape).toBe(fixture.kind);
      expect(isOverflow(error), shape).toBe(fixture.kind === 'input');
    }
  });

  it('tells its numbers, in text or in fields of their own', () => {
    const read = fixtures.map(({ quote }) =>
      classifyModelError(quote.startsWith('{ "error"') ? JSON.parse(quote) : quote),
    );
    expect(read.map(({ given, limit }) => [given, limit])).toEqual(fixtures.map(({ given, limit }) => [given, limit]));
  });

  it('comes from many providers, each with a source and once', () => {
    const providers = new Set(overflowFixtures.map(({ provider }) => provider));
    expect(overflowFixtures.length).toBeGreaterThanOrEqual(40);
    expect(otherFixtures.length).toBeGreaterThanOrEqual(20);
    expect(providers.size).toBeGreaterThanOrEqual(8);
    expect(new Set(fixtures.map(({ quote }) => quote)).size).toBe(fixtures.length);
    for (const { source } of fixtures) expect(source).toMatch(/^https:\/\//);
  });
});

describe('what may be tried again', () => {
  it.each([
    [
      'a rate that passes',
      'Rate limit reached on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443.',
      true,
    ],
    ['a rate that never passes', 'Request too large on tokens per min (TPM): Limit 30000, Requested 342389.', false],
    ['an overloaded server', { status: 529, message: 'Overloaded' }, true],
    ['a broken connection', Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNRESET' } }), true],
    ['an answer that was cut', new SyntaxError('Unterminated string in JSON at position 170'), true],
    ['a wrong key', { status: 401, message: 'no' }, false],
    ['too long a prompt', 'prompt is too long: 2 tokens > 1 maximum', false],
    ['a time-out of the server', { status: 408, message: 'Request Timeout' }, true],
  ])('is told of %s', (_, error, retryable) => {
    expect(classifyModelError(error).retryable).toBe(retryable);
  });
});

describe('what is no error of a provider', () => {
  it.each([[undefined], [null], [7], [''], [{}], [[]], [new Error('')], [Symbol('x')], [() => 'x']])(
    'is of the kind other: %s',
    (error) => {
      expect(classifyModelError(error)).toMatchObject({ kind: 'other', retryable: false });
    },
  );

  it('is not looked for in the request that an error carries', () => {
    const error = Object.assign(new Error('Bad gateway'), {
      statusCode: 502,
      requestBodyValues: { messages: [{ role: 'user', content: 'prompt is too long: 2 tokens > 1 maximum' }] },
    });
    expect(classifyModelError(error)).toMatchObject({ kind: 'server', status: 502 });
  });

  it('ends, whatever the error refers to', () => {
    const error = new Error('rate limit') as Error & { cause?: unknown };
    error.cause = error;
    expect(classifyModelError(error).kind).toBe('rate');
  });
});

describe('an error that was classified before', () => {
  it('keeps its kind and its numbers', () => {
    const overflow = new VarveError('VARVE_MODEL_OVERFLOW', 'too long', { fix: '', details: { given: 9, limit: 5 } });
    expect(classifyModelError(overflow)).toMatchObject({ kind: 'input', given: 9, limit: 5 });
    const failed = new VarveError('VARVE_MODEL_FAILED', 'prompt is too long', { fix: '', details: { kind: 'bytes' } });
    expect(classifyModelError(failed).kind).toBe('bytes');
  });
});
