// A process of its own for tests of races: `node count-in-index.ts <root> <session> <times>` adds one to a counter in
// the record of a session, over and over, as somebody does who reads, changes and is told to read again.
import { VarveError } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';

const [, , root = '', sessionId = '', times = '0'] = process.argv;

await using store = jsonlStore({ root, durability: 'os' });
let conflicts = 0;
for (let left = Number(times); left > 0; ) {
  const record = await store.sessions.get(sessionId);
  const counted = Number(record?.label ?? 0) + 1;
  try {
    await store.sessions.put(sessionId, { label: String(counted) }, { expectedRev: record?.rev ?? 0 });
    left -= 1;
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_CONFLICT')) throw error;
    conflicts += 1;
  }
}
process.stdout.write(JSON.stringify({ conflicts }));
