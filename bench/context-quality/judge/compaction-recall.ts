import { identifiersOf } from './identifiers.ts';

/** Steps after a cut that are looked at. */
const stepsAfter = 40;

/** A place at which a conversation was, or could be, compacted. */
export interface Cut {
  /** Number of messages before the compaction. */
  readonly at: number;
  /** Messages from here on stayed visible beside the summary. @default at */
  readonly keptFrom: number;
  /** Messages from here on do not count: another compaction, or the end. */
  readonly end: number;
}

/**
 * M4. Identifiers that the assistant uses in its next 40 steps, at their first use, that occurred before the cut and
 * were not seen again after it.
 */
export function needsAfterCut(
  messages: readonly { readonly role: string; readonly body: string }[],
  { at, keptFrom, end }: Cut,
): readonly string[] {
  const before = new Set(messages.slice(0, keptFrom).flatMap(({ body }) => [...identifiersOf(body)]));
  const seen = new Set(messages.slice(keptFrom, at).flatMap(({ body }) => [...identifiersOf(body)]));
  const needs: string[] = [];
  let steps = 0;
  for (const { role, body } of messages.slice(at, end)) {
    if (steps >= stepsAfter) break;
    const identifiers = identifiersOf(body);
    if (role === 'assistant') {
      steps += 1;
      needs.push(...[...identifiers].filter((one) => before.has(one) && !seen.has(one)));
    }
    for (const identifier of identifiers) seen.add(identifier);
  }
  return needs;
}

/** How many of the needs a text holds. */
export function survivors(needs: readonly string[], text: string): number {
  return needs.filter((identifier) => text.includes(identifier)).length;
}
