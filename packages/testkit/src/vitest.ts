import type { PluginFactory } from '@varve/core';
import { describe, expect, it } from 'vitest';
import type { Case, Closable } from './case.ts';
import { engineCases } from './engines/engine-cases.ts';
import type { EngineSubject } from './engines/engine-subject.ts';
import { pluginCases } from './plugins/plugin-cases.ts';
import { type PluginTrialOptions, pluginSubject } from './plugins/plugin-subject.ts';
import { type RunOptions, settleCase, unknownExpectations } from './settle-case.ts';
import { storeCases } from './stores/store-cases.ts';
import type { StoreSubject } from './stores/store-subject.ts';

export type { RunOptions } from './settle-case.ts';

/** How {@link describeCases} declares a suite. */
export interface DescribeOptions extends RunOptions {
  /** Title of the suite. */
  readonly name: string;
}

/** Declares a suite with one test a case. A skipped case says why; one that is expected to fail must fail. */
export function describeCases<Subject extends Closable>(
  cases: readonly Case<Subject>[],
  open: () => Subject | Promise<Subject>,
  { name, expectFail = {} }: DescribeOptions,
): void {
  describe(name, () => {
    for (const one of cases) {
      it(one.name, async ({ skip }) => {
        const result = await settleCase(one, open, { expectFail });
        if (result.status === 'skipped') skip(result.reason ?? undefined);
        if (result.status === 'unexpected-pass') throw new Error(result.reason ?? '');
        if (result.status === 'failed') throw new Error(`${result.reason}\n${result.why}`, { cause: result.error });
      });
    }
    it('has a case for every failure that is expected', () => {
      expect(unknownExpectations(cases, expectFail)).toEqual([]);
    });
  });
}

/** Declares a suite that holds a store against its contract. `open` makes a fresh, empty store each time. */
export function describeStore(
  name: string,
  open: () => StoreSubject | Promise<StoreSubject>,
  options: RunOptions = {},
): void {
  describeCases(storeCases, open, { ...options, name });
}

/** Declares a suite that holds a plugin against its contract. */
export function describePlugin<Input>(
  name: string,
  factory: PluginFactory<Input>,
  { expectFail, ...options }: RunOptions & PluginTrialOptions = {},
): void {
  describeCases(pluginCases, () => pluginSubject(factory, options), { name, expectFail });
}

/** Declares a suite that holds a context engine against its contract. */
export function describeEngine(name: string, subject: EngineSubject, options: RunOptions = {}): void {
  describeCases(engineCases, () => subject, { ...options, name });
}
