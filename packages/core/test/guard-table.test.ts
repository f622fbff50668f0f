import {
  createHost,
  type DeliveryDecision,
  type Entry,
  type ErrorCode,
  type HealthFinding,
  type HookName,
  hookRules,
  type PluginContext,
  type Session,
  VarveError,
} from '@varve/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AnyTap,
  type Bench,
  type HookRun,
  openBench,
  plugin,
  settle,
  valueElsewhere,
} from './guard-table/bench.ts';
import { hookTrials } from './guard-table/hook-trials.ts';
import { type Ending, type TapFault, tapFaults } from './guard-table/tap-faults.ts';

// Every way in which a tap can be wrong, in every hook: what the operation gives, what health says, and how long it
// takes on the clock. `VARVE_PRINT=1 pnpm vitest run packages/core/test/guard-table.test.ts` prints the table.

const hooks = Object.keys(hookRules) as HookName[];
const table = new Map<string, Map<HookName, string>>();
const { setTimeout, setInterval } = globalThis;
const { now } = Date;

beforeEach(() => {
  const refuse = (): never => {
    throw new Error('The machine was asked for the time.');
  };
  Object.assign(globalThis, { setTimeout: refuse, setInterval: refuse });
  Date.now = refuse;
});

afterEach(() => {
  Object.assign(globalThis, { setTimeout, setInterval });
  Date.now = now;
});

afterAll(() => {
  const { process } = globalThis as { readonly process?: { readonly env: Record<string, string | undefined> } };
  if (process?.env['VARVE_PRINT'] === '1') console.log(printed());
});

describe.each(hooks)('in %s, a tap that', (hook) => {
  const faults = tapFaults.filter((fault) => fault.hooks?.includes(hook) ?? true);
  let [silent, sound, untried]: unknown[] = [];
  beforeAll(async () => {
    silent = await soundRuns(hook, async () => undefined);
    sound = await soundRuns(hook, async (value) => hookTrials[hook].answer(value));
    untried = await turnOfUntried(hook);
  });

  test.each(faults.map((fault) => [fault.name, fault] as const))('%s', async (name, fault) => {
    const { run, next, finding } = await provoke(fault, hook);
    const runs = { run: factsOf(run), next };
    const ending = endingOf(run, { finding, isSilent: JSON.stringify(runs) === JSON.stringify(silent) });
    note(name, { hook, text: textOf(ending) });
    expect(ending).toEqual(fault.endsIn(hook));
    if (ending.outcome === 'refused') expect(next).toEqual(untried);
    else if (ending.outcome === 'denied') expect(next).toEqual((silent as { readonly next: unknown }).next);
    else expect(runs).toEqual(ending.outcome === 'taken' ? sound : silent);
  });

  test('asks to run before one that does not exist', async ({ task }) => {
    const eager = plugin('eager', (context) =>
      context.hooks[hook].tapPromise({ name: 'act', before: 'nowhere' } as never, () => undefined),
    );
    await expect(createHost({ plugins: [eager] })).rejects.toMatchObject({ code: 'VARVE_TAP_BEFORE' });
    note(task.name, { hook, text: 'no host TAP_BEFORE' });
  });

  test('is added when the host has started', async ({ task }) => {
    let kept: PluginContext | undefined;
    const late = plugin('late', (context) => {
      kept = context;
    });
    await using _host = await createHost({ plugins: [late] });
    const add = (): void => kept?.hooks[hook].tapPromise('act', () => undefined);
    expect(add).toThrow(expect.objectContaining({ code: 'VARVE_HOOK_FROZEN' }));
    note(task.name, { hook, text: 'no tap HOOK_FROZEN' });
  });
});

