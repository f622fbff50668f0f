import type { EvidenceScore } from '../judge/evidence-recall.ts';
import { type JudgedPrompt, tokensOfPrompt } from '../judge/judged-prompt.ts';
import { createMean } from '../judge/mean.ts';
import type { NeedsScore } from '../judge/needed-later.ts';
import { type Fault, faultsOf } from '../judge/validity.ts';

/** All figures of a strategy; shares from 0 to 1, `null` where a set has nothing to measure it by. */
export interface Figures {
  /** M1: evidence that is visible; questions whose evidence is complete; questions whose answer is visible. */
  readonly evidence: number | null;
  readonly complete: number | null;
  readonly answer: number | null;
  readonly questions: number;
  /** M2: identifiers needed later, and their lines. */
  readonly identifiers: number | null;
  readonly lines: number | null;
  readonly steps: number;
  /** M3: what the user had asked for. */
  readonly instructions: number | null;
  /** M5: base tokens a request with a cache of five minutes and of an hour, and the share that was read from it. */
  readonly cost5m: number;
  readonly cost1h: number;
  readonly hitRate: number;
  /** M6. */
  readonly requests: number;
  readonly invalid: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly overBudget: number;
  /** Requests for which the strategy gave up. */
  readonly failed: number;
  /** Of identifiers that are needed and not visible: the share that a search of the model would find. */
  readonly lookedUp: number | null;
  /** Tokens and milliseconds a request. */
  readonly tokens: number;
  readonly milliseconds: number;
}

/** Collects what one strategy does on one set. */
export interface Tally {
  /** A request of the conversation, or one for a question. */
  request(prompt: JudgedPrompt | null, milliseconds: number): void;
  question(score: EvidenceScore): void;
  needs(score: NeedsScore): void;
  instructions(share: number | null): void;
  lookUp(isFound: boolean): void;
  /** What the requests of one conversation cost. */
  cost(of: { readonly requests: number; readonly cost5m: number; readonly cost1h: number } & CacheShare): void;
  figures(): Figures;
}

interface CacheShare {
  readonly tokens: number;
  readonly read: number;
}

/** A count may be this much over the budget: frames are counted in more than one way. */
const tolerance = 1.01;

/** An empty tally for prompts of at most so many tokens. */
export function createTally(budget: number): Tally {
  const means = {
    evidence: createMean(),
    complete: createMean(),
    answer: createMean(),
    identifiers: createMean(),
    lines: createMean(),
    instructions: createMean(),
    lookedUp: createMean(),
    tokens: createMean(),
    milliseconds: createMean(),
  };
  const faults: Partial<Record<Fault, number>> = {};
  const counts = { requests: 0, invalid: 0, overBudget: 0, failed: 0 };
  const paid = { requests: 0, cost5m: 0, cost1h: 0, tokens: 0, read: 0 };
  return {
    request: (prompt, milliseconds) => {
      counts.requests += 1;
      means.milliseconds.add(milliseconds);
      if (prompt === null) {
        counts.failed += 1;
        return;
      }
      const tokens = tokensOfPrompt(prompt);
      const found = faultsOf(prompt);
      means.tokens.add(tokens);
      if (tokens > budget * tolerance) counts.overBudget += 1;
      if (found.length > 0) counts.invalid += 1;
      for (const fault of found) faults[fault] = (faults[fault] ?? 0) + 1;
    },
    question: ({ share, all, answer }) => {
      means.evidence.add(share);
      means.complete.add(all);
      if (answer !== null) means.answer.add(answer);
    },
    needs: ({ identifiers, lines }) => {
      means.identifiers.add(identifiers);
      if (lines !== null) means.lines.add(lines);
    },
    instructions: (share) => {
      if (share !== null) means.instructions.add(share);
    },
    lookUp: (isFound) => means.lookedUp.add(isFound ? 1 : 0),
    cost: ({ requests, cost5m, cost1h, tokens, read }) => {
      paid.requests += requests;
      paid.cost5m += cost5m;
      paid.cost1h += cost1h;
      paid.tokens += tokens;
      paid.read += read;
    },
    figures: () => ({
      evidence: means.evidence.value(),
      complete: means.complete.value(),
      answer: means.answer.value(),
      questions: means.evidence.count(),
      identifiers: means.identifiers.value(),
      lines: means.lines.value(),
      steps: means.identifiers.count(),
      instructions: means.instructions.value(),
      cost5m: paid.cost5m / Math.max(1, paid.requests),
      cost1h: paid.cost1h / Math.max(1, paid.requests),
      hitRate: paid.read / Math.max(1, paid.tokens),
      ...counts,
      faults: { ...faults },
      lookedUp: means.lookedUp.value(),
      tokens: means.tokens.value() ?? 0,
      milliseconds: means.milliseconds.value() ?? 0,
    }),
  };
}
