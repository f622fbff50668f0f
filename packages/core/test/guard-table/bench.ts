import {
  createHost,
  definePlugin,
  type HookName,
  hookRules,
  type Plugin,
  type PluginContext,
  type Session,
} from '@varve/core';
import { type ManualClock, manualClock } from '@varve/testkit';
import { z } from 'zod';
import { converse, hookTrials } from './hook-trials.ts';

/** A tap of any hook. */
export type AnyTap = (value: never, context: never) => unknown;

/** A session with one tap between two sound ones: the first waits and changes nothing, the last one answers. */
export interface Bench extends AsyncDisposable {
  readonly session: Session;
  /** From here on the tap is called, once. Until then, and afterwards, it is one that returns nothing. */
  arm(): void;
  /** Runs the hook, and lets its deadline pass when nothing else goes on: first all of it but a millisecond. */
  run(): Promise<HookRun>;
}

/** One run of a hook, as its caller sees it. */
export interface HookRun {
  /** What came out, or the error. */
  readonly seen: unknown;
  readonly isFailed: boolean;
  /** Time that passed on the clock. */
  readonly ms: number;
  /** How often the last tap was called. */
  readonly lastCalls: number;
}

const budget = { inputTokens: 3_000 };

/** A plugin without options. */
export function plugin(name: string, apply: (context: PluginContext) => void): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

function tapping(name: string, hook: HookName, tap: AnyTap): Plugin {
  return plugin(name, ({ hooks }) => hooks[hook].tapPromise('act', tap as never));
}

/** Opens a session in which `middle` taps the hook. */
export async function openBench(hook: HookName, middle: AnyTap): Promise<Bench> {
  let isArmed = false;
  let lastCalls = 0;
  const clock = manualClock();
  const host = await createHost({
    plugins: [
      tapping('first', hook, async () => {
        await Promise.resolve();
      }),
      tapping('middle', hook, (value, context) => {
        if (!isArmed) return undefined;
        isArmed = false;
        return middle(value, context);
      }),
      tapping('last', hook, (value) => {
        lastCalls += 1;
        return hookTrials[hook].lastAnswer(value);
      }),
    ],
    clock,
    random: () => 0.5,
    budget,
  });
  const session = await host.open('s');
  await converse(session);
  return {
    session,
    arm: () => {
      isArmed = true;
    },
    run: async () => {
      const before = lastCalls;
      const run = await timed(() => hookTrials[hook].run(session), { clock, deadlineMs: hookRules[hook].deadlineMs });
      return { ...run, lastCalls: lastCalls - before };
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
}

async function timed(
  work: () => Promise<unknown>,
  { clock, deadlineMs }: { readonly clock: ManualClock; readonly deadlineMs: number },
): Promise<Omit<HookRun, 'lastCalls'>> {
  const startedAt = clock.now();
  const ended: Omit<HookRun, 'lastCalls'>[] = [];
  const end = (isFailed: boolean) => (seen: unknown) => ended.push({ seen, isFailed, ms: clock.now() - startedAt });
  void work().then(end(false), end(true));
  await settle();
  for (const ms of [deadlineMs - 1, 1]) {
    if (ended.length > 0) break;
    clock.advance(ms);
    await settle();
  }
  const [run] = ended;
  if (run === undefined) throw new Error('The hook still waits when the deadline of its taps has passed.');
  return run;
}

/** Lets everything run that waits for no clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) await null;
}

/** A value that the hook was run with in another session. */
export async function valueElsewhere(hook: HookName): Promise<unknown> {
  let kept: unknown;
  const keeper = tapping('keeper', hook, (value) => {
    kept = value;
  });
  await using host = await createHost({ plugins: [keeper], clock: manualClock(), budget });
  const session = await host.open('another');
  await converse(session);
  await hookTrials[hook].run(session);
  return kept;
}
