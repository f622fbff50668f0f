import { createHost, type Draft, definePlugin, type Message } from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const event = { provenance: { kind: 'system-event' } } as const;

/** The draft that a conversation comes to. */
async function draftOf(messages: readonly (readonly [Message, typeof event] | readonly [Message])[]): Promise<Draft> {
  const drafts: Draft[] = [];
  const watch = definePlugin({
    name: 'watch',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shape.tapPromise('look', (draft) => {
        drafts.push(draft);
        return draft;
      });
    },
  });
  await using host = await createHost({ plugins: [watch()] });
  const session = await host.open('s');
  for (const [message, options] of messages) await session.ingest(message, options);
  await session.assemble({ model });
  return drafts[0] as Draft;
}

const liveIn = (draft: Draft): readonly string[] => draft.items.filter((item) => item.live).map((item) => item.id);

test('the running turn starts at what a person said, not at an observation or event behind it', async () => {
  const draft = await draftOf([
    [user('Old.')],
    [assistant('Yes.')],
    [user('Find the oldest layer.')],
    [assistant('ls')],
    [user('clay silt'), event],
    [assistant('cat clay')],
    [user('It is old.'), event],
  ]);
  expect(liveIn(draft)).toEqual(['#3', '#4', '#5', '#6', '#7']);
});

test('the running turn starts at the first words of the newest run, and blank text is none', async () => {
  const run = [[user('An event.'), event], [user('One.')], [user('An event.'), event], [user('Two.')]] as const;
  const draft = await draftOf([[user('Old.')], [assistant('Yes.')], ...run, [assistant('Well.')], [user(' \n')]]);
  expect(liveIn(draft)).toEqual(['#4', '#5', '#6', '#7', '#8']);
});

test('the running turn starts at the newest event where no person said anything', async () => {
  const draft = await draftOf([[user('A.'), event], [assistant('Yes.')], [user('B.'), event], [user('C.'), event]]);
  expect(liveIn(draft)).toEqual(['#3', '#4']);
});

test('the tokens of a draft are those of its items and layers after every operation', async () => {
  const sumOf = ({ items, layers }: Draft): number =>
    [...items, ...layers].reduce((tokens, part) => tokens + part.tokens, 0);
  const draft = await draftOf([[user('Old.')], [assistant('silt '.repeat(900))], [user('Now.')]]);
  const layer = { id: 'notes', role: 'user', stability: 'turn', items: [{ text: 'clay' }] } as const;
  const parked = draft.park('#2', 'park');
  const drafts = [draft, parked, parked.addLayer(layer, 'add'), parked.drop('#1', 'drop'), parked.protect('#1')];
  for (const one of drafts) expect(one.tokens).toBe(sumOf(one));
  expect(parked.tokens).toBeLessThan(draft.tokens);
  expect(parked.protect('#2').groups()[1]?.protected).toBe(true);
  expect(draft.groups()).toBe(draft.groups());
});
