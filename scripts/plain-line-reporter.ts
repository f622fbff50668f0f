import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/**
 * Prints why each skipped test was skipped, and the closing line "N passed, N failed, N skipped".
 *
 * A file that does not load, a suite whose hook throws and an error outside any test each count as one failure.
 * A skip needs a reason, given by `context.skip('reason')`; one without makes the run fail.
 */
export default class PlainLineReporter implements Reporter {
  #filtered = false;

  onInit(vitest: Vitest): void {
    // Tests that a name filter leaves out are reported as skipped: nobody owes a reason for those.
    this.#filtered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites = modules.flatMap((module) => [...module.children.allSuites()]);
    const inState = (...states: string[]) => tests.filter((test) => states.includes(test.result().state));
    const skipped = inState('skipped');
    const failed = inState('failed', 'pending').length + withErrors(modules) + withErrors(suites) + unhandled.length;
    const unexplained = this.#filtered ? 0 : skipped.filter((test) => !explain(test)).length;
    if (unexplained > 0) console.log(`${unexplained} skipped without a reason: say it with context.skip('reason')`);
    if (failed > 0 || unexplained > 0) process.exitCode = 1;
    console.log(`${inState('passed').length} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}

/** Prints a skipped test with its reason; returns whether it has one. */
function explain(test: TestCase): boolean {
  const result = test.result();
  const parent = test.parent.errors().length > 0 ? 'the set-up of its suite failed' : undefined;
  const reason = (result.state === 'skipped' ? result.note : undefined) ?? parent;
  console.log(`skipped: ${test.project.name} > ${test.fullName}: ${reason ?? 'no reason given'}`);
  return reason !== undefined;
}

/** How many modules or suites broke by themselves, apart from their tests. */
function withErrors(tasks: readonly (TestModule | TestSuite)[]): number {
  return tasks.filter((task) => task.errors().length > 0).length;
}
