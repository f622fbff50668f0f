import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltWorker, buildSubagentWorker } from './build-subagent-worker.ts';
import { type ChildEnding, childEnds, type History, histories, type ParentState, parentStates } from './job.ts';
import { mutants } from './mutants.ts';
import { type CountedEnd, countEnds } from './oracle/count-ends.ts';
import { runJob } from './run-job.ts';

const home = mkdtempSync(join(tmpdir(), 'varve-subagents-'));
let product: BuiltWorker;

beforeAll(async () => {
  product = await buildSubagentWorker(null);
});
afterAll(() => {
  product.remove();
  rmSync(home, { recursive: true, force: true });
});

/** What was counted in the files of one case. */
interface Counted {
  readonly what: string;
  /** When the process was killed, if it was. */
  readonly atDeath: readonly CountedEnd[] | null;
  readonly atEnd: readonly CountedEnd[];
}

/** What is wrong with what was counted; `null` when nothing is. */
function faultOf({ atDeath, atEnd }: Counted): string | null {
  const [child, ...others] = atEnd;
  if (child === undefined || others.length > 0) return `there are ${atEnd.length} sub-agents`;
  if ((atDeath ?? []).some(({ told, ends }) => told > ends)) return 'told before its end was durable';
  if (child.ends !== 1) return `it ended ${child.ends} times`;
  if (child.told !== 1) return `it was told of ${child.told} times`;
  if (!child.isFaithful) return 'something else was told';
  return child.isShownAtWork ? 'it is shown as if it were at work' : null;
}

async function playCell(worker: string, parent: ParentState, child: ChildEnding): Promise<Counted> {
  const root = mkdtempSync(join(home, 'cell-'));
  const what = `parent ${parent}, child ${child}`;
  const play = { do: 'play', root, parent, child, history: 'plain', killAt: null, isDone: false } as const;
  const { isKilled } = await runJob(worker, play);
  const atDeath = isKilled ? countEnds(root) : null;
  if (isKilled) await runJob(worker, { do: 'recover', root, child, wakesFirst: false });
  return { what, atDeath, atEnd: countEnds(root) };
}

/** A place where a process is killed. */
interface Kill {
  readonly killAt: number;
  readonly isDone: boolean;
  readonly history: History;
}

/** Kills a process there, and lets another one go on; `null` when the first had ended by then. */
async function killOnce(worker: string, { killAt, isDone, history }: Kill): Promise<Counted | null> {
  const root = mkdtempSync(join(home, 'kill-'));
  const play = { do: 'play', root, parent: 'idle', child: 'succeeds', history, killAt, isDone } as const;
  const { isKilled } = await runJob(worker, play);
  if (!isKilled) return null;
  const atDeath = countEnds(root);
  await runJob(worker, { do: 'recover', root, child: 'succeeds', wakesFirst: isDone });
  const what = `parent ${history}, killed ${isDone ? 'after' : 'before'} operation ${killAt}`;
  return { what, atDeath, atEnd: countEnds(root) };
}

/** Whether every place and mutant is tried, as `pnpm test:subagents` does; else some, so that all tests stay quick. */
const { VARVE_EVERY_KILL } = process.env;
const isWhole = VARVE_EVERY_KILL === '1';
const sampled = isWhole ? 1 : 3;

/** All places where the process can be killed from the end of the sub-agent on, or every so many of them. */
async function* killEverywhere(worker: string, history: History, every: number): AsyncGenerator<Counted> {
  for (let killAt = 1; ; killAt += every) {
    const places = [false, true].map((isDone) => killOnce(worker, { killAt, isDone, history }));
    for (const counted of await Promise.all(places)) {
      if (counted === null) return;
      yield counted;
    }
  }
}

// Much of the time is spent waiting for locks that killed processes have left behind.
describe.concurrent('the end of a sub-agent is told exactly once', () => {
  const cells = parentStates.flatMap((parent) => childEnds.map((child) => [parent, child] as const));

  it.each(cells)('when the parent is %s and the child %s', async (parent, child) => {
    const counted = await playCell(product.file, parent, child);
    console.log(`${counted.what}: ended ${counted.atEnd[0]?.ends}, told ${counted.atEnd[0]?.told}`);
    expect(faultOf(counted)).toBeNull();
  });

  it.each(histories)('wherever the process is killed from the end on, with a parent that is %s', async (history) => {
    const tally = { killed: 0, told: 0, faults: [] as string[] };
    for await (const counted of killEverywhere(product.file, history, sampled)) {
      tally.killed += 1;
      tally.told += counted.atEnd[0]?.told ?? 0;
      const fault = faultOf(counted);
      if (fault !== null) tally.faults.push(`${counted.what}: ${fault}`);
    }
    console.log(`parent ${history}: killed ${tally.killed} times, told ${tally.told} times`);
    expect(tally.faults).toEqual([]);
    expect(tally.killed).toBeGreaterThan(8);
  });
});

describe('the oracle finds', () => {
  it.each(isWhole ? mutants : mutants.slice(0, 1))('$id: $what', async (mutant) => {
    const worker = await buildSubagentWorker(mutant);
    const faults = new Set<string>();
    try {
      for await (const counted of killEverywhere(worker.file, 'plain', 1)) {
        faults.add(faultOf(counted) ?? 'nothing');
        if (faults.has(mutant.finds)) break;
      }
      expect([...faults]).toContain(mutant.finds);
    } finally {
      worker.remove();
    }
  });
});
