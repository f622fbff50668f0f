import { memoryStore } from '@varve/core';
import { beginJournal as begin, messageEntry as message } from '@varve/testkit';
import { describeStore } from '@varve/testkit/vitest';
import { describe, expect, it } from 'vitest';

describeStore('memoryStore', () => {
  const store = memoryStore();
  return { store, reopen: async () => store };
});

describe('memoryStore', () => {
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
