import { memoryStore } from '@varve/core';
import { assertEqual, assertFails, assertThat, type Case, type Closable, storeCases } from '@varve/testkit';
import { formatReport, runCases } from '@varve/testkit/node';
import { describe, expect, it } from 'vitest';

interface Figure extends Closable {
  readonly value: number;
}

const why = 'Numbers are what it is about.';
const cases: readonly Case<Figure>[] = [
  { name: 'is positive', why, run: async (open) => assertThat((await open()).value > 0, 'it is not positive') },
  { name: 'is two', why, run: async (open) => assertEqual((await open()).value, 2, 'the number') },
  {
    name: 'has a root',
    why,
    needs: ({ value }) => value >= 0,
    unless: 'it is below zero',
    run: async (open) => assertThat(Number.isInteger(Math.sqrt((await open()).value)), 'it has none'),
  },
];

const statusesOf = async (value: number, expectFail = {}) =>
  (await runCases(cases, () => ({ value }), { expectFail })).results.map(({ status }) => status);

describe('runCases', () => {
  it('says of each case whether it passed, failed or was skipped', async () => {
    expect(await statusesOf(4)).toEqual(['passed', 'failed', 'passed']);
    expect(await statusesOf(-4)).toEqual(['failed', 'failed', 'skipped']);
  });

  it('takes a failure that is expected, and refuses a pass that is not', async () => {
    expect(await statusesOf(4, { 'is two': 'it is four' })).toEqual(['passed', 'expected-failure', 'passed']);
    expect(await statusesOf(4, { 'is positive': 'wrongly' })).toEqual(['unexpected-pass', 'failed', 'passed']);
  });

  it('fails for an expectation that no case has', async () => {
    expect(await statusesOf(4, { 'is two': 'it is four', 'is blue': 'no' })).toContain('failed');
  });

  it('closes what it opened, and tells of each case', async () => {
    const closed: number[] = [];
    const told: string[] = [];
    const open = () => ({ value: 2, close: () => void closed.push(2) });
    const report = await runCases(cases, open, { onResult: ({ name }) => told.push(name) });
    expect(closed).toHaveLength(4);
    expect(told).toEqual(cases.map(({ name }) => name));
    expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 0, ok: false });
  });

  it('gives up on a case that never ends', async () => {
    const endless: Case<Figure> = { name: 'ends', why, run: () => new Promise(() => undefined) };
    const { results } = await runCases([endless], () => ({ value: 1 }), { timeoutMs: 5 });
    expect(results[0]).toMatchObject({ status: 'failed', reason: 'It was not done after 5 ms.' });
  });

  it('skips what a store cannot do, with the reason', async () => {
    const report = await runCases(storeCases, () => ({ store: memoryStore() }));
    expect(report).toMatchObject({ failed: 0, ok: true });
    expect(report.skipped).toBeGreaterThan(5);
    expect(formatReport(report)).toContain('nobody said how to open the store again: give `reopen`');
  });

  it('reports failures with what went wrong and why it matters', async () => {
    const text = formatReport(await runCases(cases, () => ({ value: -4 }), { expectFail: { 'is two': 'it is not' } }));
    expect(text.split('\n')).toEqual([
      'failed: is positive',
      '    it is not positive',
      `    why it matters: ${why}`,
      'expected-failure: is two',
      '    it is not',
      'skipped: has a root',
      '    it is below zero',
      '0 passed, 1 failed, 1 skipped, 1 failed as expected',
    ]);
  });
});

describe('assertions', () => {
  it('name the first difference', () => {
    expect(() => assertEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, 'it')).toThrow(
      'it: expected 3, got 2 at /a/1/b.',
    );
    expect(() => assertEqual([1], [1, 2], 'it')).toThrow('it: expected 2, got 1 at /length.');
    expect(() => assertEqual(['a'], [], 'it')).toThrow('it: expected nothing, got ["a"].');
    expect(() => assertEqual('x', 'y', 'it')).toThrow('it: expected "y", got "x".');
    expect(() => assertEqual(null, {}, 'it')).toThrow('it: expected {}, got null.');
    expect(() => assertEqual({ a: undefined }, {}, 'it')).not.toThrow();
  });

  it('show long texts from where they differ', () => {
    const text = 'x'.repeat(500);
    expect(() => assertEqual(`${text}a`, `${text}b`, 'it')).toThrow(/expected "…x{40}b", got "…x{40}a"/);
  });

  it('tell another error from the one that was expected', async () => {
    const fail = (code: string) => () => Promise.reject(Object.assign(new Error('no'), { code }));
    await expect(assertFails(fail('A'), 'A', 'it')).resolves.toBeUndefined();
    await expect(assertFails(fail('B'), 'A', 'it')).rejects.toThrow('it: expected the error A, got B.');
    await expect(assertFails(() => 1, 'A', 'it')).rejects.toThrow('it: expected the error A, but it succeeded.');
  });
});
