import type { ModelApi } from './model-apis.ts';
import { measure, type SessionResult, usualPlugins } from './run-session.ts';
import { modelOf } from './scripted-agent.ts';
import type { SessionPlan } from './session-plan.ts';
import { openStage } from './session-stage.ts';
import type { SummariserFault } from './summariser-faults.ts';

/** What became of a session whose summariser failed at every call. JSON. */
export interface FaultResult
  extends Pick<SessionResult, 'prompts' | 'errors' | 'compactions' | 'rungs' | 'journalFaults'> {
  readonly fault: string;
  readonly seed: number;
  readonly api: ModelApi['name'];
  /** Whether there was a second model that did its work. */
  readonly hasSecond: boolean;
  readonly turns: number;
  readonly answered: number;
  /** Requests to the summariser that has the fault. */
  readonly asked: number;
  /** Orders of a summariser that stand in a prompt otherwise than as quoted data. */
  readonly injections: number;
}

/** Begins of lines that a summariser must not be able to write. */
const forged = /^(?:## System|# Conversation|<\/summary>|\[user\]: Yes|<\|im_start\|>)/m;

/** Plays a session with a summariser that has a fault, and a second one that is well or has it too. */
export async function runFault(
  plan: SessionPlan,
  { fault, api, hasSecond }: { readonly fault: SummariserFault; readonly api: ModelApi; readonly hasSecond: boolean },
): Promise<FaultResult> {
  const second = hasSecond ? {} : { second: fault.script };
  await using stage = await openStage({ plan, api, plugins: usualPlugins, summary: fault.script, ...second });
  let answered = 0;
  for (let turn = 0; turn < plan.turns.length; turn += 1) {
    const record = await stage.play(turn);
    if (record?.status === 'answered') answered += 1;
  }
  const injections = stage.server.requests.filter(
    ({ body, conversation }) =>
      modelOf({ body }) === 'agent' &&
      conversation.messages.some(({ role, text }) => role === 'user' && forged.test(text)),
  ).length;
  const asked = stage.server.requests.filter((request) => modelOf(request) === 'summary').length;
  const { prompts, errors, compactions, rungs, journalFaults } = await measure(stage);
  const head = { fault: fault.name, seed: plan.seed, api: api.name, hasSecond, turns: plan.turns.length };
  return { ...head, answered, asked, injections, prompts, errors, compactions, rungs, journalFaults };
}
