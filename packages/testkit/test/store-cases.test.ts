import { memoryStore } from '@varve/core';
import { storeCases } from '@varve/testkit';
import { describeStore } from '@varve/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { expectMatrix } from './expect-matrix.ts';
import { archivingStoreMutants } from './mutants/store-archiving-mutants.ts';
import { writingStoreMutants } from './mutants/store-mutants.ts';
import { readingStoreMutants } from './mutants/store-reading-mutants.ts';
import { recordStoreMutants } from './mutants/store-record-mutants.ts';
import { removingStoreMutants } from './mutants/store-removing-mutants.ts';
import { replacingStoreMutants } from './mutants/store-replacing-mutants.ts';

describeStore('a memory store', () => {
  const store = memoryStore();
  return { store, reopen: async () => store };
});

describe('a memory store that several hosts use', () => {
  const name = 'removes no session in which a host takes a turn';

  it(name, async () => {
    const found = storeCases.find((one) => one.name === name);
    const store = memoryStore({ multiProcess: 'full' });
    expect(found?.needs?.({ store })).toBe(true);
    await found?.run(async () => ({ store }));
  });
});

describe('the cases of stores', () => {
  it('each fail for a store that is broken in their way, and for few others', async () => {
    await expectMatrix('stores', storeCases, [
      ...writingStoreMutants,
      ...readingStoreMutants,
      ...replacingStoreMutants,
      ...archivingStoreMutants,
      ...removingStoreMutants,
      ...recordStoreMutants,
    ]);
  });
});
