import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import { firstIssue } from '../../first-issue.ts';
import { type ModelRef, nameOfModel } from '../../model-ref.ts';
import type { ModelFacts, ModelRegistry } from '../../model-registry.ts';

const size = z.number().positive();
const cost = z.number().nonnegative();

/** What core itself works with; all else is for plugins and hosts. */
const schema = z.looseObject({
  contextTokens: size,
  maxInputTokens: size.optional(),
  requestBytes: size.optional(),
  imageTokens: z
    .discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('area'), pixelsPerToken: size, longEdge: size, mostTokens: cost }),
      z.looseObject({ kind: z.literal('tiles'), baseTokens: cost, tileTokens: cost }),
      z.looseObject({ kind: z.literal('patches'), tokensPerPatch: cost, mostPatches: size.optional() }),
      z.looseObject({ kind: z.literal('crops'), tileTokens: cost }),
      z.looseObject({ kind: z.literal('fixed'), tokens: cost }),
    ])
    .optional(),
});

/** Facts that were found to be some: a registry gives the same ones each time. */
const sound = new WeakSet<ModelFacts>();

/**
 * What a host's registry says of a model. One that says nothing, or `null`, does not know it. Facts that make no sense
 * are refused: in a window that nobody knows, no prompt can be fitted.
 *
 * @throws VARVE_BUDGET_INVALID  with the path of what is wrong; also when the registry throws, which it must not.
 */
export function describeModel(models: ModelRegistry | null, model: ModelRef): ModelFacts | undefined {
  const facts = factsFrom(models, model);
  if (facts === undefined || facts === null || sound.has(facts)) return facts ?? undefined;
  const result = schema.safeParse(facts);
  if (!result.success) {
    const { path, why } = firstIssue(result.error);
    throw invalid(model, { path, why: `at ${path}: ${why}` });
  }
  if (Object.isFrozen(facts)) sound.add(facts);
  return facts;
}

function factsFrom(models: ModelRegistry | null, model: ModelRef): ModelFacts | null | undefined {
  try {
    return models?.describe(model);
  } catch (cause) {
    throw invalid(model, { path: 'models', why: 'it threw an error', cause });
  }
}

function invalid(
  model: ModelRef,
  { path, why, cause }: { readonly path: string; readonly why: string; readonly cause?: unknown },
): VarveError {
  const text = `What the registry of models says of ${nameOfModel(model)} cannot be used: ${why}.`;
  return new VarveError('VARVE_BUDGET_INVALID', text, {
    fix: 'Let describe give facts as the type ModelFacts describes them, or undefined for a model that is not known.',
    cause,
    details: { path },
  });
}
