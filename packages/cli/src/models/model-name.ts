import type { ModelRef } from '@varve/core';
import { resolveModel, type VarveConfig } from '@varve/sessions/config';
import { usage } from '../terminal/parse-options.ts';

/**
 * Reads `offline`, a short name of the configuration, `anthropic:claude-…`, `openai:gpt-…`; a slash is as good.
 *
 * @throws VARVE_USAGE
 */
export function parseModelName(text: string, config: Pick<VarveConfig, 'models'> = {}): ModelRef {
  const ref = resolveModel(config, text);
  if (ref !== null) return ref;
  throw usage(
    `"${text}" is no model.`,
    'Give offline, or a provider and its model, such as anthropic:claude-sonnet-5-5.',
  );
}
