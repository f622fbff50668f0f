import type { ServedRequest } from '@varve/testkit/model-server';
import { systemRules, userRules } from './planted-facts.ts';
import { modelOf } from './scripted-agent.ts';
import type { SessionPlan } from './session-plan.ts';

/** How many of what should have been in prompts was. */
export interface Share {
  readonly shown: number;
  readonly of: number;
}

/** What the server received. */
export interface PromptReport {
  readonly requests: number;
  /** Requests that the provider refuses for their form, each with the rule that it breaks. */
  readonly malformed: readonly string[];
  /** Requests that were longer than the window. */
  readonly overflows: number;
  readonly largest: number;
  /** Over all prompts. */
  readonly rules: Share;
  readonly corrections: Share;
  /** Identifiers that stood in every prompt of the turn that asked for them. */
  readonly identifiers: Share;
  /** The first of what was missing, for people. */
  readonly missing: readonly string[];
}

/** Collects what bodies hold. */
export interface PromptWatch {
  /** Looks at the requests of a turn that has ended. */
  look(turn: number, requests: readonly ServedRequest[]): void;
  readonly report: () => PromptReport;
}

/** What is reported as missing, at most. */
const mostMissing = 20;

/** Watches the prompts of a session. */
export function watchPrompts(plan: SessionPlan, contextTokens: number): PromptWatch {
  const missing: string[] = [];
  const malformed: string[] = [];
  const counts = { requests: 0, overflows: 0, largest: 0 };
  const shares = { rules: { shown: 0, of: 0 }, corrections: { shown: 0, of: 0 }, identifiers: { shown: 0, of: 0 } };
  const expect = (kind: keyof typeof shares, isShown: boolean, what: () => string): void => {
    shares[kind].of += 1;
    if (isShown) shares[kind].shown += 1;
    else if (missing.length < mostMissing) missing.push(what());
  };
  const lookAt = (turn: number, request: ServedRequest): string => {
    const body = JSON.stringify(request.body);
    counts.requests += 1;
    counts.largest = Math.max(counts.largest, request.inputTokens);
    if (request.inputTokens > contextTokens) counts.overflows += 1;
    for (const { rule, path } of request.violations) malformed.push(`request ${request.number}: ${rule} at ${path}`);
    const where = `turn ${turn}, request ${request.number}`;
    for (const rule of [...systemRules, ...userRules]) expect('rules', body.includes(rule), () => `${where}: ${rule}`);
    for (const { turn: made, text } of plan.corrections) {
      if (made <= turn) expect('corrections', body.includes(text), () => `${where}: ${text}`);
    }
    return body;
  };
  return {
    look: (turn, requests) => {
      const bodies = requests.filter((request) => modelOf(request) === 'agent').map((request) => lookAt(turn, request));
      for (const fact of plan.facts.filter(({ asked }) => asked === turn)) {
        const isShown = bodies.length > 0 && bodies.every((body) => body.includes(fact.value));
        const { value, by, said, topic } = fact;
        expect('identifiers', isShown, () => `turn ${turn}: ${value}, the ${topic}, said by the ${by} in turn ${said}`);
      }
    },
    report: () => ({ ...counts, ...shares, malformed, missing }),
  };
}
