import {
  chai,
  customMatchers,
  type ExpectStatic,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { format } from '@vitest/pretty-format';
import { fn, spyOn } from '@vitest/spy';

// Stands in for `vitest` where there is no Node: the runner and the assertions that vitest itself is made of. A test
// that uses more of vitest than this cannot be bundled, and the bundler names it.
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from '@vitest/runner';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

/** Vitest's `expect`; of snapshots it knows those that stand in the test. */
export const expect: ExpectStatic = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
) as unknown as ExpectStatic;

/** Types are checked by the compiler; here every assertion about one holds. */
export const expectTypeOf: (value?: unknown) => unknown = () => holds;
const holds: object = new Proxy(() => undefined, { get: () => holds, apply: () => holds });

/** What the tests take of `vi`. One that replaces modules is not bundled. */
export const vi: { readonly fn: typeof fn; readonly spyOn: typeof spyOn } = { fn, spyOn };

Object.assign(globalThis, { [GLOBAL_EXPECT]: expect });
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
const matchers = {
  ...customMatchers,
  toMatchInlineSnapshot: (value: unknown, snapshot: string) => {
    const received = format(value, { escapeString: false, printBasicPrototype: false });
    const expected = withoutIndent(snapshot);
    return { pass: received === expected, message: () => `expected ${expected}\nreceived ${received}` };
  },
};
(chai.expect as unknown as { extend(own: ExpectStatic, matchers: unknown): void }).extend(expect, matchers);

/** A snapshot of several lines stands between empty ones, and as far to the right as its test. */
function withoutIndent(snapshot: string): string {
  const lines = snapshot.split('\n');
  if (lines.length < 3) return snapshot.trim();
  const indent = /^ */.exec(lines[1] ?? '')?.[0] ?? '';
  const inner = lines.slice(1, -1);
  return inner.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n');
}
