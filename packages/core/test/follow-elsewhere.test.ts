import { createHost, type Journal, type Message, memoryStore, type Session, type Store } from '@varve/core';
import { expect, test } from 'vitest';

const hello: Message = { role: 'user', content: 'hello' };

/** A store that tells what is appended, or keeps it back until it is asked to tell. */
function watchedStore(): { readonly store: Store; tell(lastSeq: number): void; readonly watching: () => number } {
  const inner = memoryStore({ multiProcess: 'full' });
  const listeners = new Set<(lastSeq: number) => void>();
  const watch: Store['watch'] = (_sessionId, listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const tell = (lastSeq: number): void => {
    for (const listener of listeners) listener(lastSeq);
  };
  return { store: { ...inner, watch }, tell, watching: () => listeners.size };
}

async function seqsOf(session: Session, count: number): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { event } of session.follow()) {
    seqs.push(event.seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

test('who follows a session hears of what another host stores, when the store tells it', async () => {
  const { store, tell } = watchedStore();
  await using here = await createHost({ store });
  await using there = await createHost({ store });
  const [one, other] = [await here.open('s'), await there.open('s')];
  const following = seqsOf(one, 2);
  const { seq } = await other.ingest(hello);
  const { seq: last } = await other.ingest(hello);
  tell(last);
  expect(await following).toEqual([seq, last]);
});

test('who follows a session hears of what the store told before an append here was done', async () => {
  const { store, tell } = watchedStore();
  let meanwhile = async (): Promise<void> => {};
  const open: Store['open'] = async (sessionId, options) => {
    const journal = await store.open(sessionId, options);
    const append: Journal['append'] = async (...given) => {
      const stored = await journal.append(...given);
      await meanwhile();
      return stored;
    };
    return { ...journal, append };
  };
  await using here = await createHost({ store: { ...store, open } });
  await using there = await createHost({ store });
  const [one, other] = [await here.open('s'), await there.open('s')];
  meanwhile = async () => {
    meanwhile = async () => {};
    tell((await other.ingest(hello)).seq);
  };
  expect((await one.ingest(hello)).seq).toBe(1);
  expect(await seqsOf(one, 2)).toEqual([1, 2]);
});

test('a session that is closed is not watched any more', async () => {
  const { store, watching } = watchedStore();
  await using host = await createHost({ store });
  const session = await host.open('s');
  expect(watching()).toBe(1);
  await session.close();
  expect(watching()).toBe(0);
});