/** Lets the tap be wrong once, then does what it kept for later, then goes on. */
async function provoke(
  fault: TapFault,
  hook: HookName,
): Promise<{ readonly run: HookRun; readonly next: unknown; readonly finding: HealthFinding | undefined }> {
  const late: (() => unknown)[] = [];
  const means = {
    answer: hookTrials[hook].answer as (value: unknown) => unknown,
    foreign: await valueElsewhere(hook),
    later: (work: () => unknown) => void late.push(work),
  };
  await using bench = await openBench(hook, (value, context) => fault.tap(value, context, means));
  const { session } = bench;
  const stored = await entriesOf(session);
  bench.arm();
  const run = await bench.run();
  if (run.isFailed) expect(await entriesOf(session), 'entries after a refusal').toEqual(stored);
  const finding = session.health().findings.find(({ name }) => name === 'middle');
  for (const work of late) {
    if (fault.late === undefined) work();
    else expect(work).toThrow(expect.objectContaining({ code: fault.late }));
  }
  await settle();
  return { run, next: await nextTurn(bench), finding };
}

/** The same with a tap that is sound. */
async function soundRuns(hook: HookName, tap: AnyTap): Promise<unknown> {
  await using bench = await openBench(hook, tap);
  bench.arm();
  return { run: factsOf(await bench.run()), next: await nextTurn(bench) };
}

/** The turn of a session in which the hook has not been run. */
async function turnOfUntried(hook: HookName): Promise<unknown> {
  await using bench = await openBench(hook, () => undefined);
  return await nextTurn(bench);
}

/** What the session does next: the hook again, a message, a prompt. */
async function nextTurn(bench: Bench): Promise<unknown> {
  const again = await bench.run();
  await bench.session.ingest({ role: 'user', content: 'One more.' });
  const { messages } = await bench.session.assemble({ model: { provider: 'test', model: 'test-1' } });
  return { again: factsOf(again), messages };
}

function factsOf({ seen, isFailed, lastCalls }: HookRun): unknown {
  return { seen, isFailed, lastCalls };
}

async function entriesOf(session: Session): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

function endingOf(
  { seen, isFailed, ms }: HookRun,
  { finding, isSilent }: { readonly finding: HealthFinding | undefined; readonly isSilent: boolean },
): Ending {
  const code = finding === undefined ? {} : { code: finding.lastCode };
  if (isFailed) return { outcome: 'refused', ...code, ...(VarveError.is(seen) && { thrown: seen.code }), ms };
  if (isDenial(seen)) return { outcome: 'denied', ...code, ms };
  if (finding !== undefined) return { outcome: 'skipped', ...code, ms };
  return { outcome: isSilent ? 'unchanged' : 'taken', ms };
}

/** What a tap that failed has denied, in its own name. */
function isDenial(seen: unknown): boolean {
  const { allow, rule, by } = (seen ?? {}) as Partial<DeliveryDecision>;
  return allow === false && rule === 'policy-failed' && by === 'middle';
}

function note(name: string, { hook, text }: { readonly hook: HookName; readonly text: string }): void {
  table.set(name, (table.get(name) ?? new Map<HookName, string>()).set(hook, text));
}

/** As `refused PLUGIN_FAILED: TAP_TIMEOUT at 1000`. */
function textOf({ outcome, code, thrown, ms }: Ending): string {
  const name = (one: ErrorCode | null): string => one?.replace('VARVE_', '') ?? 'its own error';
  const codes = [thrown, code].flatMap((one) => (one === undefined ? [] : [name(one)])).join(': ');
  return [outcome, codes, ms > 0 ? `at ${ms}` : ''].filter((part) => part !== '').join(' ');
}

/** One line a fault and ending, with the hooks that end so. */
function printed(): string {
  const lines = [...table].flatMap(([name, row]) =>
    [...new Set(row.values())].map((text) => {
      const alike = hooks.filter((hook) => row.get(hook) === text);
      return `${name.padEnd(62)} ${text.padEnd(40)} ${alike.length === hooks.length ? 'every hook' : alike.join(' ')}`;
    }),
  );
  const cells = [...table.values()].reduce((sum, row) => sum + row.size, 0);
  return `guard: ${table.size} faults × ${hooks.length} hooks, ${cells} cells\n${lines.join('\n')}`;
}
