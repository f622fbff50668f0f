import { describe, it } from 'vitest';
import { type CaseSuites, caseSuites } from './runners/declare-cases.ts';

export type { CaseSuites, DescribeOptions } from './runners/declare-cases.ts';
export type { RunOptions } from './settle-case.ts';

const suites = caseSuites({
  suite: (name, body) => void describe(name, body),
  test: (name, body) => void it(name, ({ skip }) => body(skip)),
});

/** Declares a suite of vitest with one test a case. A skipped case says why; one that is expected to fail must fail. */
export const describeCases: CaseSuites['describeCases'] = suites.describeCases;

/** Declares a suite of vitest that holds a store against its contract. `open` makes a fresh, empty store each time. */
export const describeStore: CaseSuites['describeStore'] = suites.describeStore;

/** Declares a suite of vitest that holds a plugin against its contract. */
export const describePlugin: CaseSuites['describePlugin'] = suites.describePlugin;

/** Declares a suite of vitest that holds a context engine against its contract. */
export const describeEngine: CaseSuites['describeEngine'] = suites.describeEngine;

/** Declares a suite of vitest that holds an adapter against its contract. */
export const describeAdapter: CaseSuites['describeAdapter'] = suites.describeAdapter;

/** Declares a suite of vitest that holds a model port against its contract. `open` makes a provider each time. */
export const describeModelPort: CaseSuites['describeModelPort'] = suites.describeModelPort;
