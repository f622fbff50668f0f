import { describe, expect, it } from 'vitest';
import { judgeJournal } from './judge-journal.ts';
import { type ModelApi, modelApis } from './model-apis.ts';
import { overflowPlaces } from './run-overflow.ts';
import { type SessionResult, usualPlugins } from './run-session.ts';
import { type JobResult, runJob, type SessionJob } from './session-jobs.ts';
import { planSession } from './session-plan.ts';
import { openStage } from './session-stage.ts';
import { shortcomings } from './session-table.ts';

// The whole run, `pnpm test:sessions`, plays sessions of 400 turns and every fault.

const apis = modelApis.map(({ name }) => name);

/** Plays a job and gives its result, which must have no shortcoming. */
async function played(job: SessionJob): Promise<JobResult> {
  const result = await runJob(job);
  expect(shortcomings(result), JSON.stringify(job)).toEqual([]);
  return result;
}

/** The result of a session, which may fall short. */
async function session(job: Extract<SessionJob, { kind: 'session' }>): Promise<SessionResult> {
  const { kind, result } = await runJob(job);
  if (kind !== 'session') throw new Error('this is no session');
  return result;
}

describe('a long session with many tools in a small window', () => {
  it.each(apis)('is never refused and loses nothing that is needed again, over %s', async (api) => {
    const { result } = await played({ kind: 'session', api, seed: 5, turns: 24, strategy: 'summary' });
    expect(result).toMatchObject({ reopened: true, prompts: { overflows: 0, identifiers: { of: 4 } } });
  });

  it('finds out how small the window is when nobody has told', async () => {
    const { result } = await played({ kind: 'session', api: 'messages', seed: 6, turns: 20, strategy: 'untold' });
    expect(result).toMatchObject({ overflowsRecovered: 1, prompts: { overflows: 1 } });
  });

  it('costs less than one that is never shortened, and keeps what a sliding window loses', async () => {
    const job = { kind: 'session', api: 'chat', seed: 5, turns: 24 } as const;
    const kept = await session({ ...job, strategy: 'summary' });
    expect(kept.bill.cost).toBeLessThan(kept.whole.cost);
    expect(kept.prompts.rules.shown).toBe(kept.prompts.rules.of);
    const slid = await session({ ...job, strategy: 'sliding' });
    expect(slid.prompts.rules.shown).toBeLessThan(slid.prompts.rules.of);
    expect(shortcomings({ kind: 'session', result: { ...slid, strategy: 'summary' }, seconds: 0 })).not.toEqual([]);
  });
});

describe('a summariser that fails at every call', () => {
  const faults: [fault: string, api: ModelApi['name']][] = [
    ['never-answers', 'messages'],
    ['cut-between-events', 'chat'],
    ['injected-text', 'responses'],
    ['drops-identifiers', 'messages'],
    ['overflow', 'chat'],
  ];
  it.each(faults)('ends no session: %s over %s', async (fault, api) => {
    await played({ kind: 'fault', api, seed: 2, turns: 12, fault, hasSecond: false });
  });
});

describe('a summariser that says nothing for twenty turns', () => {
  it.each(['light', 'heavy'] as const)('keeps nobody waiting while the turns are %s', async (further) => {
    await played({ kind: 'held', api: 'chat', seed: 3, further });
  });
});

describe('a prompt that is too long', () => {
  const cases = apis.flatMap((api) =>
    overflowPlaces.flatMap((place) => [true, false].map((told) => ({ api, place, told }))),
  );
  it.each(cases)('makes no tool run twice: $place over $api, only told: $told', async (job) => {
    await played({ kind: 'overflow', ...job });
  });
});

describe('the judge of journals', () => {
  it('finds a message that is missing, changed or there twice', async () => {
    const plan = planSession({ seed: 1, turns: 3, facts: 0 });
    await using stage = await openStage({ plan, api: modelApis[1] ?? modelApis[0], plugins: usualPlugins });
    for (const turn of [0, 1, 2]) await stage.play(turn);
    const { users, answers } = stage.acknowledged;
    const said = { system: plan.system, users, answers, results: stage.agent.executed };
    expect(judgeJournal(stage.root, said)).toEqual([]);
    expect(judgeJournal(stage.root, { ...said, users: [...users, 'One more.'] })).toHaveLength(1);
    expect(judgeJournal(stage.root, { ...said, answers: answers.slice(0, -1) })).toHaveLength(1);
    const changed = said.results.map((one, index) => (index === 0 ? { ...one, text: 'other' } : one));
    expect(judgeJournal(stage.root, { ...said, results: changed })).toHaveLength(1);
  });
});
