import { casePage, engineCases, pluginCases, scoreCard, storeCases } from '@varve/testkit';
import { describe, expect, it } from 'vitest';

const why = 'It matters.';

describe('a score card', () => {
  it('counts every result once, and is good only where all is run and nothing fails', () => {
    const statuses = ['passed', 'failed', 'unexpected-pass', 'skipped', 'expected-failure', 'not-run'] as const;
    const results = statuses.map((status) => ({ name: `is ${status}`, why, status, reason: null }));
    const card = scoreCard(results, { kind: 'plugin', subject: 'acme/x' });
    expect(card).toMatchObject({ passed: 1, failed: 2, skipped: 1, accepted: 1, notRun: 1, ok: false });
    expect(card.cases.map(({ name }) => name)).toEqual(results.map(({ name }) => name));
    for (const [bad, ok] of [
      ['passed', true],
      ['skipped', true],
      ['expected-failure', true],
      ['failed', false],
      ['unexpected-pass', false],
      ['not-run', false],
    ] as const) {
      const one = { name: 'is one', why, status: bad, reason: null };
      expect(scoreCard([one], { kind: 'store', subject: 'x' }).ok).toBe(ok);
    }
  });

  it('leads from every case to a section of its own', () => {
    const pages = [
      ...pluginCases.map(({ name }) => casePage('plugin', name)),
      ...engineCases.map(({ name }) => casePage('engine', name)),
      ...storeCases.map(({ name }) => casePage('store', name)),
    ];
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages[0]).toBe('reference/cases/plugins#says-its-name-its-version-and-the-plugin-api-it-is-for');
  });
});
