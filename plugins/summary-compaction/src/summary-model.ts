import { type ModelPort, nameOfModel, type Tokens } from '@varve/core';
import { z } from 'zod';

/** A model that writes prose, and how much it can read at once. */
export interface SummaryModel {
  readonly port: ModelPort;
  /** The model's context window. At most four fifths of it are used in one call. @default 200 000 */
  readonly contextTokens?: Tokens | undefined;
}

/** A model with its defaults. */
export interface SettledModel {
  readonly port: ModelPort;
  readonly contextTokens: Tokens;
  /** `provider/model`, as taps and compactions name it. */
  readonly name: string;
}

/** Window of a model that nobody described: what core takes a conversation's own model to have. */
const defaultContextTokens = 200_000;

/** Below this a model could not read the question itself. */
const leastContextTokens = 4_000;

function isPort(value: unknown): value is ModelPort {
  if (typeof value !== 'object' || value === null) return false;
  const { ref, generate } = value as Partial<ModelPort>;
  return typeof generate === 'function' && typeof ref?.provider === 'string' && typeof ref.model === 'string';
}

/** The model that was given, with its defaults; `null` when it is none. */
function settle(given: unknown): SettledModel | null {
  const { port, contextTokens = defaultContextTokens } = isPort(given)
    ? { port: given }
    : (described.safeParse(given).data ?? { port: null });
  if (!isPort(port)) return null;
  return { port, contextTokens, name: nameOfModel(port.ref) };
}

const described = z.strictObject({ port: z.unknown(), contextTokens: z.int().min(leastContextTokens).optional() });

const wrongModel = `Must be a model port, or { port, contextTokens } with at least ${leastContextTokens} tokens`;

/** Schema of one model: a port, which may be an instance of a class, or a port with its window. */
export const summaryModelSchema: z.ZodType<SettledModel, ModelPort | SummaryModel> = z
  // Not an object schema: those make copies, and a copy of an instance has no methods.
  .unknown()
  .meta({ type: 'object' })
  .transform((given, context): SettledModel => {
    const settled = settle(given);
    if (settled !== null) return settled;
    context.issues.push({ code: 'custom', message: wrongModel, input: given });
    return z.NEVER;
  }) as unknown as z.ZodType<SettledModel, ModelPort | SummaryModel>;
