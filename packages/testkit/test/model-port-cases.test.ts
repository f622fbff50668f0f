import { modelPortCases } from '@varve/testkit';
import { describeModelPort } from '@varve/testkit/vitest';
import { describe, it } from 'vitest';
import { expectMatrix } from './expect-matrix.ts';
import { portSubject } from './mutants/careful-port.ts';
import { modelPortMutants } from './mutants/model-port-mutants.ts';

describeModelPort('a port without a client', () => portSubject());

describe('the cases of model ports', () => {
  it('each fail for a port that is broken in their way, and for few others', async () => {
    await expectMatrix('model ports', modelPortCases, modelPortMutants);
  });
});
