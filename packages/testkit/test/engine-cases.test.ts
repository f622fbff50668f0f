import { engineCases } from '@varve/testkit';
import { formatReport, runCases } from '@varve/testkit/node';
import { describeEngine } from '@varve/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { expectMatrix } from './expect-matrix.ts';
import { carefulEngine, engineSubject } from './mutants/careful-engine.ts';
import { engineMutants } from './mutants/engine-mutants.ts';

describeEngine('an engine that leaves out the oldest', engineSubject(carefulEngine));

describe('the cases of engines', () => {
  it('each fail for an engine that is broken in their way, and for few others', async () => {
    await expectMatrix('engines', engineCases, engineMutants);
  });

  it('find an engine that always throws', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('Made by a test.');
    };
    const subject = engineSubject(() => carefulEngine({ ingest: fail, assemble: fail, compact: fail, dispose: fail }));
    const report = await runCases(engineCases, () => subject);
    expect(report.ok).toBe(false);
    const failed = report.results.filter(({ status }) => status === 'failed').map(({ name }) => name);
    expect(failed).toEqual(
      expect.arrayContaining(engineCases.map(({ name }) => name).filter((name) => name.startsWith('copes'))),
    );
    expect(formatReport(report)).toContain('Made by a test.');
  });
});
