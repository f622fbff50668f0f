import { openApiDocument } from '@varve/gateway/openapi';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { documented } from './documented.ts';
import { serve } from './served.ts';

const { paths } = openApiDocument();
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
);
/** Those that end by themselves, and leave the gateway as it is enough for the next request. */
const ending = operations.filter(({ path }) => !path.endsWith('/events'));

const names = fc.oneof(
  fc.constantFrom('agent:main:main', 'agent:main:direct:x', 'global', '..', '__proto__', 'agent:', ':', '%'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
);
const values = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
);
const fields = [
  ...['text', 'stream', 'messageId', 'planId', 'entryId', 'instructions', 'newKey', 'at', 'label', 'reason', 'value'],
  ...[
    'sessionId',
    'abort',
    'cascade',
    'channel',
    'chatType',
    'peer',
    'sender',
    'addressed',
    'constructor',
    '__proto__',
  ],
];
const bodies = fc.oneof(
  fc.dictionary(fc.constantFrom(...fields), values, { maxKeys: 4 }).map((body) => ({ stream: false, ...body })),
  fc.jsonValue(),
);
const queries = fc.dictionary(
  fc.constantFrom(
    'limit',
    'after',
    'types',
    'order',
    'request',
    'seq',
    'earlier',
    'later',
    'sort',
    'kind',
    'query',
    'x',
  ),
  fc.oneof(fc.constantFrom('1', '0', '-1', '1e9', 'message', 'asc', 'updated'), fc.string({ maxLength: 20 })),
  { maxKeys: 3 },
);

it('answers whatever is asked with what the document says, and never fails', async () => {
  await using served = await serve();
  const documents = documented();
  await served.say('agent:main:main', 'Hello');
  const request = fc.record({
    operation: fc.constantFrom(...ending),
    name: names,
    other: names,
    query: queries,
    body: bodies,
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ operation: { path, method }, name, other, query, body }) => {
      const where = path.replace('{session}', encodeURIComponent(name)).replace(/\{\w+\}/, encodeURIComponent(other));
      const search = new URLSearchParams(query).toString();
      // A name of dots alone is gone before it is sent.
      const answer = await served.call(`${where}?${search}`, {
        method,
        ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      });
      expect(answer.status, answer.text).toBeLessThan(500);
      if (answer.status === 404 && answer.json.detail === 'There is no such route.') return;
      expect(documents.faultsOf(`${method} ${path}`, answer)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
