import { followMessageList, type ListedMessage } from '@varve/adapters/message-list';
import type { Message } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, calls, linesOfList, listed, openTalk, pathOf, results, user } from './talk.ts';

const id = fc.constantFrom('c1', 'c2', 'c3');
const said = fc.constantFrom('yes', 'no', 'more');

/** Any messages in any order, with few words, so that many are the same. */
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  said.map(user),
  said.map(assistant),
  fc.uniqueArray(id, { minLength: 1, maxLength: 2 }).map((ids) => calls(...ids)),
  fc.dictionary(id, said, { minKeys: 1, maxKeys: 2 }).map(results),
);
const anyList = fc.array(anyMessage, { minLength: 1, maxLength: 8 });

/** What a host does to its list between two calls. */
type Step =
  | { readonly does: 'say'; readonly text: string }
  | { readonly does: 'answer'; readonly text: string }
  | { readonly does: 'use tools'; readonly count: number }
  | { readonly does: 'cut'; readonly at: number }
  | { readonly does: 'edit'; readonly at: number; readonly text: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('say' as const), text: said }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('answer' as const), text: said }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('use tools' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  fc.record({ does: fc.constant('cut' as const), at: fc.nat(9) }),
  fc.record({ does: fc.constant('edit' as const), at: fc.nat(9), text: said }),
);

/** The list after a step. Each call of a tool has an id of its own. */
function after(
  list: readonly ListedMessage[],
  { step: next, number }: { step: Step; number: number },
): ListedMessage[] {
  switch (next.does) {
    case 'say':
      return [...list, ...listed(user(next.text))];
    case 'answer':
      return [...list, ...listed(assistant(next.text))];
    case 'use tools': {
      const ids = Array.from({ length: next.count }, (_, index) => `call-${number}-${index}`);
      const gave = Object.fromEntries(ids.map((one) => [one, `The result of ${one}, which is long enough.`]));
      return [...list, ...listed(calls(...ids), results(gave))];
    }
    case 'cut':
      return list.slice(0, Math.max(1, next.at % (list.length + 1)));
    case 'edit':
      return [...list.slice(0, next.at % (list.length + 1)), ...listed(user(`${next.text}, edited ${number}`))];
  }
}

describe('following any sequence of lists', () => {
  it('leaves the journal with what the last list says, whatever the lists are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyList, { minLength: 1, maxLength: 5 }), async (lists) => {
        await using talk = await openTalk();
        for (const messages of lists) {
          const list = listed(...messages);
          await followMessageList(talk.session, list, { onShorter: 'follow' });
          expect(pathOf(talk.session)).toEqual(linesOfList(list));
        }
      }),
      { numRuns: 80 },
    );
  });

  it('stores nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyList, { minLength: 1, maxLength: 3 }), fc.boolean(), async (lists, keeps) => {
        await using talk = await openTalk();
        const options = { onShorter: keeps ? ('keep' as const) : ('follow' as const) };
        for (const messages of lists) {
          const list = listed(...messages);
          await followMessageList(talk.session, list, options);
          const again = await followMessageList(talk.session, list, options);
          expect(again).toMatchObject({ added: [], moved: null });
        }
      }),
      { numRuns: 80 },
    );
  });

  it('ends with what the host says, in two processes that take turns, and leaves no pair broken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 14 }), async (steps) => {
        await using first = await openTalk();
        let list: ListedMessage[] = listed(user('begin'));
        let talk = first;
        for (const [number, [next, restarts]] of steps.entries()) {
          list = after(list, { step: next, number });
          if (restarts) {
            await talk.session.close();
            talk = await openTalk(first.store);
          }
          await followMessageList(talk.session, list);
          expect(pathOf(talk.session)).toEqual(linesOfList(list));
          const { manifest } = await talk.session.assemble({ model: { provider: 'p', model: 'm' }, dryRun: true });
          expect(manifest.entries.filter(({ rule }) => rule === 'orphan-result')).toEqual([]);
        }
        await talk[Symbol.asyncDispose]();
      }),
      { numRuns: 60 },
    );
  });

  it('keeps all of a conversation whose host shows the last messages alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.integer({ min: 4, max: 9 })), { minLength: 1, maxLength: 14 }),
        async (steps) => {
          await using talk = await openTalk();
          let whole: ListedMessage[] = listed(user('begin'));
          await followMessageList(talk.session, whole);
          for (const [number, [next, shown]] of steps.entries()) {
            const grows =
              next.does === 'cut' || next.does === 'edit' ? { does: 'say' as const, text: `word ${number}` } : next;
            const named = grows.does === 'use tools' ? grows : { ...grows, text: `${grows.text} ${number}` };
            whole = after(whole, { step: named, number });
            await followMessageList(talk.session, whole.slice(-shown));
            expect(pathOf(talk.session)).toEqual(linesOfList(whole));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
