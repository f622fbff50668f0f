import type { ModelRef } from '@varve/core';
import { usage } from '../terminal/parse-options.ts';
import { refOfChoice } from './chat-models.ts';
import { offlineRef } from './offline-model.ts';

/**
 * Reads `offline`, a short name of the configuration, `anthropic:claude-…`, `openai:gpt-…`; a slash is as good.
 *
 * @throws VARVE_USAGE
 */
export function parseModelName(text: string, names: Readonly<Record<string, string>> = {}): ModelRef {
  const name = text.trim();
  if (name.toLowerCase() === offlineRef.provider) return offlineRef;
  const ref = refOfChoice(Object.hasOwn(names, name) ? (names[name] ?? name) : name);
  if (ref !== null) return ref;
  throw usage(
    `"${text}" is no model.`,
    'Give offline, or a provider and its model, such as anthropic:claude-sonnet-5-5.',
  );
}
