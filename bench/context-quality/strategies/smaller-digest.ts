import { definePlugin, isRefusal, type Plugin } from '@varve/core';
import { z } from 'zod';

/** Part of a digest that is taken away. */
type DigestPart = 'ledger' | 'userlog';

/** A plugin that plans as `summary-compaction` does by default, with a digest that lacks a part. */
export function smallerDigest(part: DigestPart): Plugin {
  return definePlugin({
    name: `bench/without-${part}`,
    version: '0.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply({ hooks }) {
      hooks.compact.tapPromise(`plan without ${part}`, async (request) => {
        const plan = request.defaultPlan();
        if (isRefusal(plan)) return plan;
        const lacking = part === 'ledger' ? { ledgerTokens: 0 } : { userLogTokens: 0 };
        return { ...plan, shares: { ...plan.shares, ...lacking } };
      });
    },
  })({});
}
