import { definePlugin, isRefusal } from '@varve/core';
import { z } from 'zod';

const name = 'turns/last-turns';
const version = '0.3.0';

export const lastTurns = definePlugin({
  name,
  version,
  apiVersion: '^1.0.0',
  options: z.strictObject({ turns: z.int().min(1).default(6) }),
  apply: ({ hooks }, { turns }) => {
    hooks.shouldCompact.tapPromise('when twice as many turns are there', ({ draft, level }) => {
      if (level !== 'ok') return true;
      return turnStarts(draft).length > 2 * turns ? true : undefined;
    });
    hooks.compact.tapPromise('keep the last turns', (request) => {
      const groups = request.draft.groups();
      const starts = turnStarts(request.draft);
      const first = starts.at(-turns);
      const kept = first === undefined ? groups : groups.slice(first);
      // Core has the last word: where that many turns do not fit, it keeps fewer.
      const keepTokens = Math.max(
        1,
        kept.reduce((sum, { tokens }) => sum + tokens, 0),
      );
      const plan = request.defaultPlan({ keepTokens });
      return isRefusal(plan) ? plan : { ...plan, by: { plugin: name, version } };
    });
  },
});

/** Where a message of the user begins a turn, as indexes of groups. */
function turnStarts(draft) {
  return draft.groups().flatMap(({ items }, index) => (items[0]?.message?.role === 'user' ? [index] : []));
}
