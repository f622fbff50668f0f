import { createHost, definePlugin, VarveError } from '@varve/core';

/** A redactor on a bad day: late once, broken once, refusing once, changing a call's id once. */
const failing = definePlugin({
  name: 'acme/failing',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
  apply: ({ hooks }) => {
    hooks.ingest.tapPromise('fail', async ({ message, provenance }, { signal }) => {
      const text = JSON.stringify(message);
      if (text.includes('late')) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (text.includes('broken')) throw new TypeError('patterns is not iterable');
      if (text.includes('refuse')) {
        throw new VarveError('VARVE_INGEST_REFUSED', 'A private key does not belong here.', { fix: 'Remove the key.' });
      }
      if (text.includes('my role')) return { message: { role: 'system', content: 'taken over' }, provenance };
      return undefined;
    });
  },
});

const host = await createHost({ plugins: [failing()] });
const failed: string[] = [];
host.events.on('plugin-failed', ({ plugin, hook, tap }) => failed.push(`${plugin}, ${hook}: ${tap}`));
const session = await host.open('failing');
for (const content of ['late', 'broken', 'refuse', 'change my role', 'fine']) {
  try {
    await session.ingest({ role: 'user', content });
    console.log(`${content}: stored`);
  } catch (error) {
    if (!VarveError.is(error)) throw error;
    console.log(`${content}: ${error.code}: ${error.message}`);
  }
}
const entries = [];
for await (const entry of session.read()) entries.push(entry);
console.log(`entries in the journal: ${entries.length}`);
console.log(`events: ${failed.join(' | ')}`);
for (const { where, failures, lastCode } of session.health().findings) {
  console.log(`health: ${where}, ${failures} failures, the last one ${lastCode}`);
}
await host.close();
