import { createHost } from '@varve/core';
import { redactor } from '../examples/redactor/redactor.ts';

const host = await createHost({ plugins: [redactor({ patterns: ['(x+x+)+y'] })] });
const session = await host.open('slow');
let ticks = 0;
const timer = setInterval(() => (ticks += 1), 100);
const startedAt = Date.now();
const entry = await session.ingest({ role: 'user', content: 'x'.repeat(30) });
const seconds = (Date.now() - startedAt) / 1_000;
clearInterval(timer);
console.log(
  `stored as #${entry.seq}, though the deadline of the hook is 1 s: ${seconds > 1 ? 'it took longer' : 'in time'}`,
);
console.log(`a timer of 100 ms fired ${ticks} times meanwhile`);
await host.close();
