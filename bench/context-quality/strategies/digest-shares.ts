import { definePlugin, isRefusal, type Plugin } from '@varve/core';
import { z } from 'zod';

/** What a compaction leaves, in shares of its room above the fixed part. */
export interface DigestShares {
  readonly userLog: number;
  readonly ledger: number;
  /** The newest messages take this much at most, and no more than the others leave. */
  readonly recent: number;
}

/** What `summary-compaction` has by default. */
export const usualDigest: DigestShares = { userLog: 0.15, ledger: 0.25, recent: 0.6 };

/** A plugin that plans as `summary-compaction` does by default, with parts of other sizes. */
export function digestShares({ userLog, ledger, recent }: DigestShares): Plugin {
  return definePlugin({
    name: 'bench/digest-shares',
    version: '0.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply({ hooks }) {
      hooks.compact.tapPromise('plan with other shares', async (request) => {
        const largest = request.defaultPlan({ ledgerShare: 1 });
        if (isRefusal(largest)) return largest;
        const room = largest.shares.ledgerTokens;
        const keepTokens = Math.floor(room * Math.min(recent, 1 - userLog - ledger));
        const plan = request.defaultPlan({ ledgerShare: ledger, keepTokens });
        if (isRefusal(plan)) return plan;
        const shares = { userLogTokens: Math.floor(room * userLog), ledgerTokens: Math.floor(room * ledger) };
        return { ...plan, shares: { ...plan.shares, ...shares } };
      });
    },
  })({});
}
