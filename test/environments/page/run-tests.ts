import { testFiles } from 'virtual:core-tests';
import { type File, startTests, type Task, type VitestRunner } from '@vitest/runner';
import fc from 'fast-check';
import type { PageReport, PageTest } from '../page-report.ts';

const config: VitestRunner['config'] = {
  root: '/',
  setupFiles: [],
  name: undefined,
  passWithNoTests: false,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
  chaiConfig: undefined,
  maxConcurrency: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
};

// Tests may wait for the end of a turn of the loop as Node has it; the product is held not to, by the names in its code.
Object.assign(globalThis, {
  setImmediate: (run: () => void) => setTimeout(run, 0),
  clearImmediate: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
});

/** Runs the tests that are in the bundle, file after file. */
async function runCoreTests({ seed }: { readonly seed: number }): Promise<PageReport> {
  fc.configureGlobal({ seed });
  const tests: PageTest[] = [];
  for (const [path, load] of Object.entries(testFiles)) {
    const runner: VitestRunner = { config, importFile: async () => load() };
    const files = await startTests([path], runner);
    for (const file of files) tests.push(...loadError(file), ...file.tasks.flatMap((task) => testsIn(task, path)));
  }
  return { tests };
}

/** A file that does not load is one failed test. */
function loadError(file: File): PageTest[] {
  const error = file.result?.errors?.[0];
  return error === undefined
    ? []
    : [{ file: file.filepath, name: 'loads', state: 'fail', why: error.stack ?? error.message }];
}

function testsIn(task: Task, file: string): PageTest[] {
  if (task.type === 'suite') return task.tasks.flatMap((child) => testsIn(child, file));
  const error = task.result?.errors?.[0];
  const why = error?.stack ?? error?.message ?? reasonToSkip(task);
  const state = task.result?.state;
  return [{ file, name: task.fullTestName, state: state === 'pass' || state === 'fail' ? state : 'skip', why }];
}

/** Vitest keeps what `context.skip` was told beside the result, in a field that its types do not name. */
function reasonToSkip({ result }: Task): string | null {
  return (result as { readonly note?: string } | undefined)?.note ?? null;
}

Object.assign(globalThis, { runCoreTests });
