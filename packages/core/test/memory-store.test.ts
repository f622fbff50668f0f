import { memoryStore } from '@varve/core';
import { beginJournal as begin, messageEntry as message } from '@varve/testkit';
import { describeStore } from '@varve/testkit/vitest';
import { describe, expect, it, vi } from 'vitest';

describeStore('memoryStore', () => {
  const store = memoryStore();
  return { store, reopen: async () => store };
});

describe('memoryStore', () => {
  it('says that other processes see nothing of it', () => {
    expect(memoryStore().supports).toMatchObject({ multiProcess: 'no' });
  });

  it('says that several hosts may share it when it is told to', () => {
    expect(memoryStore({ multiProcess: 'full' }).supports).toMatchObject({ multiProcess: 'full' });
  });

  it('looks at no other record to find those of a key', async () => {
    const { sessions } = memoryStore();
    for (let n = 0; n < 1_000; n += 1) await sessions.put(`s${n}`, { key: `k${n >> 1}` }, { expectedRev: 0 });
    const parse = vi.spyOn(JSON, 'parse');
    try {
      expect(await sessions.list({ key: 'k7' })).toHaveLength(2);
      expect(parse).toHaveBeenCalledTimes(2);
    } finally {
      parse.mockRestore();
    }
  });

  it('loses what JSON does not keep, as a file would', async () => {
    const journal = await begin(memoryStore());
    const entry = { ...message(1), key: undefined, usage: Number.NaN } as never;
    await journal.append([entry], { expectedSeq: 0 });
    expect(Object.entries((await journal.get([1]))[0] ?? {})).toEqual(Object.entries({ ...message(1), usage: null }));
  });
});
