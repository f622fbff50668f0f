import { createHost, type Entry, memoryStore } from '@varve/core';
import { redactor } from './redactor.ts';

const key = 'sk-test-51Hx9f0aQ2mZ7Lr4'; // Not a real one.

const host = await createHost({ store: memoryStore(), plugins: [redactor()] });
const session = await host.open('example');
await session.ingest({ role: 'user', content: `Deploy with ${key} and tell ada@example.org when it is up.` });

const prompt = await session.assemble({ model: { provider: 'anthropic', model: 'claude-sonnet-4-5' } });
console.log('The prompt:', JSON.stringify(prompt.messages, null, 2));

const entries: Entry[] = [];
for await (const entry of session.read()) entries.push(entry);
const isStored = JSON.stringify(entries).includes(key);
console.log(`The journal has ${entries.length} entry. ${isStored ? 'The key is in it!' : 'The key never reached it.'}`);
await host.close();
if (isStored) process.exitCode = 1;
