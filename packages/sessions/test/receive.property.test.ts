import { VarveError } from '@varve/core';
import type { Received } from '@varve/sessions';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginTalk, linesIn, resetting, type Script, type Talk } from './talk.ts';

const key = 'agent:main:main';

type Step =
  | { readonly kind: 'say'; readonly id: number; readonly place: number }
  | { readonly kind: 'new'; readonly id: number; readonly message: boolean }
  | { readonly kind: 'answer' }
  | { readonly kind: 'fail' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('say' as const), id: fc.nat(7), place: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('new' as const), id: fc.nat(2), message: fc.boolean() }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'answer' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fail' as const }) },
);

/** A model whose answers wait until they are asked for, and fail when they are told to. */
function heldModel(): { readonly script: Script; release(fails: boolean): boolean } {
  const waiting: ((fails: boolean) => void)[] = [];
  return {
    script: (_request, { signal }) =>
      new Promise((resolve, reject) => {
        const ends = (error: VarveError): void => reject(error);
        signal?.addEventListener('abort', () => ends(new VarveError('VARVE_ABORTED', 'Aborted.', { fix: 'Again.' })));
        waiting.push((fails) =>
          fails
            ? ends(new VarveError('VARVE_MODEL_FAILED', 'Down.', { fix: 'Later.', details: { retryable: false } }))
            : resolve('An answer.'),
        );
      }),
    release: (fails) => {
      const next = waiting.shift();
      next?.(fails);
      return next !== undefined;
    },
  };
}

async function pause(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The lines of all generations of the conversation. */
async function historyOf(talk: Talk): Promise<readonly (readonly string[])[]> {
  const generations = await talk.sessions.generations(key);
  return Promise.all(generations.map(({ sessionId }) => linesIn(talk, sessionId)));
}

it('whatever comes when, and however often: stored once, answered once in each place, and begun anew once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const model = heldModel();
      await using talk = await beginTalk({ plugins: [resetting()], script: model.script });
      const receiving: Promise<Received>[] = [];
      for (const one of steps) {
        if (one.kind === 'say') {
          const place = one.place === 0 ? {} : { channel: 'discord', peer: '987' };
          receiving.push(talk.say(`say ${one.id} ${one.place}`, { messageId: `s${one.id}`, ...place }));
        } else if (one.kind === 'new') {
          const text = one.message ? `/new begin ${one.id}` : '/new';
          receiving.push(talk.say(text, { messageId: `n${one.id}` }));
        } else {
          await pause();
          model.release(one.kind === 'fail');
        }
      }
      const all = Promise.all(receiving);
      let isOver = false;
      void all.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await pause();
        model.release(false);
      }
      const received = await all;

      const history = await historyOf(talk);
      const stored = history.flat().filter((line) => line.startsWith('user: say'));
      const said = steps.flatMap((one) => (one.kind === 'say' ? [`user: say ${one.id} ${one.place}`] : []));
      expect([...stored].sort()).toEqual([...new Set(said)].sort());

      const begun = new Set(steps.flatMap((one) => (one.kind === 'new' ? [one.id] : [])));
      expect(received.filter(({ reset }) => reset !== null)).toHaveLength(begun.size);
      expect(history).toHaveLength(steps.some(({ kind }) => kind === 'say' || kind === 'new') ? begun.size + 1 : 0);

      const replies = talk.sent.filter(({ kind }) => kind === 'reply' || kind === 'greeting');
      const answers = history.flat().filter((line) => line.startsWith('assistant:'));
      for (const place of ['telegram', 'discord']) {
        expect(replies.filter(({ channel }) => channel === place).length).toBeLessThanOrEqual(answers.length);
      }
      for (const { status, reply } of received) if (status === 'duplicate') expect(reply).toBeNull();

      // What goes on has its answer, unless nobody was there to give it.
      const [current = []] = history;
      if (received.every(({ status }) => status !== 'failed')) {
        expect(current.at(-1)?.startsWith('user:') ?? false).toBe(false);
      }
    }),
    { numRuns: 120 },
  );
});
