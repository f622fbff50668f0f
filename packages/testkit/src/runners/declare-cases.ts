import type { PluginFactory } from '@varve/core';
import { adapterCases } from '../adapters/adapter-cases.ts';
import type { AdapterSubject } from '../adapters/adapter-subject.ts';
import type { Case, Closable } from '../case.ts';
import { engineCases } from '../engines/engine-cases.ts';
import type { EngineSubject } from '../engines/engine-subject.ts';
import { modelPortCases } from '../models/model-port-cases.ts';
import type { ModelPortSubject } from '../models/model-port-subject.ts';
import { pluginCases } from '../plugins/plugin-cases.ts';
import { type PluginTrialOptions, pluginSubject } from '../plugins/plugin-subject.ts';
import { type RunOptions, settleCase, unknownExpectations } from '../settle-case.ts';
import { storeCases } from '../stores/store-cases.ts';
import type { StoreSubject } from '../stores/store-subject.ts';

/** What is needed of a test runner. */
export interface TestRunner {
  /** Declares a suite; `body` declares what is in it, at once. */
  suite(name: string, body: () => void): void;
  /** Declares a test. `body` calls `skip` with the reason, and rejects when the test has failed. */
  test(name: string, body: (skip: (reason: string) => void) => Promise<void>): void;
}

/** How a suite is declared. */
export interface DescribeOptions extends RunOptions {
  /** Title of the suite. */
  readonly name: string;
}

/** The functions that declare suites; each test runner has a module of them. */
export interface CaseSuites {
  /** Declares a suite with one test a case. A skipped case says why; one that is expected to fail must fail. */
  describeCases<Subject extends Closable>(
    cases: readonly Case<Subject>[],
    open: () => Subject | Promise<Subject>,
    options: DescribeOptions,
  ): void;
  /** Declares a suite that holds a store against its contract. `open` makes a fresh, empty store each time. */
  describeStore(name: string, open: () => StoreSubject | Promise<StoreSubject>, options?: RunOptions): void;
  /** Declares a suite that holds a plugin against its contract. */
  describePlugin<Input>(name: string, factory: PluginFactory<Input>, options?: RunOptions & PluginTrialOptions): void;
  /** Declares a suite that holds a context engine against its contract. */
  describeEngine(name: string, subject: EngineSubject, options?: RunOptions): void;
  /** Declares a suite that holds an adapter against its contract. */
  describeAdapter(name: string, subject: AdapterSubject, options?: RunOptions): void;
  /** Declares a suite that holds a model port against its contract. `open` makes a provider of its own each time. */
  describeModelPort(name: string, open: () => ModelPortSubject | Promise<ModelPortSubject>, options?: RunOptions): void;
}

/** Makes the functions for a test runner. */
export function caseSuites(runner: TestRunner): CaseSuites {
  const describeCases: CaseSuites['describeCases'] = (cases, open, { name, expectFail = {} }) => {
    runner.suite(name, () => {
      for (const one of cases) {
        runner.test(one.name, async (skip) => {
          const { status, reason, why, error } = await settleCase(one, open, { expectFail });
          if (status === 'skipped') skip(reason ?? '');
          if (status === 'unexpected-pass') throw new Error(reason ?? '');
          if (status === 'failed') throw new Error(`${reason}\n${why}`, { cause: error });
        });
      }
      runner.test('has a case for every failure that is expected', async () => {
        const unknown = unknownExpectations(cases, expectFail);
        if (unknown.length === 0) return;
        throw new Error(`There is no case of that name; take it out of expectFail: ${unknown.join('; ')}.`);
      });
    });
  };
  return {
    describeCases,
    describeStore: (name, open, options = {}) => describeCases(storeCases, open, { ...options, name }),
    describePlugin: (name, factory, { expectFail, ...options } = {}) =>
      describeCases(pluginCases, () => pluginSubject(factory, options), { name, expectFail }),
    describeEngine: (name, subject, options = {}) => describeCases(engineCases, () => subject, { ...options, name }),
    describeAdapter: (name, subject, options = {}) => describeCases(adapterCases, () => subject, { ...options, name }),
    describeModelPort: (name, open, options = {}) => describeCases(modelPortCases, open, { ...options, name }),
  };
}
