import { adapterCases } from '@varve/testkit';
import { describe, it } from 'vitest';
import { expectMatrix } from './expect-matrix.ts';
import { adapterMutants } from './mutants/adapter-mutants.ts';

describe('the cases of adapters', () => {
  it('each fail for an adapter that is broken in their way, and for few others', async () => {
    await expectMatrix('adapters', adapterCases, adapterMutants);
  });
});
