// A process that appends to a store on the real disk while it is watched: each acknowledgement is a write to standard
// output, which stands in the trace behind what was done for it.
import { writeSync } from 'node:fs';
import { jsonlStore } from '@varve/stores/jsonl';
import { messageEntry } from '@varve/testkit';

const [root = '', alone = '0', inFlight = '1', rounds = '0'] = process.argv.slice(2);
const store = jsonlStore({ root, durability: 'fsync' });
const journal = await store.open('one', { create: { v: 1, sessionId: 'one', createdAt: 0 } });
let seq = 0;

async function append(): Promise<void> {
  seq += 1;
  const own = seq;
  await journal.append([messageEntry(own)], { expectedSeq: own - 1 });
  writeSync(1, `acknowledged ${own}\n`);
}

writeSync(1, 'alone\n');
for (let count = 0; count < Number(alone); count += 1) await append();
writeSync(1, 'in flight\n');
for (let round = 0; round < Number(rounds); round += 1) {
  await Promise.all(Array.from({ length: Number(inFlight) }, append));
}
writeSync(1, 'records\n');
let rev = 0;
for (let count = 0; count < 20; count += 1) {
  const record = await store.sessions.put('one', { label: `label ${count}` }, { expectedRev: rev });
  rev = record.rev;
  writeSync(1, `recorded ${rev}\n`);
}
writeSync(1, 'closing\n');
await journal.close();
await store[Symbol.asyncDispose]();
