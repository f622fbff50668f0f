import { type JsonValue, type Prompt, type ToolDefinition, VarveError } from '@varve/core';
import type { Stage } from '../stage.ts';

/** The tools that are sent along where a prompt has some. */
export const tools: readonly ToolDefinition[] = [
  {
    name: 'read',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
];

/** A prompt, or what its call threw with a reason. */
export type Answer = Prompt | { readonly code: string; readonly details: Readonly<Record<string, unknown>> };

/** Asks for a prompt. Errors that have a reason are answers; others are thrown. */
export async function tryAssemble(
  stage: Stage,
  options: { readonly dryRun: boolean; readonly tools?: boolean; readonly signal?: AbortSignal },
): Promise<Answer> {
  const { model, session } = stage;
  const { dryRun, signal } = options;
  try {
    return await session.assemble({
      model,
      dryRun,
      signal,
      ...(options.tools === true ? { tools: tools as unknown as readonly JsonValue[] } : {}),
    });
  } catch (error) {
    const isReason =
      VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE') ||
      (signal !== undefined && VarveError.is(error, 'VARVE_ABORTED'));
    if (!isReason || !VarveError.is(error)) throw error;
    return { code: error.code, details: error.details };
  }
}
