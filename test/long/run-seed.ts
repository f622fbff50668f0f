import { judge } from './oracle/judge.ts';
import type { Violation } from './oracle/observation.ts';
import { playTranscript } from './play-transcript.ts';
import { planTranscript, type TranscriptPlan } from './transcript-plan.ts';

/** What became of one seed: JSON, so that a worker can send it. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Operations of the smallest prefix that still fails, as JSON; empty when nothing failed. */
  readonly prefix: readonly string[];
  readonly messages: number;
  readonly prompts: number;
  readonly entries: number;
  /** What the transcript had: traits, operations, strategy, store, outcomes. */
  readonly features: readonly string[];
}

/** Violations that are kept of one transcript. */
const mostViolations = 5;

/** Plays and judges the transcript of a seed; a failing one again, with ever fewer operations. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const plan = planTranscript(seed);
  const { violations, observation, outcomes } = await playAndJudge(plan);
  const prefix = violations.length === 0 ? [] : await smallestPrefix(plan);
  const { budget } = plan;
  return {
    seed,
    violations: violations.slice(0, mostViolations),
    prefix: prefix.map((operation) => JSON.stringify(operation)),
    messages: plan.conversation.utterances.length,
    prompts: observation.events.filter(({ kind }) => kind === 'prompt').length,
    entries: observation.entries.length,
    features: [
      ...plan.traits.map((trait) => `trait ${trait}`),
      `strategy ${plan.strategy}`,
      `store ${plan.store}`,
      `budget ${budget === null ? 'none' : budget}`,
      ...new Set(plan.operations.map((operation) => `operation ${operation.do}`)),
      ...[...outcomes.keys()].map((outcome) => `outcome ${outcome}`),
    ],
  };
}

async function playAndJudge(plan: TranscriptPlan, operations = plan.operations.length) {
  const played = await playTranscript(plan, operations);
  return { ...played, violations: judge(played.observation) };
}

/** The operations up to the first number of them that fails. */
async function smallestPrefix(plan: TranscriptPlan): Promise<TranscriptPlan['operations']> {
  for (let length = 1; length < plan.operations.length; length += 1) {
    const { violations } = await playAndJudge(plan, length);
    if (violations.length > 0) return plan.operations.slice(0, length);
  }
  return plan.operations;
}
