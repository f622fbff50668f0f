import { type CompactOutcome, type ModelRef, type Prompt, type Session, VarveError } from '@varve/core';

/** A request as the session made it, or why it could not, with the compactions that were tried for it. */
export interface MadeRequest {
  readonly result: Prompt | VarveError;
  readonly outcomes: readonly CompactOutcome[];
}

/**
 * Makes the prompt of the next model call as an agent's loop would: compacts when that is due, assembles, and when the
 * prompt does not fit compacts at once and assembles again. A prompt that cannot be made is a result, not an error.
 */
export async function makeRequest(
  session: Session,
  options: { readonly model: ModelRef; readonly signal: AbortSignal | undefined },
): Promise<MadeRequest> {
  const outcomes: CompactOutcome[] = [];
  const attempt = async (trigger: 'threshold' | 'overflow'): Promise<Prompt | VarveError> => {
    try {
      outcomes.push(await session.compact(trigger, options));
      return await session.assemble(options);
    } catch (error) {
      if (VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return error;
      throw error;
    }
  };
  const first = await attempt('threshold');
  if (!VarveError.is(first)) return { result: first, outcomes };
  return { result: await attempt('overflow'), outcomes };
}
