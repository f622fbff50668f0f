import { countRungs } from '../sessions/rung-of-compaction.ts';
import { refusalsOf } from './bodies/provider-body.ts';
import type { Factors } from './factors.ts';
import { judge } from './oracle/judge.ts';
import type { Observation, Violation } from './oracle/observation.ts';
import { type Played, type PlayOptions, playTranscript } from './play-transcript.ts';
import { planTranscript, type TranscriptPlan } from './transcript-plan.ts';

/** What became of one seed: JSON, so that a worker can send it. */
export interface SeedResult {
  readonly seed: number;
  readonly factors: Factors;
  readonly violations: readonly Violation[];
  /** Operations of the smallest prefix that still fails, as JSON; empty when nothing failed. */
  readonly prefix: readonly string[];
  /** What the transcript had: traits, operations, store. */
  readonly features: readonly string[];
  /** How often things happened. */
  readonly counts: Readonly<Record<string, number>>;
  /** Whether a summariser was asked, and so its fault came about. */
  readonly fired: boolean;
}

/** Violations that are kept of one transcript. */
const mostViolations = 5;

/** Plays and judges the transcript of a seed; a failing one again, with ever fewer operations. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const plan = planTranscript(seed);
  const played = await playAndJudge(plan);
  const { violations, asks } = played;
  const prefix = violations.length === 0 ? [] : await smallestPrefix(plan);
  const { provider, strategy, fault, budget } = plan;
  return {
    seed,
    factors: { provider, strategy, fault },
    violations: violations.slice(0, mostViolations),
    prefix: prefix.map((operation) => JSON.stringify(operation)),
    features: [
      ...plan.traits.map((trait) => `trait ${trait}`),
      `store ${plan.store}`,
      `budget ${budget === null ? 'none' : budget}`,
      ...new Set(plan.operations.map((operation) => `operation ${operation.do}`)),
    ],
    counts: countsOf(plan, played),
    fired: asks > 0,
  };
}

/** All that is wrong with what was seen: what the oracle finds, and what a provider would refuse. */
export function judgeAll(observation: Observation): readonly Violation[] {
  return [...judge(observation), ...refusalsOf(observation)].sort((a, b) => a.op - b.op);
}

interface Judged extends Played {
  readonly violations: readonly Violation[];
}

/** Plays a transcript and judges it. */
async function playAndJudge(plan: TranscriptPlan, options: PlayOptions = {}): Promise<Judged> {
  const played = await playTranscript(plan, options);
  return { ...played, violations: judgeAll(played.observation) };
}

function countsOf(plan: TranscriptPlan, { observation, outcomes, violations, asks }: Judged): SeedResult['counts'] {
  const { events, entries } = observation;
  const rungs = countRungs(entries as Parameters<typeof countRungs>[0]);
  const has = (kind: (typeof events)[number]['kind']): number => events.filter((event) => event.kind === kind).length;
  const prompts = events.filter((event) => event.kind === 'prompt');
  const isShownAgain = (note: (typeof prompts)[number]['prompt']['manifest']['notes'][number]): boolean =>
    !note.isNew && note.leftOut === undefined;
  const prunes = entries.filter((entry) => entry.type === 'edit' && entry.by === 'ttl-pruning').length;
  return {
    ...Object.fromEntries([...outcomes].map(([outcome, count]) => [`outcome ${outcome}`, count])),
    ...Object.fromEntries(Object.entries(rungs).map(([rung, count]) => [`rung ${rung}`, count])),
    'sum messages': plan.conversation.utterances.length,
    'sum entries': entries.length,
    'sum prompts judged': has('prompt'),
    'sum bodies checked': has('body'),
    'sum bodies refused': violations.filter(({ rule }) => rule === 'provider').length,
    'sum summariser asked': asks,
    'sum prunes': prunes,
    'sum prunes that pay': entries.filter(({ type }) => type === 'ttl-pruning:pruned').length,
    'sum notes made': entries.flatMap(({ notes = [] }) => notes).length,
    'sum notes left out': entries.flatMap(({ leftOutNotes = [] }) => leftOutNotes).length,
    'sum prompts with old notes': prompts.filter(({ prompt }) => prompt.manifest.notes.some(isShownAgain)).length,
  };
}

/** The operations up to the first number of them that fails. */
async function smallestPrefix(plan: TranscriptPlan): Promise<TranscriptPlan['operations']> {
  for (let operations = 1; operations < plan.operations.length; operations += 1) {
    const { violations } = await playAndJudge(plan, { operations });
    if (violations.length > 0) return plan.operations.slice(0, operations);
  }
  return plan.operations;
}
