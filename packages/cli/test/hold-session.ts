// Run in a process of its own: opens a conversation, says so, and keeps it open for writing; stores each line that it is
// sent.
import { createInterface } from 'node:readline';
import { createHost } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';

const [root = '', sessionId = '', key = ''] = process.argv.slice(2);
const store = jsonlStore({ root });
const host = await createHost({ store });
const sessions = createSessions({ host, randomId: () => sessionId });
await sessions.use(key, (session) => session.ingest({ role: 'user', content: 'Hello from another process.' }));
process.stdout.write('open\n');
for await (const line of createInterface({ input: process.stdin })) {
  await sessions.use(key, (session) => session.ingest({ role: 'user', content: line }));
  process.stdout.write('stored\n');
}
await sessions.close();
await host.close();
await store[Symbol.asyncDispose]();
