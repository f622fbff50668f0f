import { type HookContext, untilAborted, VarveError } from '@varve/core';
import { type CheckedReply, checkReply, type ReplyLimits } from './check-reply.ts';
import type { SettledModel } from './summary-model.ts';
import { type PromptFacts, summaryPrompt } from './summary-prompt.ts';

/** Of the bound, a second attempt is asked to keep to this much. */
const firmerShare = 0.6;

/**
 * Asks a model for one text: twice at most, the second time with the reason why the first reply was not taken and a
 * firmer bound. Calls one after the other: a local server may have room for one.
 *
 * @throws VARVE_MODEL_FAILED  when neither reply will do; VARVE_ABORTED; else what the model threw.
 */
export async function askModel(
  facts: PromptFacts,
  options: {
    readonly model: SettledModel;
    readonly limits: ReplyLimits;
    readonly signal: HookContext['signal'];
  },
): Promise<string> {
  const { model, limits, signal } = options;
  const attempt = async (asked: PromptFacts, refusal: string | null): Promise<CheckedReply> => {
    const prompt = summaryPrompt(asked, refusal);
    return checkReply(await untilAborted(Promise.resolve(model.port.generate({ prompt }, { signal })), signal), limits);
  };
  const first = await attempt(facts, null);
  if ('text' in first) return first.text;
  const firmer = { ...facts, maxTokens: Math.floor(facts.maxTokens * firmerShare) };
  const second = await attempt(firmer, first.refused);
  if ('text' in second) return second.text;
  throw new VarveError('VARVE_MODEL_FAILED', `The answer of ${model.name} was not taken: ${second.refused}.`, {
    fix: 'Use a model that keeps to its instructions; until then the digest stands alone.',
    details: { kind: 'other', retryable: false, model: model.name, refused: [first.refused, second.refused] },
  });
}
