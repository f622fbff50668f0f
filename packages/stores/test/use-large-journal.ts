// A process of its own with a small heap: `node --max-old-space-size=64 use-large-journal.ts <root> <lastSeq>` opens the
// journal `large`, streams it, reads single entries and the tail, appends one, and prints what it found.
import { performance } from 'node:perf_hooks';
import { examineStore, jsonlStore } from '@varve/stores/jsonl';
import { entryIdOf, messageEntry } from '@varve/testkit';

const [, , root = '', last = '0'] = process.argv;
const lastSeq = Number(last);
const times: Record<string, number> = {};

async function timed<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await run();
  times[what] = Math.round(performance.now() - start);
  return result;
}

await using store = jsonlStore({ root, durability: 'os' });
const journal = await timed('open', () => store.open('large'));
const tail = await timed('tail', () => journal.tail());
const seqs = [1, Math.floor(lastSeq / 3), lastSeq - 1];
const single = await timed('get by seq', () => journal.get(seqs));
const byId = await timed('get by id', () => journal.get([entryIdOf(Math.floor(lastSeq / 2))]));
const count = await timed('stream', async () => {
  let entries = 0;
  for await (const { seq } of journal.read()) {
    entries += 1;
    if (seq !== entries) throw new Error(`${seq} instead of ${entries}`);
  }
  return entries;
});
await timed('append', () => journal.append([messageEntry(lastSeq + 1)], { expectedSeq: lastSeq }));
const codes: string[] = [];
await timed('examine', async () => {
  for await (const { code } of examineStore(root)) codes.push(code);
});
const found = {
  tail: tail.entries.length,
  single: single.map(({ seq }) => seq),
  byId: byId.map(({ seq }) => seq),
  count,
};
process.stdout.write(JSON.stringify({ found, codes, times, rss: process.memoryUsage().rss }));
