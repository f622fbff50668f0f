import { memoryStore } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { begin, conformanceCases, message } from './store-conformance.ts';

describe('memoryStore', () => {
  it.each(conformanceCases)('%s', async (_title, prove) => {
    const store = memoryStore();
    await prove({ store, reopen: async () => store });
  });

  it('says that other processes see nothing of it', () => {
    expect(memoryStore().supports).toEqual({ multiProcess: 'no' });
  });

  it('loses what JSON does not keep, as a file would', async () => {
    const journal = await begin(memoryStore());
    const entry = { ...message(1), key: undefined, usage: Number.NaN } as never;
    await journal.append([entry], { expectedSeq: 0 });
    expect(Object.entries((await journal.get([1]))[0] ?? {})).toEqual(Object.entries({ ...message(1), usage: null }));
  });
});
