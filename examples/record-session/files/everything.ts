import { createHost, type Entry, fold, memoryStore } from '@varve/core';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const store = memoryStore();
const host = await createHost({ store });
const session = await host.open('two');
await session.set('language', 'zh');
for (let number = 1; number <= 8; number += 1) {
  await session.ingest({ role: 'user', content: `Question ${number}. ${'And some more of it. '.repeat(8)}` });
  await session.ingest({ role: 'assistant', content: `Answer ${number}. ${'And some more of it. '.repeat(8)}` });
  if (number % 4 === 0) await session.compact('manual', { model });
}
await session.close();

const journal = await store.open('two');
const entries: Entry[] = [];
for await (const entry of journal.read()) entries.push(entry);
console.log(entries.map(({ seq, type }) => `${seq} ${type}`).join(', '));
const tail = await journal.tail();
console.log(`tail from ${tail.entries[0]?.seq}, checkpoint visible from ${tail.checkpoint?.visibleFromSeq}`);
console.log('fold(everything).state.settings', fold({ checkpoint: null, entries }).state.settings);
console.log('fold(tail).state.settings      ', fold(tail).state.settings);
