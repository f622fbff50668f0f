import { type HeldResult, runHeld } from './held-summariser.ts';
import { type ModelApi, modelApis } from './model-apis.ts';
import { type FaultResult, runFault } from './run-fault.ts';
import { type OverflowResult, overflowPlaces, runOverflow } from './run-overflow.ts';
import { runSession, type SessionResult, type SessionStrategy, sessionStrategies } from './run-session.ts';
import { planSession } from './session-plan.ts';
import { summariserFaults } from './summariser-faults.ts';

/** One session to play: JSON, so that a worker can be told. */
export type SessionJob =
  | {
      readonly kind: 'session';
      readonly api: ModelApi['name'];
      readonly seed: number;
      readonly turns: number;
      readonly strategy: SessionStrategy;
    }
  | {
      readonly kind: 'fault';
      readonly api: ModelApi['name'];
      readonly seed: number;
      readonly turns: number;
      readonly fault: string;
      readonly hasSecond: boolean;
    }
  | {
      readonly kind: 'held';
      readonly api: ModelApi['name'];
      readonly seed: number;
      readonly further: 'light' | 'heavy';
    }
  | {
      readonly kind: 'overflow';
      readonly api: ModelApi['name'];
      readonly place: OverflowResult['place'];
      readonly told: boolean;
    };

/** What became of one. */
export type JobResult =
  | { readonly kind: 'session'; readonly result: SessionResult; readonly seconds: number }
  | { readonly kind: 'fault'; readonly result: FaultResult; readonly seconds: number }
  | { readonly kind: 'held'; readonly result: HeldResult; readonly seconds: number }
  | { readonly kind: 'overflow'; readonly result: OverflowResult; readonly seconds: number };

/** How much is played. */
export interface SessionExtent {
  readonly seeds: readonly number[];
  readonly apis: readonly ModelApi['name'][];
  readonly turns: number;
  readonly faultTurns: number;
}

/** All jobs of a whole run. Each fault is played with one API, another one for each. */
export function planJobs({ seeds, apis, turns, faultTurns }: SessionExtent): readonly SessionJob[] {
  const [seed = 1] = seeds;
  const sessions = seeds.flatMap((one) =>
    apis.flatMap((api) =>
      sessionStrategies.map((strategy): SessionJob => ({ kind: 'session', api, seed: one, turns, strategy })),
    ),
  );
  const faults = summariserFaults.flatMap(({ name }, index) =>
    [false, true].map((hasSecond): SessionJob => {
      const api = apis[index % apis.length] ?? 'messages';
      return { kind: 'fault', api, seed, turns: faultTurns, fault: name, hasSecond };
    }),
  );
  const others = apis.flatMap((api): readonly SessionJob[] => [
    ...(['light', 'heavy'] as const).map((further) => ({ kind: 'held', api, seed, further }) as const),
    ...overflowPlaces.flatMap((place) =>
      [true, false].map((told) => ({ kind: 'overflow', api, place, told }) as const),
    ),
  ]);
  return [...sessions, ...faults, ...others];
}

/** Identifiers that are planted in a session of that many turns: 60 in one of 400. */
function factsFor(turns: number): number {
  return Math.round((turns * 60) / 400);
}

/** Plays one job. */
export async function runJob(job: SessionJob): Promise<JobResult> {
  const api = modelApis.find(({ name }) => name === job.api) ?? modelApis[0];
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10;
  switch (job.kind) {
    case 'session': {
      const plan = planSession({ seed: job.seed, turns: job.turns, facts: factsFor(job.turns) });
      return { kind: 'session', result: await runSession(plan, { api, strategy: job.strategy }), seconds: seconds() };
    }
    case 'fault': {
      const plan = planSession({ seed: job.seed, turns: job.turns, facts: factsFor(job.turns) });
      const fault = summariserFaults.find(({ name }) => name === job.fault) ?? summariserFaults[0];
      const { hasSecond } = job;
      return { kind: 'fault', result: await runFault(plan, { fault, api, hasSecond }), seconds: seconds() };
    }
    case 'held':
      return { kind: 'held', result: await runHeld(api, job), seconds: seconds() };
    case 'overflow':
      return { kind: 'overflow', result: await runOverflow(api, job), seconds: seconds() };
  }
}
