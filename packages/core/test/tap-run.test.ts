import { createHost, definePlugin, type HookContext, type HostEvents, type Plugin, type Session } from '@varve/core';
import { askReset } from '@varve/core/host';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';

/** How a tap of a chain behaves. */
type Behaviour = 'nothing' | 'waits' | 'answers' | 'answers later' | 'throws' | 'rejects' | 'hangs';

/** A chain of taps whose behaviour can be changed, and what was seen of it. */
interface Chain {
  readonly plugin: Plugin;
  behave: readonly Behaviour[];
  /** Taps that were called, by their place. */
  called: number[];
  readonly contexts: HookContext[];
  /** Settles what hangs, long after its deadline. */
  readonly late: (() => void)[];
  /** Resolves when a tap hangs. */
  hung(): Promise<'hung'>;
}

function chainOf(length: number): Chain {
  let tell: (() => void) | null = null;
  const chain: Chain = {
    behave: [],
    called: [],
    contexts: [],
    late: [],
    hung: () =>
      new Promise((resolve) => {
        tell = () => resolve('hung');
      }),
    plugin: definePlugin({
      name: 'chain',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        for (let at = 0; at < length; at += 1) {
          hooks.shouldReset.tapPromise(`tap ${at}`, (_, context) => tap(at, context) as undefined);
        }
      },
    })(),
  };
  const tap = (at: number, context: HookContext): unknown => {
    chain.called.push(at);
    chain.contexts.push(context);
    const answer = { reason: `tap ${at}` };
    const how = chain.behave[at] ?? 'nothing';
    if (how === 'throws') throw new Error('no');
    if (how === 'rejects') return Promise.reject(new Error('no'));
    if (how === 'waits') return Promise.resolve();
    if (how === 'answers') return answer;
    if (how === 'answers later') return Promise.resolve().then(() => answer);
    if (how === 'nothing') return undefined;
    return new Promise((resolve) => {
      chain.late.push(() => resolve(answer));
      tell?.();
    });
  };
  return chain;
}

/** Runs the chain, and lets the deadline of whatever hangs pass. */
async function askThrough(
  session: Session,
  { chain, clock }: { readonly chain: Chain; readonly clock: { advance(ms: number): void } },
): Promise<string | null> {
  let hung = chain.hung();
  const answer = askReset(session);
  for (;;) {
    const next = await Promise.race([hung, answer]);
    if (next !== 'hung') return next?.reason ?? null;
    hung = chain.hung();
    clock.advance(50);
    clock.advance(1_000);
  }
}

test('a chain goes on behind every tap that fails or hangs, up to the first answer, however quick it was before', async () => {
  const behaviour = fc.constantFrom<Behaviour>(
    'nothing',
    'waits',
    'answers',
    'answers later',
    'throws',
    'rejects',
    'hangs',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(behaviour, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 3, 65, 130),
      async (behave, quickRuns) => {
        const clock = manualClock();
        const chain = chainOf(behave.length);
        await using host = await createHost({ clock, plugins: [chain.plugin] });
        const session = await host.open('s');
        for (let run = 0; run < quickRuns; run += 1) expect(await askReset(session)).toBeNull();
        chain.behave = behave;
        chain.called = [];
        const first = behave.findIndex((how) => how === 'answers' || how === 'answers later');
        expect(await askThrough(session, { chain, clock })).toBe(first === -1 ? null : `tap ${first}`);
        const taken = first === -1 ? behave.length : first + 1;
        expect(chain.called).toEqual(behave.map((_, at) => at).slice(0, taken));
        const failed = behave.slice(0, taken).flatMap((how, at) => {
          if (how !== 'throws' && how !== 'rejects' && how !== 'hangs') return [];
          return [{ where: `shouldReset: tap ${at}`, lastCode: how === 'hangs' ? 'VARVE_TAP_TIMEOUT' : null }];
        });
        expect(session.health().findings).toMatchObject(failed);
        expect(session.health().findings).toHaveLength(failed.length);
        for (const settle of chain.late) settle();
        for (const context of chain.contexts) {
          expect(() => context.now()).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
        }
        chain.behave = [];
        expect(await askReset(session)).toBeNull();
      },
    ),
    { numRuns: 60 },
  );
});

test('a tap that hangs behind a hundred quick runs is told its deadline, and given up on then and not before', async () => {
  const clock = manualClock();
  const chain = chainOf(2);
  await using host = await createHost({ clock, plugins: [chain.plugin] });
  const session = await host.open('s');
  for (let run = 0; run < 100; run += 1) await askReset(session);
  chain.behave = ['waits', 'hangs'];
  chain.contexts.length = 0;
  let answered: unknown = 'nothing yet';
  const hung = chain.hung();
  const answer = askReset(session).then((one) => {
    answered = one;
  });
  await hung;
  const deadline = chain.contexts[1]?.deadline ?? 0;
  const signal = chain.contexts[1]?.signal;
  expect(deadline).toBe(clock.now() + 1_000);
  clock.advance(999);
  expect([signal?.aborted, answered]).toEqual([false, 'nothing yet']);
  clock.advance(1);
  expect(signal?.reason).toMatchObject({ code: 'VARVE_TAP_TIMEOUT' });
  await answer;
  expect(answered).toBeNull();
});

test('a listener that comes behind many quick runs hears of every tap from then on, with its time', async () => {
  const clock = manualClock();
  const chain = chainOf(2);
  await using host = await createHost({ clock, plugins: [chain.plugin] });
  const session = await host.open('s');
  for (let run = 0; run < 100; run += 1) await askReset(session);
  const seen: HostEvents['tap-finished'][] = [];
  host.events.on('tap-finished', (event) => seen.push(event));
  chain.behave = ['nothing', 'hangs'];
  const hung = chain.hung();
  const answer = askReset(session);
  await hung;
  clock.advance(700);
  for (const settle of chain.late) settle();
  expect(await answer).toEqual({ reason: 'tap 1' });
  await Promise.resolve();
  expect(seen.map(({ tap, ms }) => [tap, ms])).toEqual([
    ['tap 0', 0],
    ['tap 1', 700],
  ]);
});

test('a promise of a class of its own is awaited like any other', async () => {
  class Own<Value> extends Promise<Value> {}
  const odd = definePlugin({
    name: 'odd',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldReset.tapPromise('own class', () => Own.resolve(undefined));
      hooks.shouldReset.tapPromise('own then', () => {
        const promise = Promise.resolve({ reason: 'told by then' });
        // biome-ignore lint/suspicious/noThenProperty: a promise that somebody has tampered with
        return Object.assign(promise, { then: (done: (value: unknown) => unknown) => void done({ reason: 'then' }) });
      });
    },
  });
  await using host = await createHost({ plugins: [odd()] });
  expect(await askReset(await host.open('s'))).toEqual({ reason: 'then' });
});
