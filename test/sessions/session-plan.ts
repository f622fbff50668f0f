import { type Random, seededRandom } from '@varve/testkit';
import {
  type Correction,
  type PlantedFact,
  plantCorrections,
  plantFacts,
  questionOf,
  sentenceOf,
  systemRules,
  userRules,
} from './planted-facts.ts';
import { projectPath } from './tool-output.ts';

/** One call of a tool that the agent makes. */
export interface PlannedCall {
  readonly tool: 'read_file' | 'run_tests' | 'search_logs';
  readonly path: string;
  /** Names the call: no other one of the session has it. */
  readonly page: number;
  /** Length of its result. */
  readonly chars: number;
}

/** One turn: what the user says, and what the agent does about it. */
export interface PlannedTurn {
  readonly message: string;
  /** Calls of each round, made at the same time. */
  readonly rounds: readonly (readonly PlannedCall[])[];
  readonly answer: string;
  /** Whether the agent thinks before each round. */
  readonly thinks: boolean;
  /** Time that passes before it, in milliseconds. */
  readonly pauseMs: number;
}

/** A whole session, decided by its seed. */
export interface SessionPlan {
  readonly seed: number;
  readonly system: string;
  readonly turns: readonly PlannedTurn[];
  readonly corrections: readonly Correction[];
  readonly facts: readonly PlantedFact[];
}

/** How a session is planned. */
export interface PlanOptions {
  readonly seed: number;
  readonly turns: number;
  /** Identifiers that are said once and asked for later. */
  readonly facts: number;
}

/** Plans a session: the same seed and sizes, the same session. */
export function planSession({ seed, turns: count, facts: factCount }: PlanOptions): SessionPlan {
  const random = seededRandom(seed);
  const corrections = plantCorrections(random, count);
  const facts = plantFacts(random, { turns: count, count: factCount });
  const turns = Array.from({ length: count }, (_, turn) => planTurn(random, { turn, corrections, facts }));
  const system = ['You are an agent that works on a large repository.', ...systemRules].join('\n');
  return { seed, system, turns, corrections, facts };
}

function planTurn(
  random: Random,
  { turn, corrections, facts }: { readonly turn: number } & Pick<SessionPlan, 'corrections' | 'facts'>,
): PlannedTurn {
  const saidNow = facts.filter(({ said }) => said === turn);
  const questions = facts.filter(({ asked }) => asked === turn).map(questionOf);
  const said = (by: PlantedFact['by']): string[] => saidNow.filter((fact) => fact.by === by).map(sentenceOf);
  const corrected = corrections.filter((one) => one.turn === turn).map(({ text }) => text);
  const task = turn === 0 ? firstTask() : questions.length > 0 && random.chance(0.5) ? '' : taskOf(random);
  const hasTools = task !== '';
  const rounds = hasTools ? Array.from({ length: random.pick([1, 1, 1, 2, 2]) }, () => random) : [];
  return {
    message: [...corrected, ...questions, task, ...said('user')].filter((text) => text !== '').join(' '),
    rounds: rounds.map((_, round) => planRound(random, turn * 100 + round * 10)),
    answer: [`Done: the ${random.pick(parts)} is ${random.pick(ends)}.`, ...said('assistant')].join(' '),
    thinks: random.chance(0.3),
    pauseMs: random.chance(0.08) ? random.integer(360_000, 1_200_000) : random.integer(5_000, 90_000),
  };
}

const parts = ['handler', 'exporter', 'test', 'migration', 'report', 'queue'] as const;
const ends = ['in order', 'fixed', 'slower than it should be', 'read', 'as you wanted it'] as const;
const tools = ['read_file', 'run_tests', 'search_logs'] as const;

function firstTask(): string {
  return ['Work through the backlog of the release with me. These hold all along:', ...userRules].join('\n- ');
}

function taskOf(random: Random): string {
  const path = projectPath(random);
  return random.pick([
    `Look into ${path} and tell me what it does.`,
    `The tests around ${path} are slow, find out why.`,
    'Go on with the next item of the list.',
    `Compare ${path} with ${projectPath(random)}.`,
    'Check the logs of the last night once more.',
    `Clean up ${path}, and say what is left to do.`,
  ]);
}

/** Results of 200 to 30 000 characters: as many below 2 500 as above. */
function planRound(random: Random, page: number): readonly PlannedCall[] {
  const count = random.pick([1, 1, 1, 1, 2, 2, 2, 3, 3, 4]);
  return Array.from({ length: count }, (_, index) => ({
    tool: random.pick(tools),
    path: projectPath(random),
    page: page + index,
    chars: Math.round(200 * 150 ** random.next()),
  }));
}
