import type { ModelPort, Plugin } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { judgeJournal } from './judge-journal.ts';
import type { ModelApi } from './model-apis.ts';
import type { ModelBill } from './model-bill.ts';
import { countRungs, type Rung } from './rung-of-compaction.ts';
import type { SessionPlan } from './session-plan.ts';
import { openStage, type SessionStage, type StageOptions } from './session-stage.ts';
import { slidingWindow } from './sliding-window.ts';
import type { PromptReport } from './watch-prompts.ts';

/** How history is kept small. `untold`: as `summary`, and nobody has told the host how large the window is. */
export const sessionStrategies = ['summary', 'untold', 'sliding'] as const;

/** One of them. */
export type SessionStrategy = (typeof sessionStrategies)[number];

/** What became of a session. JSON. */
export interface SessionResult {
  readonly seed: number;
  readonly api: ModelApi['name'];
  readonly strategy: SessionStrategy;
  readonly turns: number;
  readonly prompts: PromptReport;
  /** Turns that threw, with the code. */
  readonly errors: readonly string[];
  readonly overflowsRecovered: number;
  readonly compactions: number;
  readonly rungs: Readonly<Partial<Record<Rung, number>>>;
  /** Tool results that were pruned in prompts. */
  readonly prunes: number;
  /** Agent and summarisers together. */
  readonly bill: ModelBill;
  /** What a window without a limit would have cost. */
  readonly whole: ModelBill;
  /** What an oracle found wrong in the journal. */
  readonly journalFaults: readonly string[];
  /** Whether the session went on in another process. */
  readonly reopened: boolean;
}

/** The plugins that the product is recommended with. */
export function usualPlugins(models: readonly ModelPort[]): readonly Plugin[] {
  return [ttlPruning(), summaryCompaction({ models: models.map((port) => ({ port, contextTokens: 25_000 })) })];
}

const wishes: Readonly<Record<SessionStrategy, Pick<StageOptions, 'plugins' | 'budget'>>> = {
  summary: { plugins: usualPlugins },
  untold: { plugins: usualPlugins, budget: {} },
  sliding: { plugins: () => [slidingWindow({})] },
};

/** Turns at the end that are played after the session was opened again. */
const turnsAfterReopening = 2;

/** Plays a whole session, opens it again shortly before its end, and measures what it came to. */
export async function runSession(
  plan: SessionPlan,
  { api, strategy }: { readonly api: ModelApi; readonly strategy: SessionStrategy },
): Promise<SessionResult> {
  await using stage = await openStage({ plan, api, ...wishes[strategy] });
  let overflowsRecovered = 0;
  let reopened = false;
  for (let turn = 0; turn < plan.turns.length; turn += 1) {
    if (turn === plan.turns.length - turnsAfterReopening) {
      await stage.reopen();
      reopened = true;
    }
    const record = await stage.play(turn);
    overflowsRecovered += record?.overflowsRecovered ?? 0;
    if (record?.status !== 'answered') reopened = reopened && turn < plan.turns.length - turnsAfterReopening;
  }
  const measured = await measure(stage);
  const head = { seed: plan.seed, api: api.name, strategy, turns: plan.turns.length };
  return { ...head, overflowsRecovered, reopened, ...measured };
}

/** What can be read off a stage when a session has been played. */
export async function measure(
  stage: SessionStage,
): Promise<Omit<SessionResult, 'seed' | 'api' | 'strategy' | 'turns' | 'overflowsRecovered' | 'reopened'>> {
  const entries = await stage.entries();
  const { users, answers } = stage.acknowledged;
  const said = { system: stage.options.plan.system, users, answers, results: stage.agent.executed };
  const rungs = countRungs(entries);
  return {
    prompts: stage.watch.report(),
    errors: stage.errors,
    compactions: Object.values(rungs).reduce((sum, count) => sum + count, 0),
    rungs,
    prunes: entries.reduce((sum, entry) => sum + (entry.type === 'edit' ? entry.edits.length : 0), 0),
    bill: stage.bill.total(),
    whole: stage.whole.total(),
    journalFaults: judgeJournal(stage.root, said),
  };
}
