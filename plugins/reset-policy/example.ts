// node --conditions=@varve/source --import tsx plugins/reset-policy/example.ts
import { createHost } from '@varve/core';
import { askReset } from '@varve/core/host';
import { previewReset, resetPolicy, resetRequestOf, resolvePolicy } from '@varve/plugin-reset-policy';

const options = { atHour: 4, timeZone: 'Asia/Shanghai', models: { mini: 'example/example-mini' } };
let now = Date.parse('2026-03-08T03:48:00+08:00');

await using host = await createHost({
  clock: { now: () => now, after: () => () => undefined },
  plugins: [resetPolicy(options)],
});
const session = await host.open('example', { key: 'agent:main:main' });
await session.ingest({ role: 'user', content: 'Good night.' });

const record = await host.sessions.get('example');
const policy = resolvePolicy(options, { type: 'direct', channel: null });
if (record !== null) console.log(`at 03:48: ${previewReset(record, { policy, now })?.text}`);
now += 13 * 60_000;
const answer = await askReset(session);
console.log(`at 04:01: ${answer?.reason}. ${answer?.text}`);

const model = { provider: 'example', model: 'example-1' };
for (const text of ['/new mini What is a varve?', '/new minx-2']) {
  const reply = await session.command(text, { model, sender: { id: 'anna', role: 'owner' } });
  console.log(`${text}: ${reply?.text}`, resetRequestOf(reply));
}
