import { definePlugin, isRefusal, type PluginFactory } from '@varve/core';
import { z } from 'zod';

/**
 * What many agents do: when the window is full, the oldest messages go, and nothing stands in their place. The system
 * prompt and the words of the turn that goes on stay.
 */
export const slidingWindow: PluginFactory<Record<string, never>> = definePlugin<
  Record<string, never>,
  Record<string, never>
>({
  name: 'sliding-window',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}) as never,
  apply({ hooks }) {
    hooks.shouldCompact.tapPromise('compare', ({ tokens, budget }) => tokens > budget.hard || undefined);
    hooks.compact.tapPromise('slide', (request) => {
      const plan = request.defaultPlan({ maskAfterAssistants: null });
      const shares = { userLogTokens: 0, ledgerTokens: 0, proseTokens: 0 };
      return isRefusal(plan) ? plan : { ...plan, shares, by: { plugin: 'sliding-window', version: '1.0.0' } };
    });
  },
});
