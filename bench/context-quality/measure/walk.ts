import { scoreEvidence } from '../judge/evidence-recall.ts';
import { holdsLine } from '../judge/found-line.ts';
import { type JudgedPrompt, textOfPrompt } from '../judge/judged-prompt.ts';
import { type FarNeed, farNeeds, scoreNeeds } from '../judge/needed-later.ts';
import { cacheRules, createPromptCache } from '../judge/prompt-cache.ts';
import { instructionsOf, scoreInstructions } from '../judge/user-instructions.ts';
import type { Trajectory, Turn } from '../sets/trajectory.ts';
import type { Ask, Strategy, StrategyRun } from '../strategies/strategy.ts';
import type { Tally } from './tally.ts';

/** A conversation with what the judge works out once, whatever the strategy. */
export interface PreparedTrajectory {
  readonly trajectory: Trajectory;
  readonly needs: ReadonlyMap<number, readonly FarNeed[]>;
  /** By turn; `null` for those that are not the user's. */
  readonly instructions: readonly (readonly string[] | null)[];
}

/** Works out needs and instructions. */
export function prepareTrajectory(trajectory: Trajectory, distance: number): PreparedTrajectory {
  return {
    trajectory,
    needs: distance > 0 ? farNeeds(trajectory.turns, distance) : new Map(),
    instructions: trajectory.turns.map(({ role, text }) => (role === 'user' ? instructionsOf(text) : null)),
  };
}

interface WalkOptions {
  readonly prepared: PreparedTrajectory;
  readonly budget: number;
  readonly every: number;
  readonly tally: Tally;
}

/** Identifiers of one step that are looked up by a search, at most. */
const lookUpsPerStep = 3;
/** In conversations with questions, the user's instructions are judged at every how many requests. */
const instructionsEvery = 10;
const minute = 60_000;

/** Goes through a conversation: before each answer a request is made, paid for and judged; then the questions. */
export async function judgeWalk(strategy: Strategy, options: WalkOptions): Promise<void> {
  const { prepared, budget, every, tally } = options;
  const { turns, questions } = prepared.trajectory;
  const run = await strategy.open(budget);
  const caches = { short: createPromptCache(cacheRules['5m']), long: createPromptCache(cacheRules['1h']) };
  let step = 0;
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant' && index > 0) {
      const prompt = await timed(run, { tally, ask: askFor(turns, index) });
      if (prompt !== null) {
        caches.short.request(prompt, turn.at);
        caches.long.request(prompt, turn.at);
      }
      const judgedEvery = questions.length > 0 ? instructionsEvery : every;
      if (step % judgedEvery === 0) await judgeStep(prompt, { run, prepared, index, tally });
      step += 1;
    }
    await run.take(turn);
  }
  await judgeQuestions(run, { ...options, isSame: strategy.family !== 'product' });
  await run.close();
  const [short, long] = [caches.short.totals(), caches.long.totals()];
  const { requests, tokens, hitRate, cost } = short;
  tally.cost({ requests, tokens, read: hitRate * tokens, cost5m: cost, cost1h: long.cost });
}

async function timed(
  run: StrategyRun,
  { tally, ask }: { readonly tally: Tally; readonly ask: Ask },
): Promise<JudgedPrompt | null> {
  const startedAt = performance.now();
  const prompt = await run.request(ask);
  tally.request(prompt, performance.now() - startedAt);
  return prompt;
}

/** What the request before the answer `index` is to answer: the user's newest message. */
export function askFor(turns: readonly Turn[], index: number): Ask {
  const asked = turns.slice(0, index).findLast(({ role }) => role === 'user');
  return { at: (turns[index] as Turn).at, query: asked?.text ?? '', isTrial: false };
}

async function judgeStep(
  prompt: JudgedPrompt | null,
  step: {
    readonly run: StrategyRun;
    readonly prepared: PreparedTrajectory;
    readonly index: number;
    readonly tally: Tally;
  },
): Promise<void> {
  const { run, prepared, index, tally } = step;
  const context = prompt === null ? '' : textOfPrompt(prompt);
  tally.instructions(
    scoreInstructions(
      prepared.instructions.slice(0, index).flatMap((one) => (one ? [one] : [])),
      context,
    ),
  );
  const needs = prepared.needs.get(index);
  if (needs === undefined) return;
  tally.needs(scoreNeeds(needs, context));
  if (run.lookUp === undefined) return;
  const hidden = needs.filter(({ identifier, lines }) => lines.length > 0 && !context.includes(identifier));
  for (const need of hidden.slice(0, lookUpsPerStep)) {
    tally.lookUp(holdsLine(await run.lookUp(need.identifier), need));
  }
}

/** A strategy that does not know the question makes the same prompt for each. */
async function judgeQuestions(run: StrategyRun, options: WalkOptions & { readonly isSame: boolean }): Promise<void> {
  const { prepared, every, tally, isSame } = options;
  const { turns, questions } = prepared.trajectory;
  const at = (turns.at(-1)?.at ?? 0) + minute;
  let kept: JudgedPrompt | null | undefined;
  for (const question of questions.filter((_, index) => index % every === 0)) {
    const known = isSame ? kept : undefined;
    const prompt = known ?? (await timed(run, { tally, ask: { at, query: question.text, isTrial: true } }));
    kept = prompt;
    tally.question(scoreEvidence(question, prompt === null ? '' : textOfPrompt(prompt)));
  }
}
