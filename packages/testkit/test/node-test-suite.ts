// Not a test by itself: node-test.test.ts runs it with the runner of Node.
import { assertEqual, assertThat, type Case, type Closable } from '@varve/testkit';
import { describeCases } from '@varve/testkit/node-test';

interface Figure extends Closable {
  readonly value: number;
}

const why = 'Numbers are what it is about.';
const equals = (name: string, expected: number): Case<Figure> => ({
  name,
  why,
  run: async (open) => assertEqual((await open()).value, expected, 'the number'),
});

const cases: readonly Case<Figure>[] = [
  { name: 'is positive', why, run: async (open) => assertThat((await open()).value > 0, 'it is not positive') },
  { ...equals('is even', 2), needs: () => false, unless: 'nobody said whether it is' },
  equals('is ten', 10),
  equals('is two', 2),
  equals('is four', 4),
];

describeCases(cases, () => ({ value: 4 }), {
  name: 'four',
  expectFail: { 'is ten': 'it is four', 'is four': 'wrongly', 'is blue': 'numbers have no colour' },
});
